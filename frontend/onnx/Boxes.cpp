// NonMaxSuppression of ONNX: boxes that do not overlap better ones.
#include "frontend/graph/Loop.h"
#include "frontend/onnx/Indexing.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// Edges and areas of boxes, numbers of one shape.
struct Boxes {
  Value top, bottom, left, right, area;

  template <typename F> Boxes each(F &&function) const {
    return {function(top), function(bottom), function(left), function(right), function(area)};
  }
};

// Of numbers (batch, boxes, 4): two corners in any order, y before x, or a centre and sizes, x
// before y.
Boxes boxesOf(Call &call, Value x, bool isCentred) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  auto column = [&](int64_t i) {
    return g.reshape(g.slice(x, {0, 0, i}, {shape[0], shape[1], 1}, {1, 1, 1}),
                     {shape[0], shape[1]});
  };
  const Value a = column(0), b = column(1), c = column(2), d = column(3);
  Boxes boxes;
  if (isCentred) {
    const Value width = g.mul(c, call.like(c, 0.5)), height = g.mul(d, call.like(d, 0.5));
    boxes = {g.sub(b, height), g.add(b, height), g.sub(a, width), g.add(a, width), Value()};
  } else {
    boxes = {g.minimum(a, c), g.maximum(a, c), g.minimum(b, d), g.maximum(b, d), Value()};
  }
  boxes.area = g.mul(g.sub(boxes.bottom, boxes.top), g.sub(boxes.right, boxes.left));
  return boxes;
}

// Whether what two boxes share is more of what they cover together than a limit.
Value overlap(Call &call, const Boxes &a, const Boxes &b, Value limit) {
  auto &g = call.g;
  const Value height = g.sub(g.minimum(a.bottom, b.bottom), g.maximum(a.top, b.top));
  const Value width = g.sub(g.minimum(a.right, b.right), g.maximum(a.left, b.left));
  const Value zero = g.zeroLike(height), shared = g.mul(height, width);
  const Value covered = g.sub(g.add(a.area, b.area), shared);
  Value isThere = g.greater(g.div(shared, covered), limit);
  for (Value size : {height, width, a.area, b.area, covered})
    isThere = g.and_(isThere, g.greater(size, zero));
  return isThere;
}

// An input of one number, as a scalar.
Value scalarInput(ModelNode &node, Call &call, size_t i, DType dtype) {
  const Value value = call.value(node.input(i));
  if (call.rank(value) > 1)
    node.fail("has an input " + std::to_string(i) + " of rank " + std::to_string(call.rank(value)) +
              "; needed one number");
  const Value single =
      call.rank(value) ? call.withSize(value, 0, 1, "a limit and one number") : value;
  return call.cast(call.g.reshape(single, {}), dtype);
}

// Rows (image, class, box), in the order of their scores in each class. In each step every class
// takes the best box that is left, and leaves out those that overlap it.
Values nonMaxSuppression(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto &g = call.g;
  Value positions = call.value(node.input(0)), scores = call.value(node.input(1));
  if (call.rank(positions) != 3 || call.rank(scores) != 3)
    node.fail("has boxes and scores of rank " + std::to_string(call.rank(positions)) + " and " +
              std::to_string(call.rank(scores)) + "; needed 3");
  positions = call.withSize(positions, 2, 4, "a box has four numbers");
  positions = call.withSize(positions, 0, ir::getShape(scores)[0], "images of boxes and scores");
  positions = call.withSize(positions, 1, ir::getShape(scores)[2], "boxes and scores");
  const ir::Shape all = ir::getShape(scores), classes{all[0], all[1]}, boxes{all[0], all[2]};
  const mlir::Type i64 = call.elementType(DType::Int64);
  auto numbers = [&](const ir::Shape &shape, int64_t axis) {
    return g.iota(ir::getTensorType(shape, i64), axis);
  };
  auto everywhere = [&](Value scalar) { return g.broadcastScalar(scalar, all); };
  auto scalarOr = [&](size_t i, Value otherwise, DType dtype) {
    return node.has(i) ? scalarInput(node, call, i, dtype) : otherwise;
  };
  const DType dtype = call.dtypeOf(scores);
  const Value most = scalarOr(2, g.integerScalar(0, i64), DType::Int64);
  const Value limit = everywhere(scalarOr(3, g.scalar(0, ir::getElementType(scores)), dtype));
  const Boxes each = boxesOf(call, call.required(positions), node.integer("center_point_box", 0));
  const Value firstLeft = node.has(4)
                              ? g.greater(scores, everywhere(scalarInput(node, call, 4, dtype)))
                              : g.equal(numbers(all, 0), numbers(all, 0));
  // What is not left has less than any score.
  const double infinity = std::numeric_limits<double>::infinity();
  const double least = dtype == DType::Float64 ? -std::numeric_limits<double>::max()
                                               : -double(std::numeric_limits<float>::max());
  const Value known = g.maximum(scores, call.like(scores, least));
  auto isAnyLeft = [&](Value left) { return g.reduceAny(left, {0, 1, 2}); };

  const Value zero = g.zeroLike(most), none = g.splat(0, ir::getTensorType(all, i64));
  const Value begins = g.and_(g.less(zero, most), isAnyLeft(firstLeft));
  Loop loop(call, "the steps of NonMaxSuppression");
  loop.addState(begins.getType());
  const Value step = loop.addState(zero.getType()), left = loop.addState(firstLeft.getType()),
              ranks = loop.addState(none.getType());
  const Value best =
      call.builder.create<ir::ArgMaxOp>(g.location(), ir::getTensorType(classes, i64),
                                        g.select(left, known, call.like(known, -infinity)), 2);
  const Value isBest = g.and_(left, g.equal(numbers(all, 2), g.broadcast(best, all, {0, 1})));
  const Value row = flatIndex(call, {numbers(classes, 0), best}, boxes);
  const Boxes chosen = each.each([&](Value x) {
    const Value flatX = g.reshape(x, {call.check(ir::mul(boxes[0], boxes[1]))});
    return g.broadcast(g.gather(flatX, row), all, {0, 1});
  });
  const Boxes others = each.each([&](Value x) { return g.broadcast(x, all, {0, 2}); });
  const Value isOut = g.or_(isBest, overlap(call, others, chosen, limit));
  const Value further = g.add(step, g.oneLike(step)), isLeft = g.and_(left, g.not_(isOut));
  const Value nextRanks = g.select(isBest, everywhere(further), ranks);
  const Value goesOn = g.and_(g.less(further, most), isAnyLeft(isLeft));
  loop.end();
  const Value rank = loop.finishWhile({begins, zero, firstLeft, none},
                                      {goesOn, further, isLeft, nextRanks}, std::nullopt)[3];

  // Behind those of the classes before.
  const Value isChosen = g.greater(rank, g.zeroLike(rank));
  const Value counts = flat(call, g.reduceSum(call.cast(isChosen, DType::Int64), {2}));
  const Value before = g.reshape(g.cumsum(counts, 0, /*exclusive=*/true), classes);
  const DimExpr size = call.check(ir::product(all));
  const Value place =
      g.select(isChosen, g.sub(g.add(g.broadcast(before, all, {0, 1}), rank), g.oneLike(rank)),
               everywhere(call.scalar(size, DType::Int64)));
  Value rest = movedTo(call, numbers({size}, 0), flat(call, place), g.reduceSum(counts, {0}));
  const ir::Shape column{ir::getShape(rest).front(), 1};
  std::vector<Value> columns;
  for (size_t i = all.size(); i-- > 0;) {
    const Value by = g.broadcastScalar(call.scalar(all[i], DType::Int64), ir::getShape(rest));
    columns.insert(columns.begin(), g.reshape(g.mod(rest, by), column));
    rest = g.floorDiv(rest, by);
  }
  return one(call.tensor(g.concatenate(columns, 1)));
}

const OpRecord boxRecords[] = {{"NonMaxSuppression", nonMaxSuppression}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::boxOps() { return boxRecords; }

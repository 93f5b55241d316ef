// Ops of ONNX whose results are as large as data say, up to a size that is known before.
#include "frontend/backend/Sorting.h"
#include "frontend/graph/Loop.h"
#include "frontend/onnx/Indexing.h"
#include "frontend/onnx/Orders.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

Value keratin::frontend::onnx_models::movedTo(Call &call, Value numbers, Value places,
                                              Value count) {
  auto &g = call.g;
  const DimExpr size = ir::getShape(numbers).front();
  const Value all = g.scatterAdd(places, numbers, {call.check(ir::add(size, 1))});
  return call.truncate(g.slice(all, {0}, {size}, {1}), count, 0);
}

Value keratin::frontend::onnx_models::chosenNumbers(Call &call, Value numbers, Value mask) {
  auto &g = call.g;
  const Value counted = call.cast(mask, DType::Int64);
  const Value behind =
      g.broadcastScalar(call.scalar(ir::getShape(mask).front(), DType::Int64), ir::getShape(mask));
  const Value before = g.cumsum(counted, 0, /*exclusive=*/true);
  return movedTo(call, numbers, g.select(mask, before, behind), g.reduceSum(counted, {0}));
}

namespace {

// The rows of x where the mask, a vector, is true; their number is at most that of all.
Tensor chosenRows(ModelNode &node, const Tensor &x, const Tensor &mask) {
  Call call("load_onnx", node.place);
  const Value isChosen = call.value(mask);
  const auto numbers = ir::getTensorType(ir::getShape(isChosen), call.elementType(DType::Int64));
  return call.tensor(
      call.g.gather(call.value(x), chosenNumbers(call, call.g.iota(numbers, 0), isChosen)));
}

// Brings the axis that is asked for to the front, or all elements to one axis where none is: the
// order of axes, or none where they stay.
Numbers bringToFront(ModelNode &node, Tensor &x) {
  if (!node.hasAttribute("axis")) {
    x = K::flatten(x, node.place);
    return {};
  }
  const int64_t axis = node.axis(node.integer("axis"), x.ndim());
  if (axis == 0)
    return {};
  Numbers axes = axisFirst(x.ndim(), axis);
  x = K::permute_dimensions(x, axes, node.place);
  return axes;
}

Tensor broughtBack(ModelNode &node, const Tensor &x, const Numbers &axes) {
  return axes.empty() ? x : K::permute_dimensions(x, inverseOf(axes), node.place);
}

Values compress(ModelNode &node) {
  Tensor x = node.input(0), mask = node.input(1);
  const SourceLocation at = node.place;
  const Numbers axes = bringToFront(node, x);
  {
    // A short mask leaves the rest out.
    Call call("load_onnx", at);
    const Value given = call.value(mask), rows = call.value(x);
    if (call.rank(given) != 1)
      node.fail("has a condition of rank " + std::to_string(call.rank(given)) + "; needed 1");
    const DimExpr size = ir::getShape(rows).front(), length = ir::getShape(given).front();
    if (size != length) {
      call.requireAtLeast(size, length, "the condition must not be longer than the axis");
      const Value wide =
          call.g.pad(call.cast(call.required(given), DType::UInt8), {0}, {0}, {size});
      mask = call.tensor(call.cast(wide, DType::Bool));
    }
  }
  return one(broughtBack(node, chosenRows(node, x, mask), axes));
}

// The indices of what is not 0, a column each.
Values nonZero(ModelNode &node) {
  Tensor x = node.input(0), numbers, mask;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    shape = ir::getShape(value);
    const Value all = flat(call, value);
    mask = call.tensor(call.cast(all, DType::Bool));
    numbers = call.tensor(
        call.g.iota(ir::getTensorType(ir::getShape(all), call.builder.getI64Type()), 0));
  }
  Tensor chosen = chosenRows(node, numbers, mask);
  Call call("load_onnx", node.place);
  Value rest = call.value(chosen);
  ir::Shape column = ir::getShape(rest);
  column.insert(column.begin(), 1);
  std::vector<Value> rows;
  for (size_t i = shape.size(); i-- > 0;) {
    const Value size =
        call.g.broadcastScalar(call.scalar(shape[i], DType::Int64), ir::getShape(rest));
    rows.insert(rows.begin(), call.g.reshape(call.g.mod(rest, size), column));
    rest = call.g.floorDiv(rest, size);
  }
  if (rows.empty())
    node.notImplemented("NonZero of a scalar");
  return one(call.tensor(call.g.concatenate(rows, 0)));
}

//===-- Unique --------------------------------------------------------------------------------===//

// Where rows (count, columns) come from that stand in ascending order, by their first columns
// first.
Value ascendingRows(Call &call, Value rows) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(rows), column{shape[0]};
  if (shape[1] == DimExpr(1))
    return ascending(call, g.reshape(rows, column));
  const Value numbers = g.iota(ir::getTensorType(column, call.elementType(DType::Int64)), 0);
  Loop loop(call, "the order of rows", shape[1], /*reverse=*/true);
  const Value order = loop.addState(numbers.getType());
  const Value keys = loop.addElement(g.transpose(rows, {1, 0}));
  const Value next = g.gather(order, ascending(call, g.gather(keys, order)));
  loop.end();
  return loop.finish({numbers}, {next}, {}).lastStates.front();
}

// Y, the numbers of its elements in x, of each of x the number in Y, and how often each is there.
Values unique(ModelNode &node) {
  const SourceLocation at = node.place;
  Tensor x = node.input(0);
  const Numbers axes = bringToFront(node, x);
  Tensor elements, indices, inverse, counts;
  {
    Call call("load_onnx", at);
    auto &g = call.g;
    const Value given = call.value(x);
    const ir::Shape shape = ir::getShape(given), column{shape[0]};
    const DimExpr width = call.check(ir::product({shape.begin() + 1, shape.end()}));
    const Value rows = g.reshape(given, {shape[0], width}), order = ascendingRows(call, rows);
    const Value isNew = startsRun(call, g.gather(rows, order));
    const Value isCounted = call.cast(isNew, DType::Int64), one = g.oneLike(isCounted);
    // Of each in order: which number of Y it has.
    Value number = g.sub(g.cumsum(isCounted, 0), one), first;
    if (node.integer("sorted", 1)) {
      first = chosenNumbers(call, order, isNew);
    } else {
      const Value isFirst = call.cast(g.scatterAdd(order, isCounted, column), DType::Bool);
      const Value all = g.iota(ir::getTensorType(number), 0);
      first = chosenNumbers(call, all, isFirst);
      const Value start = g.scatterAdd(number, g.mul(isCounted, order), column);
      number = g.gather(g.cumsum(call.cast(isFirst, DType::Int64), 0, /*exclusive=*/true),
                        g.gather(start, number));
    }
    indices = call.tensor(first);
    elements = call.tensor(g.gather(given, first));
    inverse = call.tensor(g.scatterAdd(order, number, column));
    counts = call.tensor(
        g.gather(g.scatterAdd(number, one, column), g.iota(ir::getTensorType(first), 0)));
  }
  Values values = one(broughtBack(node, elements, axes));
  for (const Tensor &more : {indices, inverse, counts})
    values.emplace_back(more);
  return values;
}

const OpRecord selectionRecords[] = {
    {"Compress", compress},
    {"NonZero", nonZero},
    {"Unique", unique},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::selectionOps() { return selectionRecords; }

// Ops of ONNX that write at indices.
#include "frontend/graph/Loop.h"
#include "frontend/onnx/Indexing.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

using Combine = Value (ir::GraphMath::*)(Value, Value);

// The numbers of doublings until so many.
int64_t doublings(const DimExpr &count) {
  int64_t steps = 0;
  while (steps < 62 && (!count.isConstant() || (int64_t(1) << steps) < count.constantValue()))
    ++steps;
  return steps;
}

// Rows of one key, next to each other, combined into the first of them: each with the one behind
// it, then with the one two behind, and so on, as often as the most rows of a key need.
Value combinedNeighbours(Call &call, Value rows, Value keys, Value most, Combine combine) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(rows);
  Loop loop(call, "the combination of rows");
  const Value one = g.oneLike(most), number = g.iota(ir::getTensorType(keys), 0);
  loop.addState(g.less(one, most).getType());
  const Value distance = loop.addState(one.getType()), state = loop.addState(rows.getType());
  const Value last =
      g.sub(g.broadcastScalar(call.scalar(shape.front(), DType::Int64), {shape.front()}),
            g.oneLike(number));
  const Value behind = g.minimum(g.add(number, g.broadcastScalar(distance, {shape.front()})), last);
  const Value isSame = g.equal(g.gather(keys, behind), keys);
  const Value next = g.select(g.broadcast(isSame, shape, {0}),
                              (g.*combine)(state, g.gather(state, behind)), state);
  const Value further = g.add(distance, distance), goesOn = g.less(further, most);
  loop.end();
  return loop.finishWhile({g.less(one, most), one, rows}, {goesOn, further, next},
                          DimExpr(doublings(shape.front())))[2];
}

// Rows of x combined with all rows that have their number as a place.
Value combinedInto(Call &call, Value x, Value places, Value rows, Combine combine) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(x), from = ir::getShape(rows);
  // Sorted by place, and one more row behind them, so that there is one. What is largest comes
  // first.
  ir::Shape more = from;
  more.front() = call.check(ir::add(from.front(), 1));
  const Value count =
      g.broadcastScalar(call.scalar(shape.front(), DType::Int64), ir::getShape(places));
  const Value key = g.pad(g.sub(count, places), {0}, {0}, {more.front()});
  const Value order = call.builder.create<ir::TopKOp>(g.location(), key.getType(), key);
  rows = g.gather(g.pad(rows, ir::Shape(more.size(), 0), Numbers(more.size(), 0), more), order);
  // Of each place: how many rows it has, and which is the first.
  const Value counts = g.scatterAdd(places, g.oneLike(places), {shape.front()});
  const Value first = g.cumsum(counts, 0, /*exclusive=*/true);
  const auto single = ir::getTensorType({1}, call.elementType(DType::Int64));
  const Value most = g.reduceMax(g.concatenate({counts, g.splat(1, single)}, 0), {0});
  rows = combinedNeighbours(call, rows, g.gather(key, order), most, combine);
  const Value isThere = g.broadcast(g.greater(counts, g.zeroLike(counts)), shape, {0});
  return g.select(isThere, (g.*combine)(x, g.gather(rows, first)), x);
}

// Rows of the table with the updates at their places.
Tensor scattered(ModelNode &node, const Tensor &table, const Tensor &places,
                 const Tensor &updates) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "none")
    return K::scatter(table, places, updates, "write", node.place);
  if (reduction == "add")
    return K::scatter(table, places, updates, "add", node.place);
  const Combine combine = reduction == "mul"   ? &ir::GraphMath::mul
                          : reduction == "max" ? &ir::GraphMath::maximum
                          : reduction == "min" ? &ir::GraphMath::minimum
                                               : nullptr;
  if (!combine)
    node.fail("has reduction '" + reduction + "'; needed none, add, mul, max or min");
  if (table.dtype() == DType::Bool || table.dtype() != updates.dtype())
    node.fail("has data and updates of dtypes " + std::string(dtypeName(table.dtype())) + " and " +
              dtypeName(updates.dtype()) + "; needed numbers of one dtype for reduction " +
              reduction);
  Call call("load_onnx", node.place);
  return call.tensor(combinedInto(call, call.required(call.value(table)), call.value(places),
                                  call.value(updates), combine));
}

Values scatterElements(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  Tensor table, places, updates;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    shape = ir::getShape(value);
    const Value index = elementIndex(node, call, value, call.value(node.input(1)), axis);
    const Value given = call.requireShape(call.value(node.input(2)), ir::getShape(index),
                                          "the indices and the updates");
    table = call.tensor(flat(call, value));
    places = call.tensor(flat(call, index));
    updates = call.tensor(flat(call, given));
  }
  Tensor written = scattered(node, table, places, updates);
  Call call("load_onnx", node.place);
  return one(call.tensor(call.g.reshape(call.value(written), shape)));
}

Values scatterNd(ModelNode &node) {
  Tensor x = node.input(0);
  Tensor table, places, updates;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x), tuples = call.value(node.input(1));
    shape = ir::getShape(value);
    const size_t depth = tupleOf(node, ir::getShape(tuples), shape.size());
    const ir::Shape sizes(shape.begin(), shape.begin() + int64_t(depth)),
        tail(shape.begin() + int64_t(depth), shape.end());
    const Value index = flat(call, sliceIndex(node, call, tuples, sizes));
    ir::Shape rows{call.check(ir::product(sizes))}, given{ir::getShape(index).front()};
    rows.insert(rows.end(), tail.begin(), tail.end());
    given.insert(given.end(), tail.begin(), tail.end());
    ir::Shape whole = ir::getShape(tuples);
    whole.pop_back();
    whole.insert(whole.end(), tail.begin(), tail.end());
    table = call.tensor(call.g.reshape(value, rows));
    places = call.tensor(index);
    updates = call.tensor(call.g.reshape(
        call.requireShape(call.value(node.input(2)), whole, "the indices and the updates"), given));
  }
  Tensor written = scattered(node, table, places, updates);
  Call call("load_onnx", node.place);
  return one(call.tensor(call.g.reshape(call.value(written), shape)));
}

const OpRecord scatteringRecords[] = {
    {"Scatter", scatterElements},
    {"ScatterElements", scatterElements},
    {"ScatterND", scatterNd},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::scatteringOps() {
  return scatteringRecords;
}

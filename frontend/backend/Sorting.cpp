// K functions: the elements along an axis in order.
#include "frontend/backend/Sorting.h"
#include "frontend/backend/AlongAxis.h"
#include "frontend/graph/Loop.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/reductions.h"

using namespace keratin;
using namespace keratin::frontend;

Value keratin::frontend::largest(Call &call, Value x, const DimExpr &count) {
  ir::Shape shape = ir::getShape(x);
  shape.back() = count;
  auto type = ir::getTensorType(shape, call.elementType(DType::Int64));
  return call.builder.create<ir::TopKOp>(call.g.location(), type, x);
}

// A line from its end has equals the other way round, and so has one from the largest on.
Value keratin::frontend::ascending(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  const DimExpr length = ir::getShape(x).back();
  const int64_t last = call.rank(x) - 1;
  Value places = g.reverse(largest(call, g.reverse(x, {last}), length), {last});
  Value end = g.broadcastScalar(call.scalar(length, DType::Int64), ir::getShape(places));
  return g.sub(g.sub(end, g.oneLike(places)), places);
}

Value keratin::frontend::startsRun(Call &call, Value rows) {
  ir::GraphMath &g = call.g;
  const ir::Shape column{ir::getShape(rows).front()};
  Value number = g.iota(ir::getTensorType(column, call.elementType(DType::Int64)), 0);
  Value zero = g.zeroLike(number);
  Value before = g.gather(rows, g.maximum(g.sub(number, g.oneLike(number)), zero));
  Value differs = g.notEqual(rows, before);
  if (isFloating(call.dtypeOf(rows)))
    differs = g.and_(differs, g.or_(g.equal(rows, rows), g.equal(before, before)));
  return g.or_(g.equal(number, zero), g.reduceAny(differs, {1}));
}

namespace {

// A tensor whose axis has been put last, and where its elements come from in order.
struct Sorted {
  Value x, places;
  std::vector<int64_t> order;
};

} // namespace

static Sorted sorted(Call &call, const Operand &operand, Axis axis) {
  Value x = call.value(operand);
  int64_t rank = call.rank(x);
  std::vector<int64_t> order = swapWithLast(call.axis(axis, rank), rank);
  x = call.g.transpose(x, order);
  return {x, ascending(call, x), order};
}

// Whether a comes before b where NaN comes behind all numbers.
static Value precedes(Call &call, Value a, Value b) {
  ir::GraphMath &g = call.g;
  Value isLess = g.less(a, b);
  if (!isFloating(call.dtypeOf(a)))
    return isLess;
  return g.or_(isLess, g.and_(g.equal(a, a), g.notEqual(b, b)));
}

// How many elements of the sorted line come before each value: between `low` and `high`, which
// each step brings closer by half.
static Value placesIn(Call &call, Value line, Value values, bool isRight) {
  constexpr int64_t mostSteps = 64;
  ir::GraphMath &g = call.g;
  auto type = ir::withElementType(ir::getTensorType(values), call.elementType(DType::Int64));
  Value zeros = g.splat(0, type);
  Value length = g.broadcastScalar(call.scalar(ir::getShape(line).front(), DType::Int64),
                                   ir::getShape(values));
  auto goesOn = [&](Value low, Value high) {
    return g.reduceAny(g.less(low, high), call.axes(None, call.rank(values)));
  };
  Loop loop(call, "searchsorted");
  Value first = goesOn(zeros, length);
  loop.addState(first.getType());
  Value low = loop.addState(type), high = loop.addState(type);
  Value two = g.constantLike(2, low);
  Value middle = g.floorDiv(g.add(low, high), two);
  // Where the search is over the middle may be the end.
  Value inside = g.less(low, high);
  Value element = g.gather(line, g.select(inside, middle, zeros));
  Value isBefore =
      isRight ? g.not_(precedes(call, values, element)) : precedes(call, element, values);
  Value nextLow = g.select(g.and_(inside, isBefore), g.add(middle, g.oneLike(middle)), low);
  Value nextHigh = g.select(g.and_(inside, g.not_(isBefore)), middle, high);
  Value again = goesOn(nextLow, nextHigh);
  loop.end();
  return loop.finishWhile({first, zeros, length}, {again, nextLow, nextHigh},
                          DimExpr(mostSteps))[1];
}

namespace keratin::backend {

TopK top_k(const Operand &operand, const Size &k, Axis axis, SourceLocation location) {
  Call call("top_k", location);
  Value x = call.value(operand);
  int64_t rank = call.rank(x), place = call.axis(axis, rank);
  const DimExpr size = ir::getShape(x)[size_t(place)], count = call.size(k, "k", size);
  call.requireAtLeast(count, DimExpr(0), "k must not be negative");
  if (size.isConstant() && count.isConstant() && count.constantValue() > size.constantValue())
    call.valueError("k is " + count.str() + "; axis " + std::to_string(place) + " has " +
                    size.str() + " elements");
  call.requireAtLeast(size, count, "k is more than the axis has elements");

  std::vector<int64_t> order = swapWithLast(place, rank);
  x = call.required(call.g.transpose(x, order));
  Value places = largest(call, x, count);
  Value values = pickedAlongLast(call, x, places);
  return {call.tensor(call.g.transpose(values, order)),
          call.tensor(call.g.transpose(places, order))};
}

Tensor sort(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("sort", location);
  auto [x, places, order] = sorted(call, operand, axis);
  return call.tensor(call.g.transpose(pickedAlongLast(call, x, places), order));
}

Tensor argsort(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("argsort", location);
  auto [x, places, order] = sorted(call, operand, axis);
  return call.tensor(call.g.transpose(places, order));
}

Tensor searchsorted(const Operand &sequence, const Operand &values, const std::string &side,
                    SourceLocation location) {
  Call call("searchsorted", location);
  if (side != "left" && side != "right")
    call.valueError("unknown side '" + side + "'; needed left or right");
  auto [line, wanted] = call.promoted(sequence, values);
  if (call.rank(line) != 1)
    call.valueError("the sorted sequence has shape " + describe(line) + "; needed rank 1");
  if (call.dtypeOf(line) == DType::Bool) {
    line = call.cast(line, DType::Int32);
    wanted = call.cast(wanted, DType::Int32);
  }
  return call.tensor(placesIn(call, line, wanted, side == "right"));
}

} // namespace keratin::backend

// K::scatter.
#include "frontend/graph/Call.h"
#include "frontend/graph/SmallSizes.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;

// The updates, repeated to one row for each index.
static Value fitted(Call &call, Value rows, const ir::Shape &needed) {
  ir::Shape from = ir::getShape(rows), to = needed;
  bool fits = from.size() <= needed.size();
  size_t offset = fits ? needed.size() - from.size() : 0;
  for (size_t i = 0; fits && i < from.size(); ++i) {
    DimExpr &size = to[offset + i];
    fits = from[i] == one || !from[i].isConstant() || !size.isConstant() || from[i] == size;
    if (from[i] == one)
      size = one;
  }
  if (!fits)
    call.valueError("updates have shape " + describe(rows) + "; needed " + describe(needed) +
                    ", the indices' shape and that of a row, or what broadcasts to it");
  rows = call.requireShape(rows, ir::Shape(to.begin() + ptrdiff_t(offset), to.end()),
                           "updates and the rows at the indices");
  return call.broadcastTo(rows, needed);
}

// Which of the rows is the last for each row of x, counted from 1; 0: none. By it rows are
// gathered, so that the gradient is a gather's too.
static Value lastRows(Call &call, Value places, const DimExpr &rows) {
  auto numbers = ir::getTensorType(ir::getShape(places), call.elementType(DType::Int64));
  Value counted = call.g.add(call.g.iota(numbers, 0), call.g.splat(1, numbers));
  auto type = ir::getTensorType({rows}, numbers.getElementType());
  return call.builder.create<ir::ScatterLastOp>(call.g.location(), type, places, counted);
}

// places: [n]; rows: [n, …] beside x [m, …].
static Value written(Call &call, Value x, Value places, Value rows) {
  ir::GraphMath &g = call.g;
  ir::Shape shape = ir::getShape(x), from = ir::getShape(rows);
  if (from.front() == zero)
    return x;
  Value last = lastRows(call, places, shape.front());
  Value none = g.zeroLike(last);
  Value number = g.sub(last, g.oneLike(last));
  if (from.front().isConstant()) {
    number = g.maximum(number, none);
  } else {
    // There may be no rows to gather from but this one of zeros.
    Value behind = g.broadcastScalar(call.scalar(from.front(), DType::Int64), {shape.front()});
    number = g.select(g.greater(last, none), number, behind);
    from.front() = call.check(ir::add(from.front(), one));
    rows = g.pad(rows, ir::Shape(from.size(), zero), std::vector<int64_t>(from.size(), 0), from);
  }
  Value isWritten = g.broadcast(g.greater(last, none), shape, {0});
  return g.select(isWritten, g.gather(rows, number), x);
}

namespace keratin::backend {

Tensor scatter(const Operand &operand, const Operand &indices, const Operand &updates,
               const std::string &mode, SourceLocation location) {
  Call call("scatter", location);
  Value x = call.value(operand), places = call.value(indices);
  DType dtype = call.dtypeOf(x);
  ir::Shape shape = ir::getShape(x);
  if (mode != "write" && mode != "add")
    call.valueError("unknown mode '" + mode + "'; needed write or add");
  if (shape.empty())
    call.valueError("x is a scalar; needed at least one axis");
  if (!isInteger(call.dtypeOf(places)))
    call.typeError(std::string("indices have dtype ") + dtypeName(call.dtypeOf(places)) +
                   "; needed integers");
  if (mode == "add" && dtype == DType::Bool)
    call.typeError("bools cannot be added; needed numbers, or mode 'write'");
  if (updates.isTensor())
    if (DType other = call.dtypeOf(call.value(updates)); promote(dtype, other) != dtype)
      call.typeError(std::string("updates have dtype ") + dtypeName(other) +
                     "; needed one that x's, " + dtypeName(dtype) + ", holds");
  Value rows = call.value(updates, dtype);

  ir::Shape needed = ir::getShape(places);
  needed.insert(needed.end(), shape.begin() + 1, shape.end());
  rows = fitted(call, rows, needed);

  const DimExpr count = call.check(ir::elementCount(ir::getShape(places)));
  places = call.inRange(call.g.reshape(places, {count}), zero, shape.front(),
                        "an index is outside the first axis of x");
  needed = shape;
  needed.front() = count;
  rows = call.g.reshape(rows, needed);
  if (mode == "add")
    return call.tensor(call.g.add(x, call.g.scatterAdd(places, rows, shape)));
  return call.tensor(written(call, x, places, rows));
}

} // namespace keratin::backend

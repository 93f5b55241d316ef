// K::take_along_axis, and what orders lines with it.
#include "frontend/backend/AlongAxis.h"

#include "keratin/shapes.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

std::vector<int64_t> frontend::swapWithLast(int64_t axis, int64_t rank) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[size_t(axis)], order.back());
  return order;
}

// Of all elements in a row: the places of a line are behind those of the lines before.
Value frontend::pickedAlongLast(Call &call, Value x, Value places) {
  ir::GraphMath &g = call.g;
  ir::Shape from = ir::getShape(x), to = ir::getShape(places);
  const DimExpr lines = call.check(ir::elementCount(ir::Shape(from.begin(), from.end() - 1)));
  Value flat = g.reshape(x, {call.check(ir::mul(lines, from.back()))});
  Value rows = g.reshape(places, {lines, to.back()});
  auto type = ir::getTensorType(rows);
  Value length = call.scalar(from.back(), DType::Int64);
  Value starts = g.mul(g.iota(type, 0), g.broadcastScalar(length, ir::getShape(rows)));
  return g.reshape(g.gather(flat, g.add(starts, rows)), to);
}

namespace keratin::backend {

Tensor take_along_axis(const Operand &operand, const Operand &indices, Axis axis,
                       SourceLocation location) {
  Call call("take_along_axis", location);
  Value x = call.value(operand), places = call.value(indices);
  int64_t rank = call.rank(x), place = call.axis(axis, rank);
  if (!isInteger(call.dtypeOf(places)))
    call.typeError(std::string("indices have dtype ") + dtypeName(call.dtypeOf(places)) +
                   "; needed integers");
  if (call.rank(places) != rank)
    call.valueError("indices have shape " + describe(places) + "; needed the rank of x, " +
                    std::to_string(rank));
  // Along other axes both are broadcast.
  const DimExpr length = ir::getShape(x)[size_t(place)],
                count = ir::getShape(places)[size_t(place)];
  ir::Shape from = ir::getShape(x), to = ir::getShape(places);
  from[size_t(place)] = to[size_t(place)] = DimExpr(1);
  from = to = call.broadcastShape(from, to);
  from[size_t(place)] = length;
  to[size_t(place)] = count;
  x = call.broadcastTo(x, from);
  places = call.broadcastTo(places, to);
  places = call.inRange(call.cast(places, DType::Int64), DimExpr(0), length,
                        "an index is outside the axis");
  std::vector<int64_t> order = swapWithLast(place, rank);
  Value taken = pickedAlongLast(call, call.g.transpose(x, order), call.g.transpose(places, order));
  return call.tensor(call.g.transpose(taken, order));
}

} // namespace keratin::backend

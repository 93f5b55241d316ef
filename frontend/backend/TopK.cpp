// K::top_k.
#include "frontend/graph/Call.h"
#include "keratin/reductions.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

// The elements at places along the last axis: of all elements in a row, the places of its lines
// behind those before.
static Value pickedAlongLast(Call &call, Value x, Value places) {
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

  // The axis and the last change places.
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[size_t(place)], order.back());
  x = call.required(call.g.transpose(x, order));
  ir::Shape shape = ir::getShape(x);
  shape.back() = count;
  auto type = ir::getTensorType(shape, call.elementType(DType::Int64));
  Value places = call.builder.create<ir::TopKOp>(call.g.location(), type, x);
  Value values = pickedAlongLast(call, x, places);
  return {call.tensor(call.g.transpose(values, order)),
          call.tensor(call.g.transpose(places, order))};
}

} // namespace keratin::backend

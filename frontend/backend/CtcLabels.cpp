// K function: labels of different lengths as a sparse tensor.
#include "keratin/ctc.h"

#include "frontend/graph/SparseParts.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend {

Tensor ctc_label_dense_to_sparse(const Operand &labels, const Operand &label_lengths,
                                 SourceLocation location) {
  Call call("ctc_label_dense_to_sparse", location);
  ir::GraphMath &g = call.g;
  Value x = call.value(labels), lengths = call.cast(call.value(label_lengths), DType::Int64);
  if (call.rank(x) != 2)
    call.valueError("labels has shape " + describe(x) + "; needed (samples, labels)");
  if (call.rank(lengths) != 1)
    call.valueError("label_lengths has shape " + describe(lengths) + "; needed (samples,)");
  ir::Shape shape = ir::getShape(x);
  lengths = call.requireShape(lengths, {shape[0]}, "the samples of labels and label_lengths");
  mlir::Type integer = call.elementType(DType::Int64);
  lengths = call.inRange(lengths, DimExpr(0), call.check(ir::add(shape[1], DimExpr(1))),
                         "an entry of label_lengths is outside [0, labels]");

  // Which elements count, and the places of those, row by row, moved together in front; what is
  // left out goes behind all.
  DimExpr count = call.check(ir::mul(shape[0], shape[1]));
  Value column = g.iota(ir::getTensorType(shape, integer), 1);
  Value isGiven = g.reshape(g.less(column, g.broadcast(lengths, shape, {0})), {count});
  Value given = g.cast(isGiven, integer);
  Value place = g.iota(ir::getTensorType({count}, integer), 0);
  Value end = g.broadcastScalar(call.scalar(count, DType::Int64), {count});
  Value target = g.select(isGiven, g.cumsum(given, 0, /*exclusive=*/true), end);
  Value moved = g.scatterAdd(target, place, {call.check(ir::add(count, DimExpr(1)))});
  Value places =
      call.truncate(g.slice(moved, {DimExpr(0)}, {count}, {1}), g.reduceSum(given, {0}), 0);

  Value width = g.broadcastScalar(g.count(x, {1}, integer), ir::getShape(places));
  SparseParts parts{g.floorDiv(places, width), g.mod(places, width),
                    g.gather(g.reshape(x, {count}), places), shape};
  return call.tensor(sparseMatrix(call, parts));
}

} // namespace keratin::backend

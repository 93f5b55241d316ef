#include "frontend/graph/SparseParts.h"

using namespace keratin;
using namespace keratin::frontend;

std::optional<SparseParts> frontend::sparseParts(Value value) {
  auto op = value.getDefiningOp<ir::SparseMatrixOp>();
  if (!op)
    return std::nullopt;
  return SparseParts{op.getRows(), op.getColumns(), op.getValues(), ir::getShape(op.getY())};
}

std::optional<SparseParts> frontend::sparseParts(const Operand &operand) {
  if (!operand.isTensor() || operand.tensor().isEmpty())
    return std::nullopt;
  return sparseParts(valueOf(operand.tensor()));
}

bool frontend::hasSparseRole(const Tensor &tensor, ir::SparseRole role) {
  auto op = valueOf(tensor).getDefiningOp<ir::SparseMatrixOp>();
  return op && op.getRole() == role;
}

Value frontend::sparseMatrix(Call &call, const SparseParts &parts, ir::SparseRole role) {
  auto type = ir::getTensorType(parts.shape, ir::getElementType(parts.values));
  return call.builder.create<ir::SparseMatrixOp>(call.g.location(), type, parts.rows, parts.columns,
                                                 parts.values, role);
}

void frontend::requireSizes(Call &call, const SparseParts &parts) {
  for (const DimExpr &size : parts.shape)
    if (!size.isConstant())
      call.requireAtLeast(size, DimExpr(0), "the sizes of a sparse tensor must be 0 or more");
}

Value frontend::toDense(Call &call, const SparseParts &parts) {
  requireSizes(call, parts);
  ir::GraphMath &g = call.g;
  // As one row: place (i, j) is i * columns + j.
  DimExpr total = call.check(ir::mul(parts.shape[0], parts.shape[1]));
  Value columns = call.scalar(parts.shape[1], DType::Int64);
  Value width = g.broadcastScalar(columns, ir::getShape(parts.rows));
  Value place = g.add(g.mul(parts.rows, width), parts.columns);
  bool isBool = call.dtypeOf(parts.values) == DType::Bool;
  Value values = isBool ? call.cast(parts.values, DType::Int32) : parts.values;
  Value sums = g.scatterAdd(place, values, {total});
  return g.reshape(isBool ? call.cast(sums, DType::Bool) : sums, parts.shape);
}

Tensor frontend::fetched(const char *function, const Tensor &tensor, SourceLocation location) {
  Call call(function, location);
  std::optional<SparseParts> parts = sparseParts(tensor);
  return parts ? call.tensor(toDense(call, *parts)) : tensor;
}

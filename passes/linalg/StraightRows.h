// A few rows of one matrix without a loop: a kernel has them in registers, some columns at a time.
// Of a batch the elements of a triangle would differ from one matrix to the next within the kernel.
#ifndef KERATIN_PASSES_LINALG_STRAIGHTROWS_H
#define KERATIN_PASSES_LINALG_STRAIGHTROWS_H

#include "ir/builder/MatrixMath.h"

namespace keratin::passes {

inline bool isOneMatrix(llvm::ArrayRef<ir::DimExpr> shape) {
  return llvm::all_of(shape.drop_back(2),
                      [](const ir::DimExpr &size) { return size == ir::DimExpr(1); });
}

// One number of each matrix, which is in all places of matrices like x then.
inline mlir::Value elementOf(ir::GraphMath &g, mlir::Value x, int64_t row, int64_t column) {
  ir::Shape batches = ir::getShape(x);
  batches.resize(batches.size() - 2);
  return g.reshape(ir::matrixPart(g, x, row, 1, column, 1), batches);
}
inline mlir::Value repeatMatrix(ir::GraphMath &g, mlir::Value number, mlir::Value x) {
  const int64_t rank = ir::getTensorType(x).getRank();
  return g.broadcastAlong(number, ir::getShape(x), {rank - 2, rank - 1});
}

// The axis in blocks of so many, which stand behind their numbers.
inline mlir::Value axisInBlocks(ir::GraphMath &g, mlir::Value x, size_t axis, int64_t size) {
  ir::Shape shape = ir::getShape(x);
  const int64_t blocks = shape[axis].constantValue() / size;
  shape[axis] = size;
  shape.insert(shape.begin() + axis, ir::DimExpr(blocks));
  return g.reshape(x, shape);
}

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_STRAIGHTROWS_H

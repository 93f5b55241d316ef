// Matrices in the last two dimensions; the ones before are batches, the same of all operands.
#ifndef KERATIN_IR_BUILDER_MATRIXMATH_H
#define KERATIN_IR_BUILDER_MATRIXMATH_H

#include "ir/builder/GraphMath.h"

#include <optional>

namespace keratin::ir {

// Rows and columns change places.
mlir::Value matrixTranspose(GraphMath &g, mlir::Value x);
// a b, of either its transpose if asked for.
struct ProductOf {
  bool aTransposed = false, bTransposed = false;
};
mlir::Value matrixProduct(GraphMath &g, mlir::Value a, mlir::Value b, ProductOf of = {});

// The number of the column minus that of the row, in each place of matrices like x: int64.
mlir::Value diagonalNumbers(GraphMath &g, mlir::Value x);
// x on the diagonals first to last, 0 elsewhere; nullopt: as far as there are any.
mlir::Value diagonalBand(GraphMath &g, mlir::Value x, std::optional<int64_t> first,
                         std::optional<int64_t> last);
inline mlir::Value lowerTriangle(GraphMath &g, mlir::Value x, int64_t last = 0) {
  return diagonalBand(g, x, std::nullopt, last);
}
inline mlir::Value upperTriangle(GraphMath &g, mlir::Value x, int64_t first = 0) {
  return diagonalBand(g, x, first, std::nullopt);
}
// x with this number on the main diagonal.
mlir::Value withDiagonal(GraphMath &g, mlir::Value x, double number);
inline mlir::Value unitMatrices(GraphMath &g, mlir::Value like) {
  return withDiagonal(g, g.zeroLike(like), 1);
}
// The elements of the main diagonal of square matrices: the last dimension leaves.
mlir::Value mainDiagonal(GraphMath &g, mlir::Value x);

// Some rows, some columns.
mlir::Value matrixPart(GraphMath &g, mlir::Value x, const DimExpr &firstRow, const DimExpr &rows,
                       const DimExpr &firstColumn, const DimExpr &columns);
// Row i of the result is row rows[i] of x, of each matrix by itself; x may have no columns, being a
// vector in each batch.
mlir::Value gatherRows(GraphMath &g, mlir::Value x, mlir::Value rows);
// The other way round: row rows[i] of the result is row i of x. Precondition: a permutation.
mlir::Value scatterRows(GraphMath &g, mlir::Value x, mlir::Value rows);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_MATRIXMATH_H

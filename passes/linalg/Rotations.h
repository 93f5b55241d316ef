// Rotations of Jacobi, by which the rows of matrices become orthogonal to each other.
#ifndef KERATIN_PASSES_LINALG_ROTATIONS_H
#define KERATIN_PASSES_LINALG_ROTATIONS_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// J x with an orthogonal J, such that of each two rows the first `compared` elements are orthogonal
// as far as the element type tells. Rows that are so are left as they are, those with NaN too.
mlir::Value withOrthogonalRows(ir::GraphMath &g, mlir::Value x, const ir::DimExpr &compared);

// Rows whose sign is such that the first of their largest elements is positive; those a thousandth
// smaller count as largest too, so that rounding does not choose. 1 or -1 for each row.
mlir::Value signsOfRows(ir::GraphMath &g, mlir::Value x);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_ROTATIONS_H

// Eigenvalues and eigenvectors of symmetric matrices, in two ways.
#ifndef KERATIN_PASSES_LINALG_EIGEN_H
#define KERATIN_PASSES_LINALG_EIGEN_H

#include "passes/linalg/Tridiagonal.h"

namespace keratin::passes {

// Rows up to which rotations are faster.
constexpr int64_t kTurnedRows = 16;

// Values ascending, and the eigenvectors as rows, whose signs are any; null if not asked for.
struct Eigen {
  mlir::Value values, rows;
};

// By rotations of Jacobi: of any size, known or not.
Eigen eigenByRotations(ir::GraphMath &g, mlir::Value x);

// By division: T falls into two where an element beside the diagonal is taken out, whose
// eigenvectors give those of T. Of two rows or more, their number known; the largest element of T
// is 1 in size, or T is 0. Gives so many of the largest values.
Eigen eigenByDivision(ir::GraphMath &g, const Tridiagonal &t, int64_t count, bool hasVectors);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_EIGEN_H

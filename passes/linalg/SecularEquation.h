// Eigenvalues and eigenvectors of D + rho z z^T with a diagonal D.
#ifndef KERATIN_PASSES_LINALG_SECULAREQUATION_H
#define KERATIN_PASSES_LINALG_SECULAREQUATION_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// Numbers on the diagonal from here on stand for nothing: they are left alone.
constexpr double kAboveAll = 4;

// One in each batch: elements of D and z, in any order, along the last dimension, and rho, which is
// not negative. Nothing is larger than about 3 in size; errors are roundings of 1.
struct SecularEquation {
  mlir::Value poles, weights, factor;
};

struct SecularRoots {
  mlir::Value values; // ascending
  mlir::Value rows;   // the eigenvectors; null if not asked for
};

// So many of them, from this one of all.
SecularRoots solved(ir::GraphMath &g, const SecularEquation &equation, int64_t first, int64_t count,
                    bool needsRows);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_SECULAREQUATION_H

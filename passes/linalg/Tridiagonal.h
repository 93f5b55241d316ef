// Symmetric matrices of known sizes as Q T Q^T with tridiagonal T.
#ifndef KERATIN_PASSES_LINALG_TRIDIAGONAL_H
#define KERATIN_PASSES_LINALG_TRIDIAGONAL_H

#include "passes/linalg/Reflections.h"

namespace keratin::passes {

// What lies on the diagonal, and beside it, of which there is one element less.
struct Tridiagonal {
  mlir::Value diagonal, beside;
};

struct TridiagonalFactors {
  Tridiagonal t;
  llvm::SmallVector<ReflectionPanel> panels; // their product is Q
};

// Of two rows or more, their number known. Q is not made unless it is needed: without, panels have
// no triangles.
TridiagonalFactors tridiagonalOf(ir::GraphMath &g, mlir::Value x, bool hasVectors);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_TRIDIAGONAL_H

// Square matrices of known sizes as U B V^T with an upper bidiagonal B.
#ifndef KERATIN_PASSES_LINALG_BIDIAGONAL_H
#define KERATIN_PASSES_LINALG_BIDIAGONAL_H

#include "passes/linalg/Reflections.h"

namespace keratin::passes {

struct BidiagonalFactors {
  mlir::Value diagonal, beside;            // as long: the last element of `beside` is 0
  llvm::SmallVector<ReflectionPanel> u, v; // without triangles unless vectors are asked for
};

BidiagonalFactors bidiagonalOf(ir::GraphMath &g, mlir::Value x, bool hasVectors);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_BIDIAGONAL_H

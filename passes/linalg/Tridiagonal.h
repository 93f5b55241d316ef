// Symmetric matrices of known sizes as Q T Q^T with tridiagonal T.
#ifndef KERATIN_PASSES_LINALG_TRIDIAGONAL_H
#define KERATIN_PASSES_LINALG_TRIDIAGONAL_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// What lies on the diagonal, and beside it, of which there is one element less.
struct Tridiagonal {
  mlir::Value diagonal, beside;
};

// The reflections of some columns, which leave the rows before `first` alone.
struct TridiagonalPanel {
  int64_t first;
  mlir::Value vectors, triangle;
};

struct TridiagonalFactors {
  Tridiagonal t;
  llvm::SmallVector<TridiagonalPanel> panels; // their product is Q
};

// Of two rows or more, their number known. Q is not made unless it is needed: without, panels have
// no triangles.
TridiagonalFactors tridiagonalOf(ir::GraphMath &g, mlir::Value x, bool hasVectors);

// Each row times Q^T: Q times what stands transposed.
mlir::Value timesQ(ir::GraphMath &g, mlir::Value rows, llvm::ArrayRef<TridiagonalPanel> panels);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_TRIDIAGONAL_H

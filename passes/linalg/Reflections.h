// Reflections of Householder. Those of a panel in their order are I - V T V^T, V having them as
// columns; here V stands transposed.
#ifndef KERATIN_PASSES_LINALG_REFLECTIONS_H
#define KERATIN_PASSES_LINALG_REFLECTIONS_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// The v of I - v v^T, which takes a column to a multiple of the unit vector at the place, whose
// sign is opposite to that of the element there; elements before are left. v has length sqrt(2), or
// 0 if there are only zeros behind the place.
mlir::Value reflectorOf(ir::GraphMath &g, mlir::Value column, mlir::Value place, size_t axis);

// The T of these vectors.
mlir::Value triangleOf(ir::GraphMath &g, mlir::Value vectors);

// Takes from rows x what the reflections, or their transpose, take from the columns x^T.
mlir::Value reflected(ir::GraphMath &g, mlir::Value x, mlir::Value vectors, mlir::Value triangle,
                      bool transposed);

// The reflections of some columns, which leave the rows before `first` alone.
struct ReflectionPanel {
  int64_t first;
  mlir::Value vectors, triangle;
};

// The columns that a panel has where each works on what the one before it leaves: smaller panels
// walk less, and are more code.
int64_t shrinkingPanelWidth(int64_t columns);

// Each row times the transpose of the product of the panels: it times what stands transposed.
mlir::Value reflectedByAll(ir::GraphMath &g, mlir::Value rows,
                           llvm::ArrayRef<ReflectionPanel> panels);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_REFLECTIONS_H

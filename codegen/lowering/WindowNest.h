// What ops over windows compute, as few dimensions.
#ifndef KERATIN_CODEGEN_LOWERING_WINDOWNEST_H
#define KERATIN_CODEGEN_LOWERING_WINDOWNEST_H

#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/WindowShape.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

// One dimension, or several neighbouring ones along which nothing slides.
struct JoinedWindowDim : ir::WindowDim {
  ir::DimExpr xStep = 1, yStep = 1; // elements from one index to the next
  int group = -1;                   // of the kernel's loops; none where there is one window
};
using WindowDims = llvm::SmallVector<JoinedWindowDim>;

// The dimensions without those of one element. They are joined as far as the loops of the kernel
// have them together; without a space, as far as windows allow.
WindowDims joinedWindowDims(mlir::Operation *op, const ir::IterationSpace *space = nullptr);
// Elements that lie under a window, at most.
ir::DimExpr elementsUnder(const WindowDims &dims);
// "nest: 8, 28 windows of 2 by 2 over 56, 64"
void print(llvm::raw_ostream &out, const WindowDims &dims);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_WINDOWNEST_H

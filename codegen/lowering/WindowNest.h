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
// How many windows there are, and elements of x.
ir::DimExpr windowsOf(const WindowDims &dims);
ir::DimExpr elementsOf(const WindowDims &dims);
// "nest: 8, 28 windows of 2 by 2 over 56, 64"
void print(llvm::raw_ostream &out, const WindowDims &dims);

// Windows that neighbour each other along a dimension, computed together: which elements of x,
// counted from the first element under the first of them, lie under any.
struct WindowTile {
  unsigned windows = 0; // side by side; 0: none fit
  int64_t elements = 0; // under all of them
  llvm::SmallVector<bool> used;

  int64_t usedElements() const { return llvm::count(used, true); }
};
WindowTile windowTile(const JoinedWindowDim &dim, unsigned windows);

// A sum of what lies under each window, its largest element, or the element of another tensor in
// the place of that. Windows of one dimension, the column, neighbour each other: the last that
// slides, or the last of all where that slides too. Each index of the others is a row of windows.
struct WindowReductionNest {
  enum class Choice { Sum, Largest, Picked };

  WindowReductionNest(mlir::Operation *op, ir::IterationSpace space);

  mlir::Operation *op;
  ir::IterationSpace space;
  WindowDims dims;
  Choice choice;
  unsigned column = 0;
  llvm::SmallVector<unsigned> rowDims; // before the last

  const JoinedWindowDim &columnDim() const { return dims[column]; }
  // Whether neighbours in memory are under neighbouring windows; else under the same.
  bool isAlong() const { return column + 1 == dims.size(); }
  ir::DimExpr rows() const;
};

// Zeros, and for each window a number added where its largest element is. Slices, indices of the
// dimensions that do not slide, never meet.
struct WindowScatterNest {
  explicit WindowScatterNest(ir::WindowScatterOp op);

  ir::WindowScatterOp op;
  WindowDims dims;
  llvm::SmallVector<unsigned> sliding, still; // dimensions before the last

  // Whether the last dimension slides too, or is the only one.
  bool isAlong() const { return dims.back().slides() || sliding.empty(); }
  // Whether two windows can have an element in common.
  bool overlap() const;
  // Whether each element is known to lie under exactly one window: it is written with that one.
  bool cover() const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_WINDOWNEST_H

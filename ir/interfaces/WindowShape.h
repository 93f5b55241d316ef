// The dimensions of an op over windows by what they do.
#ifndef KERATIN_IR_INTERFACES_WINDOWSHAPE_H
#define KERATIN_IR_INTERFACES_WINDOWSHAPE_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// One dimension of what windows slide over.
struct WindowDim {
  DimExpr x, y; // its size, and how many windows there are
  int64_t window = 1, stride = 1, xDilation = 1;
  DimExpr low = 0;

  // If not, each index is a window of its own: the dimension is one like a batch.
  bool slides() const {
    return window != 1 || stride != 1 || xDilation != 1 || low != DimExpr(0) || x != y;
  }
};

// Of window_sum, window_max, window_pick or window_scatter.
llvm::SmallVector<WindowDim> getWindowDims(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_WINDOWSHAPE_H

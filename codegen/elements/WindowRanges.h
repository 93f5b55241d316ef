// Where windows are, and what lies under them.
#ifndef KERATIN_CODEGEN_ELEMENTS_WINDOWRANGES_H
#define KERATIN_CODEGEN_ELEMENTS_WINDOWRANGES_H

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/KernelFunction.h"
#include "codegen/lowering/WindowNest.h"

namespace keratin::codegen {

// Windows are places in z, which is x with dilation - 1 zeros between neighbours: the one at o
// covers [o * stride - low, o * stride - low + window). Which elements of x that are is arithmetic
// on bounds; nothing is copied, and nothing outside of x is read.
class WindowRanges {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  WindowRanges(KernelBuilder &k, LoopEmitter &e, const WindowDims &dims) : k(k), e(e), dims(dims) {}

  // Indices of x along one dimension, empty if not from < to.
  struct Range {
    Value from, to;
  };
  Range under(const JoinedWindowDim &dim, Value window);
  // The windows that an index of x lies under.
  Range above(const JoinedWindowDim &dim, Value index);
  // Whether no range is empty; null if there are none.
  Value anyInside(llvm::ArrayRef<Range> ranges);

  // The dimensions whose index is fixed for a while: where they start in both tensors, and the
  // ranges of those among them that slide.
  struct Fixed {
    Value x, y;
    llvm::SmallVector<Range> ranges;
    Values steps; // of the ranges
    Values index; // for each dimension, null where it is not fixed
  };
  // Makes indices of the dimensions out of a number that counts them row by row.
  Fixed fix(llvm::ArrayRef<unsigned> which, Value number);
  void fixWindow(Fixed &fixed, unsigned dim, Value window);
  // The offset of the first element under the fixed windows.
  Value firstOffset(const Fixed &fixed);

  using ElementBody = llvm::function_ref<Values(Value offset, llvm::ArrayRef<Value> state)>;
  // All elements in the ranges in row-major order; `offset` is that of the ranges' zero.
  Values forEachElement(llvm::ArrayRef<Range> ranges, llvm::ArrayRef<Value> steps, Value offset,
                        llvm::ArrayRef<Value> state, ElementBody body);

private:
  KernelBuilder &k;
  LoopEmitter &e;
  const WindowDims &dims;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_WINDOWRANGES_H

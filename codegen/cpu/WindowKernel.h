// What the kernels of ops over windows share: the elements that lie under a window, and loops over
// them.
#ifndef KERATIN_CODEGEN_CPU_WINDOWKERNEL_H
#define KERATIN_CODEGEN_CPU_WINDOWKERNEL_H

#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/WindowNest.h"

namespace keratin::codegen {

// Lanes of a vector of what the op reads and makes.
unsigned windowLanes(mlir::Operation *op, const MachineTarget &target);

// Windows are places in z, which is x with dilation - 1 zeros between neighbours: the one at o
// covers [o * stride - low, o * stride - low + window). Which elements of x that are is arithmetic
// on bounds; nothing is copied, and nothing outside of x is read.
class WindowKernel : protected SingleOpKernel {
protected:
  WindowKernel(CpuKernelBuilder &k, mlir::Operation *op, const WindowDims &dims, unsigned lanes)
      : SingleOpKernel(k, op, lanes), dims(dims), e(k.b, op->getLoc(), k.target),
        type(ir::getElementType(op->getOperand(0))) {}

  // Indices of x along one dimension, empty if not from < to.
  struct Range {
    Value from, to;
  };
  Range under(const JoinedWindowDim &dim, Value window);
  // Whether no range is empty; null if there are none.
  Value anyInside(ArrayRef<Range> ranges);

  // The dimensions whose index is fixed for a while: where they start in both tensors, and the
  // ranges of those among them that slide.
  struct Fixed {
    Value x, y;
    SmallVector<Range> ranges;
    SmallVector<Value> steps; // of the ranges
    SmallVector<Value> index; // for each dimension, null where it is not fixed
  };
  // Makes indices of the dimensions out of a number that counts them row by row.
  Fixed fix(ArrayRef<unsigned> which, Value number);
  void fixWindow(Fixed &fixed, unsigned dim, Value window);
  // The offset of the first element under the fixed windows.
  Value firstOffset(const Fixed &fixed);
  // All elements in the ranges in row-major order; `offset` is that of the ranges' zero.
  SmallVector<Value>
  forEachElement(ArrayRef<Range> ranges, ArrayRef<Value> steps, Value offset, ArrayRef<Value> state,
                 llvm::function_ref<SmallVector<Value>(Value offset, ArrayRef<Value> state)> body);

  // The last dimension in blocks of up to `most` vectors; masks are null where all lanes exist.
  void
  forEachLaneBlock(unsigned most,
                   llvm::function_ref<void(ArrayRef<Value> starts, ArrayRef<Value> masks)> body);
  // Lanes are windows that neighbour each other along the last dimension. Each has elements under
  // it in steps that all lanes take together.
  struct LaneWindows {
    Value from, to; // of the steps
    Value first;    // index of x at step 0 of the first lane, may be negative; null if dilated
    Value element;  // for each lane the index of x at step 0
    Value skipped;  // dilated: for each lane the places of its window before that element
  };
  LaneWindows laneWindows(Value firstWindow);
  struct Lanes {
    Index offset;
    Value mask;
  };
  // What the lanes have at a step, in the row of x that starts at the offset.
  Lanes atStep(const LaneWindows &windows, Value step, Value rowOffset);
  // The first element under each lane; the mask says which lanes have one.
  Lanes firstUnderLanes(const LaneWindows &windows, Value rowOffset);

  Value bothMasks(Value a, Value b); // either may be null
  Value select(Value condition, Value a, Value b);
  // At an offset in elements from the pointer; lanes that the mask excludes read zero.
  Value load(Value pointer, mlir::Type elementType, const Index &offset, Value mask);
  void store(Value registers, Value pointer, mlir::Type elementType, const Index &offset,
             Value mask);
  // A vector of what no element is less than.
  Value leasts(mlir::Type elementType);

  const WindowDims &dims;
  LoopEmitter e;
  mlir::Type type; // of x
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_WINDOWKERNEL_H

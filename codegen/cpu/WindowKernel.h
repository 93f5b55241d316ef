// What the kernels of ops over windows share on a CPU: lanes along a dimension and lanes that are
// windows, and their elements.
#ifndef KERATIN_CODEGEN_CPU_WINDOWKERNEL_H
#define KERATIN_CODEGEN_CPU_WINDOWKERNEL_H

#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/WindowRanges.h"

namespace keratin::codegen {

// Lanes of a vector of what the op reads and makes.
unsigned windowLanes(mlir::Operation *op, const MachineTarget &target);

// On vectors; where windows are says WindowRanges.
class WindowKernel : protected SingleOpKernel {
protected:
  WindowKernel(CpuKernelBuilder &k, mlir::Operation *op, const WindowDims &dims, unsigned lanes)
      : SingleOpKernel(k, op, lanes), dims(dims), e(k.b, op->getLoc(), k.target),
        ranges(k, e, dims), type(ir::getElementType(op->getOperand(0))) {}

  using Range = WindowRanges::Range;
  using Fixed = WindowRanges::Fixed;

  // The last dimension in blocks of up to `most` vectors; masks are null where all lanes exist.
  void forEachLaneBlock(unsigned most, llvm::function_ref<void(const Columns &columns)> body);
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
  WindowRanges ranges;
  mlir::Type type; // of x
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_WINDOWKERNEL_H

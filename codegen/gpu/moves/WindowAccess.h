// How a thread of a device takes what lies under a window.
#ifndef KERATIN_CODEGEN_GPU_MOVES_WINDOWACCESS_H
#define KERATIN_CODEGEN_GPU_MOVES_WINDOWACCESS_H

#include "codegen/elements/WindowRanges.h"
#include "codegen/gpu/moves/DeviceOpKernel.h"
#include "codegen/lowering/WindowNest.h"

namespace keratin::codegen {

struct WindowAccess {
  WindowAccess(const WindowDims &dims, mlir::Type elementType);

  // Elements along each dimension that slides of small windows, which are written out where they
  // are inside; of others none, they are walked in loops.
  llvm::SmallVector<int64_t> writtenOut;
  bool areInside = false; // known of all windows
  // Neighbours along the last dimension that are one access, as many as windows are apart: threads
  // next to each other leave no gaps.
  int64_t neighbours = 1;

  void print(llvm::raw_ostream &out) const;
};

// Base of the emitters.
class WindowThread : protected DeviceOpKernel {
protected:
  using Fixed = WindowRanges::Fixed;

  WindowThread(DeviceKernelBuilder &k, mlir::Operation *op, const WindowDims &dims,
               const WindowAccess &access)
      : DeviceOpKernel(k, op), dims(dims), access(access), ranges(k, e, dims),
        type(ir::getElementType(op->getOperand(0))) {}

  // The window that is so manieth in row-major order.
  Fixed windowAt(Value number);
  // What is under a window, element by element in row-major order: its offset in x, and its value.
  using Body = llvm::function_ref<Values(llvm::ArrayRef<Value> state, Value offset, Value element)>;
  Values fold(const Fixed &window, llvm::ArrayRef<Value> state, Body body);
  // The two ways: of a window that is inside and written out, whose elements have these offsets; of
  // any.
  Values foldWrittenOut(llvm::ArrayRef<Value> offsets, llvm::ArrayRef<Value> state, Body body);
  Values foldInLoops(const Fixed &window, llvm::ArrayRef<Value> state, Body body);
  Values eitherWay(const Fixed &window, mlir::TypeRange types,
                   llvm::function_ref<Values(llvm::ArrayRef<Value> offsets)> writtenOut,
                   llvm::function_ref<Values()> inLoops);
  // The first largest element of a window, and its offset. Precondition: there is one.
  Values beginLargest(const Fixed &window);
  Values keepLarger(llvm::ArrayRef<Value> best, Value offset, Value element);
  Value placeOfLargest(const Fixed &window);

  // Neighbours along the last dimension: at once where they begin on multiples of the access, else
  // one by one. LLVM would make one of both if the latter were not volatile.
  bool accessesNeighbours(mlir::Type elementType) const;
  Value areNeighboursAligned(Value pointer, mlir::Type elementType);
  Values loadNeighbours(Value pointer, mlir::Type elementType, Value offset, bool atOnce);
  void storeNeighbours(llvm::ArrayRef<Value> elements, Value pointer, mlir::Type elementType,
                       Value offset, bool atOnce);

  const WindowDims &dims;
  const WindowAccess &access;
  WindowRanges ranges;
  mlir::Type type; // of x

private:
  // A register as it lies in memory, and back.
  Value fromMemory(Value stored, mlir::Type elementType);
  Value toMemory(Value registers, mlir::Type elementType);
  Values offsetsUnder(const Fixed &window);
  Values elementsAt(llvm::ArrayRef<Value> offsets);
  Value isWhole(const Fixed &window);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_WINDOWACCESS_H

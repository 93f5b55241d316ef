// Units that make a result together, each a part of it.
#ifndef KERATIN_CODEGEN_GPU_THREADS_MEETING_H
#define KERATIN_CODEGEN_GPU_THREADS_MEETING_H

#include "codegen/gpu/DevicePlan.h"

namespace keratin::codegen {

// Blocks leave their parts in the device's memory. The one that comes last puts them together, in
// the order of the units, whichever it is: the result follows from the shapes alone.
class Meeting {
public:
  Meeting(DeviceKernelBuilder &k, const DevicePlan &plan) : k(k), partBytes(plan.partBytes) {}

  // Where the unit (i64) leaves its part, of DevicePlan::partBytes, as a pointer.
  mlir::Value part(mlir::Value unit);
  // Of a block that has left its part: whether all of so many have (i1, the same for all threads).
  // It may read them then. `number` is the result's among those of the launch, less than
  // KERATIN_CUDA_COUNTERS_OF_CALL. Both are i64. All threads of the block come here.
  mlir::Value isLast(mlir::Value number, mlir::Value parts);

  // A word of 32 bits for the units of a launch, 0 when the kernel begins and when it ends.
  mlir::Value counter(mlir::Value number);
  // What the counter is (i32) before it goes up by one; behind `last` it begins again at 0.
  mlir::Value countUp(mlir::Value counter, mlir::Value last);
  // What this thread has written before it is seen before what it writes after.
  void fence();

private:
  mlir::Value meet(mlir::Value number, mlir::Value parts);

  DeviceKernelBuilder &k;
  int64_t partBytes;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_MEETING_H

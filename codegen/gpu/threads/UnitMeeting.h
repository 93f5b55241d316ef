// Units that make a result together, of which each thread of a column has a part.
#ifndef KERATIN_CODEGEN_GPU_THREADS_UNITMEETING_H
#define KERATIN_CODEGEN_GPU_THREADS_UNITMEETING_H

#include "codegen/gpu/threads/Meeting.h"
#include "codegen/gpu/threads/ThreadMeeting.h"

namespace keratin::codegen {

class UnitMeeting {
public:
  using Value = mlir::Value;

  // Values of so many bytes (Slot) for each column of the threads.
  UnitMeeting(DeviceKernelBuilder &k, const DevicePlan &plan, ThreadMeeting &threads,
              llvm::ArrayRef<int64_t> slots, unsigned columns);

  // DevicePlan::partBytes.
  static int64_t partBytes(llvm::ArrayRef<int64_t> slots, unsigned columns);

  // The first thread of each column leaves what all of them have.
  void leave(Value unit, llvm::ArrayRef<Value> values);
  // See Meeting. All threads of the block come here.
  Value isLast(Value number, Value parts) {
    threads.haveWaited();
    return meeting.isLast(number, parts);
  }
  // What a unit has left for the thread's column, of the types of these values.
  llvm::SmallVector<Value> left(Value unit, llvm::ArrayRef<Value> like);

private:
  Value slot(Value unit, unsigned number);

  DeviceKernelBuilder &k;
  Meeting meeting;
  ThreadMeeting &threads;
  llvm::SmallVector<int64_t> slots;
  unsigned columns;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_UNITMEETING_H

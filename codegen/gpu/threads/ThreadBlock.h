// What the threads of a block share.
#ifndef KERATIN_CODEGEN_GPU_THREADS_THREADBLOCK_H
#define KERATIN_CODEGEN_GPU_THREADS_THREADBLOCK_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Address spaces of pointers: the device's memory; what the threads of a block share.
inline constexpr unsigned globalMemory = 1, sharedMemory = 3;

// The threads of a block, all of which come to the same barrier together.
class ThreadBlock {
public:
  ThreadBlock(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  // The number of this thread in its block, as i64.
  mlir::Value thread();
  // The same, read anew: what is computed of it is computed again for each unit, where it would be
  // held in registers from the first to the last.
  mlir::Value threadAnew();
  // Waits for all; what they have written to the block's memory, or to the device's, they see.
  void barrier();
  // The same, and whether the condition holds for any of them.
  mlir::Value any(mlir::Value condition);
  // The beginning of the block's memory (DevicePlan::sharedBytes), a multiple of so many bytes, as
  // a pointer into sharedMemory.
  mlir::Value memory(uint64_t alignment = 16);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_THREADBLOCK_H

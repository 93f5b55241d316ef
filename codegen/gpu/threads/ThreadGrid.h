// The threads of a launch.
#ifndef KERATIN_CODEGEN_GPU_THREADS_THREADGRID_H
#define KERATIN_CODEGEN_GPU_THREADS_THREADGRID_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Reads the number of a thread in its block.
inline constexpr const char *threadAssembly = "mov.u32 $0, %tid.x;";

// Numbers of threads and blocks in a grid, as i64. All are read anew where they are asked for: a
// loop that meets again and again holds none of what follows from them in registers.
class ThreadGrid {
public:
  ThreadGrid(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value block();
  mlir::Value blocks();
  // This thread's, in the block or in the whole grid, and how many there are of them.
  mlir::Value threadOfBlock();
  mlir::Value thread();
  mlir::Value threads();

private:
  mlir::Value read(const char *assembly);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_THREADGRID_H

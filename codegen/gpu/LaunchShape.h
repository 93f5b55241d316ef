// How a kernel is launched on a device of CUDA's.
#ifndef KERATIN_CODEGEN_GPU_LAUNCHSHAPE_H
#define KERATIN_CODEGEN_GPU_LAUNCHSHAPE_H

#include "runtime/abi/keratin_cuda_abi.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace keratin::codegen {

struct LaunchShape {
  int64_t slots = 0;        // of argv
  unsigned unitThreads = 1; // that do a unit together: 1, a part of a warp, a warp, or a block
  bool isWhole = false; // the function is what a thread does from first to last: it has no units
  bool hasFewBlocks = false; // for each multiprocessor
  keratin_cuda_kernel_t launch = {};

  // Threads that do units; of a unit that has shared memory, or more threads than a warp, all of a
  // block. Each unit may leave others so many bytes.
  static LaunchShape ofUnits(int64_t slots, unsigned unitThreads = 1, int64_t sharedBytes = 0,
                             int64_t partBytes = 0);
  // Threads of a grid whose blocks are resident at once.
  static LaunchShape ofLoop(unsigned blockThreads, int64_t sharedBytes = 0, int64_t partBytes = 0);
};

// "128 threads a block", for people.
void print(llvm::raw_ostream &out, const keratin_cuda_kernel_t &launch);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_LAUNCHSHAPE_H

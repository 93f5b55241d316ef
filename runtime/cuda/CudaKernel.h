// A kernel that the driver has loaded, and how it is launched.
#ifndef KERATIN_RUNTIME_CUDA_CUDAKERNEL_H
#define KERATIN_RUNTIME_CUDA_CUDAKERNEL_H

#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/cuda/Driver.h"

namespace keratin::cuda {

struct CudaKernel {
  CUfunction function = nullptr;
  const char *name = ""; // the descriptor's
  keratin_cuda_kernel_t shape = {};
  uint32_t maxBlocks = 0; // of the grid; of a cooperative kernel no more than are resident
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAKERNEL_H

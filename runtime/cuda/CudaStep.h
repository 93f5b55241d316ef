// One thing that a device does. What a call puts into its streams it puts there step by step, so
// that the steps can be put into a graph later as they were.
#ifndef KERATIN_RUNTIME_CUDA_CUDASTEP_H
#define KERATIN_RUNTIME_CUDA_CUDASTEP_H

#include "runtime/cuda/CudaLanes.h"
#include "runtime/cuda/CudaModule.h"

namespace keratin::cuda {

struct CudaStep {
  enum class Kind { CopyIn, CopyOut, CopyWithin, Fill, Launch, Fork, Join };

  static CudaStep copyIn(CUdeviceptr to, const void *from, size_t bytes) {
    return {.kind = Kind::CopyIn, .to = to, .host = const_cast<void *>(from), .bytes = bytes};
  }
  static CudaStep copyOut(void *to, CUdeviceptr from, size_t bytes) {
    return {.kind = Kind::CopyOut, .from = from, .host = to, .bytes = bytes};
  }
  static CudaStep copyWithin(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return {.kind = Kind::CopyWithin, .to = to, .from = from, .bytes = bytes};
  }
  static CudaStep fill(CUdeviceptr to, uint8_t byte, size_t bytes) {
    return {.kind = Kind::Fill, .to = to, .bytes = bytes, .byte = byte};
  }
  static CudaStep launch(const CudaKernel &kernel, unsigned blocks, const int64_t *parameters,
                         int32_t numParameters) {
    return {.kind = Kind::Launch,
            .kernel = &kernel,
            .blocks = blocks,
            .parameters = parameters,
            .numParameters = numParameters};
  }

  // Work of another library's, beside what follows; the words are its parameters.
  static CudaStep fork(const keratin_stream_work_t &work) {
    return {.kind = Kind::Fork,
            .parameters = work.words,
            .numParameters = int32_t(work.num_words),
            .put = work.put,
            .user = work.user};
  }
  static CudaStep join() { return {.kind = Kind::Join}; }

  // A parameter block holds 4 KiB.
  static constexpr int32_t maxParameters = 512;

  Kind kind;
  CUdeviceptr to = 0, from = 0;
  void *host = nullptr; // pinned
  size_t bytes = 0;
  uint8_t byte = 0;
  const CudaKernel *kernel = nullptr;
  unsigned blocks = 0;
  const int64_t *parameters = nullptr;
  int32_t numParameters = 0;
  decltype(keratin_stream_work_t::put) put = nullptr;
  void *user = nullptr;
};

// With the device's context current.
Code putIntoStream(CudaDevice &device, CudaLanes &lanes, const CudaStep &step,
                   keratin_status_t *status);

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDASTEP_H

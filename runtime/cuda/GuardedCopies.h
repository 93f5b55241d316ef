// Copies and fills that are done unless something has failed: kernels, since a device decides it.
#ifndef KERATIN_RUNTIME_CUDA_GUARDEDCOPIES_H
#define KERATIN_RUNTIME_CUDA_GUARDEDCOPIES_H

#include "runtime/cuda/CudaKernel.h"
#include "runtime/cuda/Mutex.h"

#include <atomic>

namespace keratin::cuda {

class CudaDevice;

class GuardedCopies {
public:
  // The device's context is current. Loads the kernels at the first call; from any thread.
  runtime::Code load(CudaDevice &device, keratin_status_t *status);
  // A device that nobody has seen ends: its context is current.
  void unload(CudaDevice &device);

  // After load(). copy(to, from, bytes, failure), fill(to, byte, bytes, failure).
  const CudaKernel &copy() const { return kernels[0]; }
  const CudaKernel &fill() const { return kernels[1]; }
  static constexpr int32_t numParameters = 4;
  static unsigned blocksFor(const CudaDevice &device, size_t bytes);

private:
  Mutex mutex;
  std::atomic<bool> isLoaded{false};
  CUmodule module = nullptr;
  CudaKernel kernels[2];
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_GUARDEDCOPIES_H

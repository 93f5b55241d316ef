// Events by number, that are used again.
#ifndef KERATIN_RUNTIME_CUDA_CUDAEVENTS_H
#define KERATIN_RUNTIME_CUDA_CUDAEVENTS_H

#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/CudaNotes.h"

namespace keratin::cuda {

// All with the device's context current.
class CudaEvents {
public:
  explicit CudaEvents(CudaDevice &device) : device(device) {}
  CudaEvents(const CudaEvents &) = delete;
  ~CudaEvents();

  // One that there is, or the next after them, which is made with these flags.
  Code find(size_t number, unsigned flags, CUevent *event, keratin_status_t *status);
  CUevent operator[](size_t number) const;

private:
  size_t count() const { return events.bytes() / sizeof(CUevent); }

  CudaDevice &device;
  CudaNotes events; // one CUevent after the other
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAEVENTS_H

// Marks in a stream, and the times between them: events that are used again by the next call.
#ifndef KERATIN_RUNTIME_CUDA_CUDAMARKS_H
#define KERATIN_RUNTIME_CUDA_CUDAMARKS_H

#include "runtime/cuda/CudaEvents.h"

namespace keratin::cuda {

// All with the device's context current.
class CudaMarks {
public:
  explicit CudaMarks(CudaDevice &device) : device(device), events(device) {}

  // The next mark is the first.
  void restart() { tags.clear(); }
  Code add(CUstream stream, int32_t tag, keratin_status_t *status);
  // What the stream did is over. Nanoseconds since the first mark.
  Code read(int32_t number, int32_t *tag, int64_t *nanoseconds, keratin_status_t *status);

private:
  CudaDevice &device;
  CudaEvents events;
  CudaNotes tags; // of eight bytes each
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAMARKS_H

// Where steps are put: a stream, and one beside it for what other libraries do there.
#ifndef KERATIN_RUNTIME_CUDA_CUDALANES_H
#define KERATIN_RUNTIME_CUDA_CUDALANES_H

#include "runtime/cuda/CudaEvents.h"

namespace keratin::cuda {

// All with the device's context current.
class CudaLanes {
public:
  explicit CudaLanes(CudaDevice &device) : device(device), reached(device) {}
  CudaLanes(const CudaLanes &) = delete;
  ~CudaLanes();

  Code start(keratin_status_t *status);
  CUstream main() const { return stream; }
  // put(beside) puts work into the stream beside, after all that is in the main one.
  template <typename Put> Code fork(keratin_status_t *status, Put put) {
    if (Code code = leave(status))
      return code;
    Code code = put(beside);
    return code == KERATIN_OK ? markReached(status) : code;
  }
  // What is put into the main stream from here on comes after the first fork that is not joined.
  Code join(keratin_status_t *status);
  bool isForked() const { return joined < forked; }
  void forgetForks() { forked = joined = 0; }

private:
  Code leave(keratin_status_t *status);
  Code markReached(keratin_status_t *status);

  CudaDevice &device;
  CUstream stream = nullptr;
  CUstream beside = nullptr;
  CUevent left = nullptr; // where the main stream was
  CudaEvents reached;     // of each fork since all were joined
  size_t forked = 0, joined = 0;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDALANES_H

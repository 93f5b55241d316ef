// Memory of a CUDA device. The driver takes its time to give memory and to take it back, and waits
// for the device to do so: what is given back here is kept for the next who asks for as much.
#ifndef KERATIN_RUNTIME_CUDA_CUDAMEMORY_H
#define KERATIN_RUNTIME_CUDA_CUDAMEMORY_H

#include "runtime/cuda/Driver.h"
#include "runtime/cuda/Mutex.h"

namespace keratin::cuda {

class CudaDevice;

class CudaMemory {
public:
  explicit CudaMemory(CudaDevice &device) : device(device) {}
  CudaMemory(const CudaMemory &) = delete;
  CudaMemory &operator=(const CudaMemory &) = delete;

  // All with the device's context current.

  // 0 where there is no room, nor would be if everything that is kept were given back. alignment is
  // a power of two.
  CUdeviceptr allocate(size_t bytes, size_t alignment);
  // Precondition: nothing that uses the memory is under way. False: it was not allocated here.
  bool release(CUdeviceptr address);
  // Gives everything back to the driver that nobody uses.
  void trim();

  // Bytes that the driver rounds to, or that make few sizes out of many: a step is an eighth of the
  // size at most, from 2 MiB on a multiple of 2 MiB.
  static size_t roundUp(size_t bytes);

private:
  // What the driver has given in one piece. In the list of a bucket, in use or not.
  struct Piece {
    CUdeviceptr base, address; // as the driver said it, and aligned
    size_t bytes;              // from base on
    Piece *next;
  };
  static constexpr int usedBuckets = 1024, keptBuckets = 512;
  static size_t usedBucket(CUdeviceptr address) { return (address >> 8) % usedBuckets; }
  static size_t keptBucket(size_t bytes);
  Piece *takeKept(size_t bytes);
  Piece *ask(size_t bytes);
  void trimLocked();

  CudaDevice &device;
  Mutex mutex;
  Piece *used[usedBuckets] = {};
  Piece *kept[keptBuckets] = {};
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAMEMORY_H

// Bytes that are noted down one behind the other.
#ifndef KERATIN_RUNTIME_CUDA_CUDANOTES_H
#define KERATIN_RUNTIME_CUDA_CUDANOTES_H

#include "runtime/core/Allocator.h"

namespace keratin::cuda {

// Bytes of the host's that grow.
class CudaNotes {
public:
  CudaNotes() = default;
  CudaNotes(const CudaNotes &) = delete;
  ~CudaNotes() { clear(); }
  static size_t roundUp(size_t bytes) { return (bytes + 7) / 8 * 8; }
  // On a boundary of eight bytes. False where there is no memory.
  bool add(const void *data, size_t bytes);
  void clear();
  const char *data() const { return memory; }
  size_t bytes() const { return used; }

private:
  char *memory = nullptr;
  size_t used = 0, capacity = 0;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDANOTES_H

#include "runtime/cuda/CudaNotes.h"

#include <string.h>

namespace keratin::cuda {

bool CudaNotes::add(const void *data, size_t bytes) {
  size_t room = roundUp(bytes);
  if (capacity - used < room) {
    size_t wanted = 2 * capacity + room + 1024;
    auto *larger = static_cast<char *>(runtime::allocate(wanted, 8));
    if (!larger)
      return false;
    if (used)
      memcpy(larger, memory, used);
    if (memory)
      runtime::deallocate(memory, capacity, 8);
    memory = larger;
    capacity = wanted;
  }
  if (bytes)
    memcpy(memory + used, data, bytes);
  used += room;
  return true;
}

void CudaNotes::clear() {
  if (memory)
    runtime::deallocate(memory, capacity, 8);
  memory = nullptr;
  used = capacity = 0;
}

} // namespace keratin::cuda

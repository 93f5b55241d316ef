// Memory that the caller of one call gives for it.
#ifndef KERATIN_RUNTIME_CORE_WORKSPACE_H
#define KERATIN_RUNTIME_CORE_WORKSPACE_H

#include "runtime/abi/keratin_abi.h"

namespace keratin::runtime {

class Workspace {
public:
  Workspace(void *memory, size_t bytes) : memory(memory), total(memory ? bytes : 0) {
    size_t skipped = size_t(-uintptr_t(memory)) % KERATIN_ALIGNMENT;
    if (total < skipped)
      return;
    next = static_cast<char *>(memory) + skipped;
    left = total - skipped;
  }

  // On a KERATIN_ALIGNMENT boundary; null where it does not fit.
  void *carve(size_t bytes) {
    if (!next || bytes > left)
      return nullptr;
    char *place = next;
    size_t rounded = size_t(roundUp(int64_t(bytes)));
    size_t taken = rounded < left ? rounded : left;
    next += taken;
    left -= taken;
    return place;
  }

  // How many of `wanted` pieces there is room for; one at least, for carve() to refuse.
  int fitting(int64_t bytesOfPiece, int wanted) const {
    int64_t room = int64_t(left) / bytesOfPiece;
    return room >= wanted ? wanted : room > 1 ? int(room) : 1;
  }

  const void *data() const { return memory; }
  size_t bytes() const { return total; }

  // Precondition: bytes <= PTRDIFF_MAX - KERATIN_ALIGNMENT.
  static int64_t roundUp(int64_t bytes) {
    return (bytes + KERATIN_ALIGNMENT - 1) / KERATIN_ALIGNMENT * KERATIN_ALIGNMENT;
  }

  // Adds what a piece on a boundary takes. False where the sum does not fit in memory.
  static bool addPiece(int64_t &sum, int64_t bytes) {
    if (bytes > PTRDIFF_MAX - KERATIN_ALIGNMENT - sum)
      return false;
    sum += roundUp(bytes);
    return true;
  }

private:
  const void *memory;
  char *next = nullptr;
  size_t left = 0;
  size_t total;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_WORKSPACE_H

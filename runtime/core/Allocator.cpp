#include "runtime/core/Allocator.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace keratin::runtime {

static void *allocateFromLibrary(void *, size_t bytes, size_t alignment) {
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, bytes ? bytes : 1) == 0 ? memory : nullptr;
}

static void deallocateToLibrary(void *, void *data, size_t, size_t) { free(data); }

static constexpr keratin_allocator_t libraryAllocator = {allocateFromLibrary, deallocateToLibrary,
                                                         nullptr};
static constinit keratin_allocator_t currentAllocator = libraryAllocator;

void setAllocator(const keratin_allocator_t *allocator) {
  currentAllocator = allocator ? *allocator : libraryAllocator;
}

void *allocate(size_t bytes, size_t alignment) {
  return currentAllocator.allocate(currentAllocator.user, bytes, alignment);
}

void deallocate(void *data, size_t bytes, size_t alignment) {
  if (data)
    currentAllocator.deallocate(currentAllocator.user, data, bytes, alignment);
}

alignas(KERATIN_ALIGNMENT) constinit char emptyMemory[KERATIN_ALIGNMENT] = {};

// A block of this size is worth a huge page: fresh memory arrives about ten times faster, and
// contractions miss the TLB less.
static constexpr size_t hugePage = size_t(2) << 20;

bool Block::reserve(size_t bytes) {
  if (bytes <= size)
    return true;
  // The old block goes first: its content is not kept, and both at once might not fit.
  reset();
  bool isLarge = device == &cpuDevice && bytes >= hugePage;
  size_t wantedAlignment = isLarge ? hugePage : KERATIN_ALIGNMENT;
  if (bytes > PTRDIFF_MAX - wantedAlignment)
    return false;
  // Only huge pages come whole: a guarding allocator of a host's sees the true end of the rest.
  size_t rounded = isLarge ? (bytes + hugePage - 1) / hugePage * hugePage : bytes;
  void *fresh = device->allocate(device->user, rounded, wantedAlignment);
  if (!fresh)
    return false;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Advice only: where huge pages are off, ordinary ones serve.
  if (isLarge)
    (void)madvise(fresh, rounded, MADV_HUGEPAGE);
#endif
  memory = fresh;
  size = rounded;
  alignment = wantedAlignment;
  return true;
}

void Block::reset() {
  if (memory)
    device->release(device->user, memory, size, alignment);
  memory = nullptr;
  size = alignment = 0;
}

void Block::swap(Block &other) {
  std::swap(device, other.device);
  std::swap(memory, other.memory);
  std::swap(size, other.size);
  std::swap(alignment, other.alignment);
}

BlockArray::BlockArray(int32_t count) : count(count), blocks(nullptr) {
  if (count)
    blocks = static_cast<Block *>(allocate(size_t(count) * sizeof(Block), alignof(Block)));
  for (int32_t i = 0; blocks && i < count; ++i)
    new (&blocks[i]) Block();
}

BlockArray::~BlockArray() {
  for (int32_t i = 0; blocks && i < count; ++i)
    blocks[i].~Block();
  deallocate(blocks, size_t(count) * sizeof(Block), alignof(Block));
}

} // namespace keratin::runtime

extern "C" void keratin_set_allocator(const keratin_allocator_t *allocator) {
  keratin::runtime::setAllocator(allocator);
}

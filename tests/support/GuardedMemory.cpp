#include "tests/support/GuardedMemory.h"

#include <keratin/runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

using namespace keratin::tests;

static constexpr char slackPattern = char(0xA5), freshPattern = char(0xFF);

static size_t pageBytes() {
  static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

//===-- Buffers
//----------------------------------------------------------------------------------===//

GuardedBuffer::GuardedBuffer(size_t bytes, Edge edge, size_t alignment) : bytes(bytes) {
  size_t page = pageBytes(), inside = (bytes + page - 1) / page * page;
  if (bytes > PTRDIFF_MAX - 3 * page || alignment > page)
    return;
  // What an empty buffer points at is a guard page.
  void *memory = mmap(nullptr, inside + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  mapping = static_cast<char *>(memory);
  mappingBytes = inside + 2 * page;
  char *low = mapping + page;
  if (inside && mprotect(low, inside, PROT_READ | PROT_WRITE) != 0)
    return;
  size_t slack = inside - bytes;
  start = low + (edge == Edge::Start ? 0 : slack / alignment * alignment);
  std::memset(low, slackPattern, inside);
  std::memset(start, freshPattern, bytes);
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mappingBytes);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)),
      mappingBytes(std::exchange(other.mappingBytes, 0)),
      start(std::exchange(other.start, nullptr)), bytes(std::exchange(other.bytes, 0)) {}

bool GuardedBuffer::isIntact() const {
  auto holdsPattern = [](const char *from, const char *to) {
    return std::all_of(from, to, [](char byte) { return byte == slackPattern; });
  };
  return !start || (holdsPattern(mapping + pageBytes(), start) &&
                    holdsPattern(start + bytes, mapping + mappingBytes - pageBytes()));
}

//===-- The runtime's memory
//---------------------------------------------------------------------===//

namespace {
class GuardedHeap {
public:
  static void *allocate(void *user, size_t bytes, size_t alignment) {
    // Data begins on this boundary; objects of the runtime are none of generated code's business.
    // What wants more is on huge pages, rounded up, and far from tight anyway.
    if (alignment != KERATIN_ALIGNMENT)
      return fromLibrary(bytes, alignment);
    GuardedBuffer buffer(bytes, Edge::End, alignment);
    void *data = buffer.data();
    if (data) {
      auto &heap = *static_cast<GuardedHeap *>(user);
      std::lock_guard lock(heap.mutex);
      heap.buffers.emplace(data, std::move(buffer));
    }
    return data;
  }

  static void deallocate(void *user, void *data, size_t, size_t alignment) {
    if (alignment != KERATIN_ALIGNMENT)
      return std::free(data);
    auto &heap = *static_cast<GuardedHeap *>(user);
    std::lock_guard lock(heap.mutex);
    auto found = heap.buffers.find(data);
    if (found == heap.buffers.end() || !found->second.isIntact()) {
      std::fputs(found == heap.buffers.end() ? "memory is given back that was not taken\n"
                                             : "memory of the runtime was written past its end\n",
                 stderr);
      std::abort();
    }
    heap.buffers.erase(found);
  }

private:
  static void *fromLibrary(size_t bytes, size_t alignment) {
    void *memory = nullptr;
    alignment = std::max(alignment, sizeof(void *));
    return posix_memalign(&memory, alignment, std::max<size_t>(bytes, 1)) == 0 ? memory : nullptr;
  }

  std::mutex mutex;
  std::unordered_map<void *, GuardedBuffer> buffers;
};
} // namespace

void keratin::tests::guardRuntimeMemory() {
  static const bool once = [] {
    // Never destroyed: objects with static storage may give memory back late.
    keratin_allocator_t allocator = {GuardedHeap::allocate, GuardedHeap::deallocate,
                                     new GuardedHeap};
    keratin_set_allocator(&allocator);
    return true;
  }();
  (void)once;
}

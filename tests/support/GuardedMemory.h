// Memory next to pages that nobody may touch: an access beyond it ends the process, also where code
// is not instrumented, as compiled functions are not.
#ifndef KERATIN_TESTS_SUPPORT_GUARDEDMEMORY_H
#define KERATIN_TESTS_SUPPORT_GUARDEDMEMORY_H

#include <cstddef>

namespace keratin::tests {

// Where a buffer lies between its two guard pages.
enum class Edge {
  End,  // ends at the upper one: reads and writes past the end are caught
  Start // begins at the lower one: those before the start are
};

// `bytes` bytes on pages of their own. Where the other edge does not meet its guard page, a pattern
// fills what lies between.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes, Edge edge = Edge::End, size_t alignment = 1);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  // Null where there was no memory. Fresh bytes are 0xFF: as floats, NaN.
  void *data() const { return start; }
  size_t size() const { return bytes; }
  // Whether nobody wrote beside the buffer.
  bool isIntact() const;

private:
  char *mapping = nullptr;
  size_t mappingBytes = 0;
  char *start = nullptr;
  size_t bytes = 0;
};

// From now on the runtime takes its data (arenas, variables, scratch, copies of inputs) from
// guarded buffers that end at their guard page as far as their alignment allows. A write behind one
// that stays on its page ends the process when the memory is given back. To be called before there
// is any object of the runtime; more calls do nothing.
void guardRuntimeMemory();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_GUARDEDMEMORY_H

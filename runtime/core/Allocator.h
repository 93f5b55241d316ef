// All memory of the runtime: one hook, typed objects, and blocks for data.
//
// The runtime neither throws nor uses operator new, so that a C program links it without a C++
// library.
#ifndef KERATIN_RUNTIME_CORE_ALLOCATOR_H
#define KERATIN_RUNTIME_CORE_ALLOCATOR_H

#include "runtime/core/Device.h"

#include <new>
#include <utility>

namespace keratin::runtime {

void setAllocator(const keratin_allocator_t *allocator);

// nullptr where there is no memory. bytes may be 0.
void *allocate(size_t bytes, size_t alignment);
void deallocate(void *data, size_t bytes, size_t alignment);

template <typename T, typename... Args> T *makeObject(Args &&...args) {
  void *memory = allocate(sizeof(T), alignof(T));
  return memory ? new (memory) T(std::forward<Args>(args)...) : nullptr;
}

template <typename T> void destroyObject(T *object) {
  if (!object)
    return;
  object->~T();
  deallocate(object, sizeof(T), alignof(T));
}

// What zero-size buffers point at: a valid, aligned address that holds nothing.
extern char emptyMemory[];
inline void *emptyBuffer() { return emptyMemory; }

// A block of data of a device on a KERATIN_ALIGNMENT boundary; of the CPU, on huge pages where it
// is large.
class Block {
public:
  explicit Block(const keratin_device_t &device = cpuDevice) : device(&device) {}
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() { reset(); }

  // Makes room for `bytes` bytes; what was in the block is lost if it has to move. False, with the
  // block empty, where there is no memory.
  [[nodiscard]] bool reserve(size_t bytes);
  void reset();
  void swap(Block &other);

  // Precondition: the block is empty.
  void setDevice(const keratin_device_t &whose) { device = &whose; }

  // Never null.
  void *data() const { return memory ? memory : emptyBuffer(); }
  size_t capacity() const { return size; }

private:
  const keratin_device_t *device;
  void *memory = nullptr;
  size_t size = 0;
  size_t alignment = 0;
};

// Some empty blocks of the CPU's. None take no memory.
class BlockArray {
public:
  explicit BlockArray(int32_t count);
  ~BlockArray();
  BlockArray(const BlockArray &) = delete;
  BlockArray &operator=(const BlockArray &) = delete;
  // False where there was no memory for them.
  explicit operator bool() const { return blocks || !count; }
  Block &operator[](int32_t i) { return blocks[i]; }

private:
  int32_t count;
  Block *blocks;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_ALLOCATOR_H

// Text that grows, from the runtime's allocator.
#ifndef KERATIN_RUNTIME_CORE_TEXT_H
#define KERATIN_RUNTIME_CORE_TEXT_H

#include "runtime/core/Allocator.h"

#include <string.h>

namespace keratin::runtime {

// Once memory runs out the text stays as it is and says so.
class Text {
public:
  Text() = default;
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;
  ~Text() { deallocate(characters, capacity, 1); }

  void append(const char *more, size_t count) {
    if (count == 0 || !reserve(count)) // nothing may be copied to no memory at all
      return;
    memcpy(characters + length, more, count);
    length += count;
  }
  void append(const char *more) { append(more, strlen(more)); }
  void repeat(char character, int64_t count) {
    if (count <= 0 || !reserve(size_t(count)))
      return;
    memset(characters + length, character, size_t(count));
    length += size_t(count);
  }
  void clear() { length = 0; }
  // Drops spaces at the end.
  void trimRight() {
    while (length && characters[length - 1] == ' ')
      --length;
  }

  const char *data() const { return characters ? characters : ""; }
  size_t size() const { return length; }
  bool outOfMemory() const { return exhausted; }

private:
  bool reserve(size_t more) {
    if (exhausted)
      return false;
    if (capacity - length >= more)
      return true;
    size_t wanted = 2 * capacity + more + 64;
    auto *fresh = static_cast<char *>(allocate(wanted, 1));
    if (!fresh) {
      exhausted = true;
      return false;
    }
    if (length)
      memcpy(fresh, characters, length);
    deallocate(characters, capacity, 1);
    characters = fresh;
    capacity = wanted;
    return true;
  }

  char *characters = nullptr;
  size_t length = 0;
  size_t capacity = 0;
  bool exhausted = false;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_TEXT_H

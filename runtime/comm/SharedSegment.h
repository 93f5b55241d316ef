// Memory that the ranks of one machine share: windows to write into, and a barrier.
//
// The segment is a file of /dev/shm which has a name until all ranks are there. Each rank holds a
// lock on a byte of it, which the kernel takes away when its process ends, in whatever way: so the
// others learn that it is gone.
#ifndef KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H
#define KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H

#include "runtime/comm/Engine.h"

namespace keratin::comm {

class SharedSegment {
public:
  SharedSegment() = default;
  SharedSegment(const SharedSegment &) = delete;
  SharedSegment &operator=(const SharedSegment &) = delete;
  ~SharedSegment() { leave(); }

  // Of each window, a multiple of 64, where so many ranks share a segment; and where they share one
  // of each axis of a mesh, beside that.
  static int64_t windowOfAll(int32_t size);
  static int64_t windowOfPart(int32_t size);

  // Waits until all ranks are there.
  Code join(const char *job, int32_t rank, int32_t size, int64_t windowBytes, int64_t deadline,
            keratin_status_t *status);

  int64_t windowBytes() const { return bytesOfWindow; }
  // What this rank writes before a barrier, and a number with it.
  char *own() const { return window(rank, parity()); }
  void say(int64_t value);
  // What a rank has written before the last barrier; it stays until the next.
  const char *of(int32_t which) const { return window(which, 1 - parity()); }
  int64_t said(int32_t which) const;

  // All ranks have come to it.
  Code barrier(int64_t deadline, keratin_status_t *status);

private:
  struct Header;
  struct Slot;

  enum class Attempt { Done, Retry, Failed };
  Code create(const char *path, int64_t deadline, keratin_status_t *status);
  Code enter(const char *path, int64_t deadline, keratin_status_t *status);
  Attempt tryToEnter(const char *path, int64_t deadline, keratin_status_t *status);
  Code map(keratin_status_t *status);
  Code waitFor(int32_t other, uint64_t generation, int64_t deadline, keratin_status_t *status);
  bool holds(int32_t other) const;
  bool lock() const;
  void leave();

  Header *header() const;
  Slot *slot(int32_t which) const;
  char *window(int32_t which, int parity) const;
  // Which of the two windows of each rank is written before the next barrier.
  int parity() const { return int(generation & 1); }

  int file = -1;
  void *memory = nullptr;
  int64_t bytes = 0, bytesOfWindow = 0;
  int32_t rank = 0, size = 0;
  bool spins = false;
  uint64_t generation = 0; // barriers that this rank has arrived at
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H

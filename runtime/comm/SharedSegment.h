// Memory that the ranks of one machine share: windows to write into, a barrier, and who is left of
// them.
//
// The segment is a file of /dev/shm which has a name until all ranks are there. Each rank holds a
// lock on a byte of it, which the kernel takes away when its process ends, in whatever way: so the
// others learn that it is gone.
#ifndef KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H
#define KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H

#include "runtime/comm/Engine.h"
#include "runtime/core/Allocator.h"

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
  // Of join(), and of the last shrink().
  int32_t rank() const { return ownRank; }
  int32_t size() const { return numRanks; }
  // What this rank writes before a barrier, and a number with it.
  char *own() const { return window(ownSlot, parity()); }
  void say(int64_t value);
  // What a rank has written before the last barrier; it stays until the next.
  const char *of(int32_t which) const { return window(slotOf(which), 1 - parity()); }
  int64_t said(int32_t which) const;

  // All ranks have come to it.
  Code barrier(int64_t deadline, keratin_status_t *status);

  // After a barrier that has failed: waits until each rank has come to this or is gone. The ranks
  // are those who have come, from here on.
  Code shrink(int64_t deadline, keratin_status_t *status);
  uint32_t timesShrunk() const { return shrinkages; }

private:
  struct Header;
  struct Slot;

  enum class Attempt { Done, Retry, Failed };
  Code create(const char *path, int64_t deadline, keratin_status_t *status);
  Code enter(const char *path, int64_t deadline, keratin_status_t *status);
  Attempt tryToEnter(const char *path, int64_t deadline, keratin_status_t *status);
  Code map(keratin_status_t *status);
  Code waitFor(int32_t other, uint64_t generation, int64_t deadline, keratin_status_t *status);
  bool isHeld(int32_t slot) const;
  bool lock(int32_t byte) const;
  void unlock(int32_t byte) const;
  void wake() const;
  void leave();
  bool haveAllCome(uint32_t shrinkage, int32_t &missing) const;
  void decide(uint32_t shrinkage) const;
  void takeThoseLeft(uint32_t shrinkage);

  Header *header() const;
  Slot *slot(int32_t which) const;
  // The slot of a rank.
  int32_t &slotOf(int32_t which) const { return static_cast<int32_t *>(slots.data())[which]; }
  char *window(int32_t slot, int parity) const;
  // Which of the two windows of each rank is written before the next barrier.
  int parity() const { return int(generation & 1); }

  int file = -1;
  void *memory = nullptr;
  int64_t bytes = 0, bytesOfWindow = 0;
  int32_t numSlots = 0, ownSlot = 0; // as many as there were ranks at first
  int32_t ownRank = 0, numRanks = 0;
  runtime::Block slots; // of each rank
  bool spins = false;
  uint64_t generation = 0; // barriers that this rank has arrived at
  uint32_t shrinkages = 0;
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_SHAREDSEGMENT_H

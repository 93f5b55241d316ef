#include "runtime/comm/SharedSegment.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace keratin::comm {

using runtime::fail;
using runtime::ShortText;

static constexpr uint64_t segmentMagic = 0x32676573'6172656b; // "keraseg2"

struct SharedSegment::Header {
  std::atomic<uint64_t> magic; // last of what rank 0 writes before others may look
  int64_t bytes, windowBytes;
  int32_t size;
  std::atomic<uint32_t> isReady; // all ranks are there
  // How often ranks have gone on without those that were lost, and where barriers stood then.
  std::atomic<uint32_t> decided;
  uint64_t decidedGeneration;
  // Changes with each arrival; those who wait sleep on it.
  alignas(128) std::atomic<uint32_t> arrivals;
  std::atomic<uint32_t> sleepers;
};
struct alignas(128) SharedSegment::Slot {
  std::atomic<uint64_t> generation; // barriers that the rank has arrived at
  std::atomic<uint32_t> isThere;
  std::atomic<uint32_t> cameTo, keptIn; // the number of a shrink()
  int64_t said[2];
};

SharedSegment::Header *SharedSegment::header() const { return static_cast<Header *>(memory); }
SharedSegment::Slot *SharedSegment::slot(int32_t which) const {
  return reinterpret_cast<Slot *>(static_cast<char *>(memory) + sizeof(Header)) + which;
}

// Windows begin on a page.
static constexpr int64_t pageBytes = 4096;
static int64_t windowsBegin(int64_t headerBytes, int64_t slotBytes, int32_t size) {
  return (headerBytes + slotBytes * size + pageBytes - 1) / pageBytes * pageBytes;
}

char *SharedSegment::window(int32_t which, int parity) const {
  return static_cast<char *>(memory) + windowsBegin(sizeof(Header), sizeof(Slot), numSlots) +
         bytesOfWindow * (2 * int64_t(which) + parity);
}

void SharedSegment::say(int64_t value) { slot(ownSlot)->said[parity()] = value; }
int64_t SharedSegment::said(int32_t which) const { return slot(slotOf(which))->said[1 - parity()]; }

// All windows together 64 MiB at most, which is what containers have, but no less than 16 KiB each.
static int64_t chooseWindow(int32_t size, int64_t together) {
  constexpr int64_t most = 1 << 20, least = 16 << 10;
  int64_t fair = together / (2 * int64_t(size)) / pageBytes * pageBytes;
  return fair < least ? least : fair > most ? most : fair;
}

int64_t SharedSegment::windowOfAll(int32_t size) { return chooseWindow(size, 48 << 20); }
// There may be two of them.
int64_t SharedSegment::windowOfPart(int32_t size) { return chooseWindow(size, 6 << 20); }

static void sleepFor(int64_t nanoseconds) {
  timespec time = {time_t(nanoseconds / 1000000000), long(nanoseconds % 1000000000)};
  nanosleep(&time, nullptr);
}

static void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

// --- Joining -------------------------------------------------------------------------------------

// Of each slot, whose rank it is that holds it; the one behind them is of who decides.
static struct flock byteLock(short type, int32_t byte) {
  struct flock made = {};
  made.l_type = type;
  made.l_whence = SEEK_SET;
  made.l_start = byte;
  made.l_len = 1;
  return made;
}

bool SharedSegment::lock(int32_t byte) const {
  struct flock wanted = byteLock(F_WRLCK, byte);
  return fcntl(file, F_OFD_SETLK, &wanted) == 0;
}

void SharedSegment::unlock(int32_t byte) const {
  struct flock held = byteLock(F_UNLCK, byte);
  (void)fcntl(file, F_OFD_SETLK, &held);
}

// Whether another rank holds the lock of its slot.
bool SharedSegment::isHeld(int32_t which) const {
  struct flock found = byteLock(F_WRLCK, which);
  return fcntl(file, F_OFD_GETLK, &found) != 0 || found.l_type != F_UNLCK;
}

Code SharedSegment::map(keratin_status_t *status) {
  memory = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED)
    return KERATIN_OK;
  memory = nullptr;
  return fail(status, KERATIN_RESOURCE_EXHAUSTED, "shared memory: %lld bytes cannot be mapped: %s",
              static_cast<long long>(bytes), strerror(errno));
}

void SharedSegment::leave() {
  if (memory)
    munmap(memory, size_t(bytes));
  memory = nullptr;
  if (file >= 0)
    close(file);
  file = -1;
}

Code SharedSegment::create(const char *path, int64_t deadline, keratin_status_t *status) {
  unlink(path); // of a job of this name that ended before all its ranks were there
  file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: '%s' cannot be made: %s", path,
                strerror(errno));
  struct Unlink {
    const char *path;
    ~Unlink() { unlink(path); }
  } unlinkAtEnd{path};
  bytes = windowsBegin(sizeof(Header), sizeof(Slot), numSlots) + 2 * bytesOfWindow * numSlots;
  // Pages that are not there would be a signal when they are touched.
  if (int error = posix_fallocate(file, 0, bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "shared memory: /dev/shm has no room for %lld bytes: %s",
                static_cast<long long>(bytes), strerror(error));
  if (Code code = map(status))
    return code;
  if (!lock(ownSlot))
    return fail(status, KERATIN_INTERNAL, "shared memory: '%s' cannot be locked: %s", path,
                strerror(errno));
  header()->bytes = bytes;
  header()->windowBytes = bytesOfWindow;
  header()->size = numSlots;
  slot(0)->isThere.store(1, std::memory_order_relaxed);
  header()->magic.store(segmentMagic, std::memory_order_release);
  for (int32_t other = 1; other < numSlots; ++other)
    while (!slot(other)->isThere.load(std::memory_order_acquire)) {
      if (now() > deadline)
        return fail(status, KERATIN_FAILED_PRECONDITION,
                    "shared memory: rank %d of %d has not come in time", other, numSlots);
      sleepFor(200000);
    }
  header()->isReady.store(1, std::memory_order_release);
  return KERATIN_OK;
}

SharedSegment::Attempt SharedSegment::tryToEnter(const char *path, int64_t deadline,
                                                 keratin_status_t *status) {
  file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 && errno == ENOENT)
    return Attempt::Retry;
  struct stat found;
  if (file < 0 || fstat(file, &found) != 0) {
    fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: '%s' cannot be opened: %s", path,
         strerror(errno));
    return Attempt::Failed;
  }
  if (found.st_uid != geteuid() || !S_ISREG(found.st_mode) || (found.st_mode & 077) != 0) {
    fail(status, KERATIN_FAILED_PRECONDITION,
         "shared memory: '%s' is not a file of this user alone", path);
    return Attempt::Failed;
  }
  bytes = found.st_size;
  if (bytes < int64_t(sizeof(Header)))
    return Attempt::Retry; // it is being made
  if (map(status))
    return Attempt::Failed;
  if (header()->magic.load(std::memory_order_acquire) != segmentMagic || !isHeld(0))
    return Attempt::Retry; // it is being made, or of a job that is over
  if (header()->size != numSlots) {
    fail(status, KERATIN_FAILED_PRECONDITION,
         "shared memory: rank 0 is of a job of %d ranks, rank %d of one of %d", header()->size,
         ownSlot, numSlots);
    return Attempt::Failed;
  }
  if (header()->bytes != bytes || header()->windowBytes != bytesOfWindow ||
      bytes !=
          windowsBegin(sizeof(Header), sizeof(Slot), numSlots) + 2 * bytesOfWindow * numSlots) {
    fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: '%s' is of another Keratin", path);
    return Attempt::Failed;
  }
  if (!lock(ownSlot)) {
    fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: there is a rank %d already", ownSlot);
    return Attempt::Failed;
  }
  slot(ownSlot)->isThere.store(1, std::memory_order_release);
  while (!header()->isReady.load(std::memory_order_acquire)) {
    if (!isHeld(0))
      return Attempt::Retry;
    if (now() > deadline) {
      fail(status, KERATIN_UNAVAILABLE, "shared memory: the %d ranks have not all come in time",
           numSlots);
      return Attempt::Failed;
    }
    sleepFor(200000);
  }
  return Attempt::Done;
}

Code SharedSegment::enter(const char *path, int64_t deadline, keratin_status_t *status) {
  for (;;) {
    keratin_status_t why = {};
    Attempt attempt = tryToEnter(path, deadline, &why);
    if (attempt == Attempt::Done)
      return KERATIN_OK;
    leave();
    if (attempt == Attempt::Failed)
      return fail(status, Code(why.code), "%s", why.message);
    if (now() > deadline)
      return fail(status, KERATIN_UNAVAILABLE, "shared memory: rank 0 of %d has not come in time",
                  numSlots);
    sleepFor(1000000);
  }
}

Code SharedSegment::join(const char *job, int32_t rank, int32_t size, int64_t windowBytes,
                         int64_t deadline, keratin_status_t *status) {
  if (!slots.reserve(size_t(size) * sizeof(int32_t)))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "shared memory: no memory");
  for (int32_t each = 0; each < size; ++each)
    slotOf(each) = each;
  ownRank = ownSlot = rank;
  numRanks = numSlots = size;
  bytesOfWindow = windowBytes;
  // Who waits for a rank that has no processor of its own gives way.
  spins = sysconf(_SC_NPROCESSORS_ONLN) >= size;
  ShortText path;
  path.add("/dev/shm/keratin-%u-%s", unsigned(geteuid()), job);
  return rank == 0 ? create(path.text(), deadline, status) : enter(path.text(), deadline, status);
}

// --- Barriers ------------------------------------------------------------------------------------

static void futexWait(std::atomic<uint32_t> &word, uint32_t value, int64_t nanoseconds) {
  timespec time = {time_t(nanoseconds / 1000000000), long(nanoseconds % 1000000000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

Code SharedSegment::waitFor(int32_t other, uint64_t wanted, int64_t deadline,
                            keratin_status_t *status) {
  const Slot &its = *slot(slotOf(other));
  const std::atomic<uint64_t> &there = its.generation;
  constexpr int spinning = 2000;
  constexpr int64_t glance = 20000000; // how often somebody who sleeps looks whether all are alive
  for (int spin = 0; spins && spin < spinning; ++spin) {
    if (there.load(std::memory_order_acquire) >= wanted)
      return KERATIN_OK;
    pause();
  }
  while (there.load(std::memory_order_acquire) < wanted) {
    std::atomic<uint32_t> &arrivals = header()->arrivals;
    header()->sleepers.fetch_add(1, std::memory_order_seq_cst);
    uint32_t seen = arrivals.load(std::memory_order_seq_cst);
    int64_t slept = now();
    if (there.load(std::memory_order_seq_cst) < wanted)
      futexWait(arrivals, seen, glance);
    header()->sleepers.fetch_sub(1, std::memory_order_seq_cst);
    // Whatever it has done before, it does not come any more.
    if (its.cameTo.load(std::memory_order_acquire) > shrinkages &&
        there.load(std::memory_order_acquire) < wanted)
      return fail(status, KERATIN_UNAVAILABLE,
                  "rank %d is gone: it goes on with the ranks that have lost one (shrink)", other);
    int64_t time = now();
    if (time - slept < glance)
      continue;
    if (!isHeld(slotOf(other)) && there.load(std::memory_order_acquire) < wanted)
      return fail(status, KERATIN_UNAVAILABLE,
                  "rank %d is gone: it has left the group, or its process has ended", other);
    if (time > deadline)
      return fail(status, KERATIN_UNAVAILABLE,
                  "rank %d has not come in time (KERATIN_COLLECTIVE_TIMEOUT)", other);
  }
  return KERATIN_OK;
}

void SharedSegment::wake() const {
  header()->arrivals.fetch_add(1, std::memory_order_seq_cst);
  if (header()->sleepers.load(std::memory_order_seq_cst))
    syscall(SYS_futex, &header()->arrivals, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

Code SharedSegment::barrier(int64_t deadline, keratin_status_t *status) {
  uint64_t wanted = generation + 1;
  slot(ownSlot)->generation.store(wanted, std::memory_order_seq_cst);
  wake();
  for (int32_t other = 0; other < numRanks; ++other)
    if (other != ownRank)
      if (Code code = waitFor(other, wanted, deadline, status))
        return code;
  generation = wanted;
  return KERATIN_OK;
}

// --- Going on without ranks that are gone --------------------------------------------------------

// All that is known of the others is in memory that outlives them, and the kernel says who is gone.
// So it takes one rank, any, to look who has come; it holds a lock meanwhile, and should it end in
// the middle of it the next one looks again.

bool SharedSegment::haveAllCome(uint32_t shrinkage, int32_t &missing) const {
  for (missing = 0; missing < numRanks; ++missing) {
    const int32_t its = slotOf(missing);
    if (its != ownSlot && slot(its)->cameTo.load(std::memory_order_acquire) < shrinkage &&
        isHeld(its))
      return false;
  }
  return true;
}

// Precondition: all have come. Nobody of them is at a barrier, so generations stand still.
void SharedSegment::decide(uint32_t shrinkage) const {
  uint64_t latest = 0;
  for (int32_t rank = 0; rank < numRanks; ++rank) {
    const int32_t its = slotOf(rank);
    const bool isLeft =
        its == ownSlot ||
        (slot(its)->cameTo.load(std::memory_order_acquire) >= shrinkage && isHeld(its));
    slot(its)->keptIn.store(isLeft ? shrinkage : 0, std::memory_order_relaxed);
    const uint64_t reached = slot(its)->generation.load(std::memory_order_relaxed);
    latest = isLeft && reached > latest ? reached : latest;
  }
  header()->decidedGeneration = latest;
  header()->decided.store(shrinkage, std::memory_order_release);
}

void SharedSegment::takeThoseLeft(uint32_t shrinkage) {
  int32_t left = 0;
  for (int32_t rank = 0; rank < numRanks; ++rank) {
    const int32_t its = slotOf(rank);
    if (slot(its)->keptIn.load(std::memory_order_relaxed) != shrinkage)
      continue;
    if (its == ownSlot)
      ownRank = left;
    slotOf(left++) = its;
  }
  numRanks = left;
  generation = header()->decidedGeneration;
  slot(ownSlot)->generation.store(generation, std::memory_order_seq_cst);
  shrinkages = shrinkage;
}

Code SharedSegment::shrink(int64_t deadline, keratin_status_t *status) {
  const uint32_t shrinkage = shrinkages + 1;
  slot(ownSlot)->cameTo.store(shrinkage, std::memory_order_seq_cst);
  wake();
  int32_t missing = 0;
  while (header()->decided.load(std::memory_order_acquire) < shrinkage) {
    if (!haveAllCome(shrinkage, missing)) {
      if (now() > deadline)
        return fail(status, KERATIN_UNAVAILABLE,
                    "rank %d, which is not lost, has not come in time to go on with those that are "
                    "left (KERATIN_COLLECTIVE_TIMEOUT)",
                    missing);
      sleepFor(1000000);
    } else if (lock(numSlots)) {
      if (header()->decided.load(std::memory_order_acquire) < shrinkage)
        decide(shrinkage);
      unlock(numSlots);
    }
  }
  takeThoseLeft(shrinkage);
  return KERATIN_OK;
}

} // namespace keratin::comm

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

static constexpr uint64_t segmentMagic = 0x31676573'6172656b; // "keraseg1"

struct SharedSegment::Header {
  std::atomic<uint64_t> magic; // last of what rank 0 writes before others may look
  int64_t bytes, windowBytes;
  int32_t size;
  std::atomic<uint32_t> isReady; // all ranks are there
  // Changes with each arrival; those who wait sleep on it.
  alignas(128) std::atomic<uint32_t> arrivals;
  std::atomic<uint32_t> sleepers;
};
struct alignas(128) SharedSegment::Slot {
  std::atomic<uint64_t> generation; // barriers that the rank has arrived at
  std::atomic<uint32_t> isThere;
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
  return static_cast<char *>(memory) + windowsBegin(sizeof(Header), sizeof(Slot), size) +
         bytesOfWindow * (2 * int64_t(which) + parity);
}

void SharedSegment::say(int64_t value) { slot(rank)->said[parity()] = value; }
int64_t SharedSegment::said(int32_t which) const { return slot(which)->said[1 - parity()]; }

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

bool SharedSegment::lock() const {
  struct flock byte = {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = rank;
  byte.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &byte) == 0;
}

// Whether somebody else holds the lock of a rank.
bool SharedSegment::holds(int32_t other) const {
  struct flock byte = {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = other;
  byte.l_len = 1;
  return fcntl(file, F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
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
  bytes = windowsBegin(sizeof(Header), sizeof(Slot), size) + 2 * bytesOfWindow * size;
  // Pages that are not there would be a signal when they are touched.
  if (int error = posix_fallocate(file, 0, bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "shared memory: /dev/shm has no room for %lld bytes: %s",
                static_cast<long long>(bytes), strerror(error));
  if (Code code = map(status))
    return code;
  if (!lock())
    return fail(status, KERATIN_INTERNAL, "shared memory: '%s' cannot be locked: %s", path,
                strerror(errno));
  header()->bytes = bytes;
  header()->windowBytes = bytesOfWindow;
  header()->size = size;
  slot(0)->isThere.store(1, std::memory_order_relaxed);
  header()->magic.store(segmentMagic, std::memory_order_release);
  for (int32_t other = 1; other < size; ++other)
    while (!slot(other)->isThere.load(std::memory_order_acquire)) {
      if (now() > deadline)
        return fail(status, KERATIN_FAILED_PRECONDITION,
                    "shared memory: rank %d of %d has not come in time", other, size);
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
  if (header()->magic.load(std::memory_order_acquire) != segmentMagic || !holds(0))
    return Attempt::Retry; // it is being made, or of a job that is over
  if (header()->size != size) {
    fail(status, KERATIN_FAILED_PRECONDITION,
         "shared memory: rank 0 is of a job of %d ranks, rank %d of one of %d", header()->size,
         rank, size);
    return Attempt::Failed;
  }
  if (header()->bytes != bytes || header()->windowBytes != bytesOfWindow ||
      bytes != windowsBegin(sizeof(Header), sizeof(Slot), size) + 2 * bytesOfWindow * size) {
    fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: '%s' is of another Keratin", path);
    return Attempt::Failed;
  }
  if (!lock()) {
    fail(status, KERATIN_FAILED_PRECONDITION, "shared memory: there is a rank %d already", rank);
    return Attempt::Failed;
  }
  slot(rank)->isThere.store(1, std::memory_order_release);
  while (!header()->isReady.load(std::memory_order_acquire)) {
    if (!holds(0))
      return Attempt::Retry;
    if (now() > deadline) {
      fail(status, KERATIN_UNAVAILABLE, "shared memory: the %d ranks have not all come in time",
           size);
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
                  size);
    sleepFor(1000000);
  }
}

Code SharedSegment::join(const char *job, int32_t ownRank, int32_t numRanks, int64_t windowBytes,
                         int64_t deadline, keratin_status_t *status) {
  rank = ownRank;
  size = numRanks;
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
  std::atomic<uint64_t> &there = slot(other)->generation;
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
    int64_t time = now();
    if (time - slept < glance)
      continue;
    if (!holds(other) && there.load(std::memory_order_acquire) < wanted)
      return fail(status, KERATIN_UNAVAILABLE,
                  "rank %d is gone: it has left the group, or its process has ended", other);
    if (time > deadline)
      return fail(status, KERATIN_UNAVAILABLE,
                  "rank %d has not come in time (KERATIN_COLLECTIVE_TIMEOUT)", other);
  }
  return KERATIN_OK;
}

Code SharedSegment::barrier(int64_t deadline, keratin_status_t *status) {
  uint64_t wanted = generation + 1;
  slot(rank)->generation.store(wanted, std::memory_order_seq_cst);
  header()->arrivals.fetch_add(1, std::memory_order_seq_cst);
  if (header()->sleepers.load(std::memory_order_seq_cst))
    syscall(SYS_futex, &header()->arrivals, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  for (int32_t other = 0; other < size; ++other)
    if (other != rank)
      if (Code code = waitFor(other, wanted, deadline, status))
        return code;
  generation = wanted;
  return KERATIN_OK;
}

} // namespace keratin::comm

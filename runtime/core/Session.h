// Sessions and the variables in them.
#ifndef KERATIN_RUNTIME_CORE_SESSION_H
#define KERATIN_RUNTIME_CORE_SESSION_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Status.h"

#include <atomic>
#include <pthread.h>

namespace keratin::runtime {

// Shared while a call reads variables, exclusive while one updates them. Neither kind starves the
// other: a reader that comes while a writer waits, waits too; a writer that leaves lets in the
// readers that wait, before any other writer. Taken and left by one atomic operation where nobody
// waits.
class SessionLock {
public:
  SessionLock() = default;
  ~SessionLock();
  SessionLock(const SessionLock &) = delete;
  SessionLock &operator=(const SessionLock &) = delete;

  void lockShared();
  void lockExclusive();
  void unlock();

private:
  static constexpr int32_t writing = -1;
  bool tryShared();
  bool tryExclusive();
  bool admitReaders();

  std::atomic<int32_t> holders{0}; // readers, or `writing`
  std::atomic<int32_t> waitingWriters{0};
  std::atomic<int32_t> waiters{0}; // asleep, or about to be
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  // Guarded by the mutex. How many readers wait, and how often all that did were let in.
  int32_t waitingReaders = 0;
  uint64_t admissions = 0;
  pthread_cond_t left = PTHREAD_COND_INITIALIZER;
};

// Holds a session's lock for a scope; holds nothing for a null lock.
class SessionGuard {
public:
  SessionGuard(SessionLock *lock, bool exclusive) : lock(lock) {
    if (!lock)
      return;
    if (exclusive)
      lock->lockExclusive();
    else
      lock->lockShared();
  }
  ~SessionGuard() {
    if (lock)
      lock->unlock();
  }
  SessionGuard(const SessionGuard &) = delete;
  SessionGuard &operator=(const SessionGuard &) = delete;

private:
  SessionLock *lock;
};

} // namespace keratin::runtime

// Lives until the handle and every variable are gone.
struct keratin_session_t {
  const keratin_device_t *device = &keratin::runtime::cpuDevice;
  mutable keratin::runtime::SessionLock lock;
  std::atomic<int64_t> references{1};
};

struct keratin_variable_t {
  keratin_session_t *session = nullptr;
  std::atomic<int64_t> references{1};
  // Never used twice in a process, so that a call can tell a variable from a later one at the same
  // address.
  uint64_t id = 0;
  int32_t dtype = 0;
  int32_t rank = 0;
  int64_t dims[KERATIN_MAX_RANK] = {};
  size_t bytes = 0;
  // Guarded by the session's lock, as the rest is. Another one for each value.
  uint64_t version = 0;
  // spare is empty until the first update that is not made in place.
  keratin::runtime::Block value;
  keratin::runtime::Block spare;
};

namespace keratin::runtime {

inline bool isOnCpu(const keratin_variable_t &variable) {
  return variable.session->device == &cpuDevice;
}

// Whether the variable's session can take a value for one of its dtype, and of this shape and so
// many bytes.
Code checkValue(const keratin_variable_t &variable, int32_t rank, const int64_t *dims, size_t bytes,
                const keratin_tensor_t &value, keratin_status_t *status);

// Several of an array of variables: those of these numbers, or, for null, the first.
struct SeveralVariables {
  keratin_variable_t *const *all;
  const int32_t *numbers;
  int32_t count;

  int32_t numberOf(int32_t i) const { return numbers ? numbers[i] : i; }
  keratin_variable_t &operator[](int32_t i) const { return *all[numberOf(i)]; }
};

// As keratin_variables_read and keratin_variables_write. Of the one that is refused, `refused`
// becomes the place.
Code readSeveral(const SeveralVariables &variables, void *const *data, const size_t *bytes,
                 int32_t &refused, keratin_status_t *status);
Code writeSeveral(const SeveralVariables &variables, const keratin_tensor_t *values,
                  int32_t &refused, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_SESSION_H

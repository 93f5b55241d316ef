#include "runtime/core/Session.h"

using namespace keratin::runtime;

SessionLock::~SessionLock() {
  pthread_cond_destroy(&left);
  pthread_mutex_destroy(&mutex);
}

// A sleeper counts itself before it looks at the holders, and who leaves looks at the count after
// it has left: one of the two sees the other. For that, all these operations are in one order; a
// weaker load of the holders could come before the sleeper has counted itself.
bool SessionLock::tryShared() {
  int32_t present = holders.load();
  while (present != writing && waitingWriters.load() == 0)
    if (holders.compare_exchange_weak(present, present + 1))
      return true;
  return false;
}

bool SessionLock::tryExclusive() {
  int32_t none = 0;
  return holders.compare_exchange_strong(none, writing);
}

void SessionLock::lockShared() {
  if (tryShared())
    return;
  pthread_mutex_lock(&mutex);
  waiters.fetch_add(1);
  ++waitingReaders;
  uint64_t before = admissions;
  while (admissions == before) {
    if (tryShared()) {
      --waitingReaders;
      break;
    }
    pthread_cond_wait(&left, &mutex);
  }
  waiters.fetch_sub(1);
  pthread_mutex_unlock(&mutex);
}

void SessionLock::lockExclusive() {
  if (tryExclusive())
    return;
  pthread_mutex_lock(&mutex);
  waitingWriters.fetch_add(1);
  waiters.fetch_add(1);
  while (!tryExclusive())
    pthread_cond_wait(&left, &mutex);
  waiters.fetch_sub(1);
  waitingWriters.fetch_sub(1);
  pthread_mutex_unlock(&mutex);
}

// Makes the writer that leaves into the readers that wait, if any do: no writer comes between.
bool SessionLock::admitReaders() {
  if (waiters.load() == 0)
    return false;
  pthread_mutex_lock(&mutex);
  bool any = waitingReaders > 0;
  if (any) {
    holders.store(waitingReaders);
    waitingReaders = 0;
    ++admissions;
    pthread_cond_broadcast(&left);
  }
  pthread_mutex_unlock(&mutex);
  return any;
}

void SessionLock::unlock() {
  if (holders.load(std::memory_order_relaxed) == writing) {
    if (admitReaders())
      return;
    holders.store(0);
  } else if (holders.fetch_sub(1) != 1) {
    return;
  }
  if (waiters.load() == 0)
    return;
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&left);
  pthread_mutex_unlock(&mutex);
}

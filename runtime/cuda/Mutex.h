// A lock of pthreads for a scope.
#ifndef KERATIN_RUNTIME_CUDA_MUTEX_H
#define KERATIN_RUNTIME_CUDA_MUTEX_H

#include <pthread.h>

namespace keratin::cuda {

class Mutex {
public:
  constexpr Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() { pthread_mutex_lock(&mutex); }
  void unlock() { pthread_mutex_unlock(&mutex); }

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class MutexGuard {
public:
  explicit MutexGuard(Mutex &mutex) : mutex(mutex) { mutex.lock(); }
  ~MutexGuard() { mutex.unlock(); }
  MutexGuard(const MutexGuard &) = delete;
  MutexGuard &operator=(const MutexGuard &) = delete;

private:
  Mutex &mutex;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_MUTEX_H

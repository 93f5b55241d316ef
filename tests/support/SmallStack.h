// Runs work on a thread with the stack of a careful embedder, so that a walk that recurses over the
// graph overflows instead of passing by luck.
#ifndef KERATIN_TESTS_SUPPORT_SMALLSTACK_H
#define KERATIN_TESTS_SUPPORT_SMALLSTACK_H

#include <exception>
#include <functional>
#include <pthread.h>
#include <stdexcept>

namespace keratin::tests {

// Sanitizers need several times the stack for the same frames.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr size_t kSmallStack = 8 << 20;
#else
constexpr size_t kSmallStack = 1 << 20;
#endif
#else
constexpr size_t kSmallStack = 1 << 20;
#endif

// Exceptions come back to the caller.
inline void onSmallStack(const std::function<void()> &work) {
  struct Job {
    const std::function<void()> &work;
    std::exception_ptr failure;
  } job{work, nullptr};
  auto enter = [](void *data) -> void * {
    auto &job = *static_cast<Job *>(data);
    try {
      job.work();
    } catch (...) {
      job.failure = std::current_exception();
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSmallStack);
  if (pthread_create(&thread, &attributes, enter, &job) != 0)
    throw std::runtime_error("no thread with a small stack");
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (job.failure)
    std::rethrow_exception(job.failure);
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_SMALLSTACK_H

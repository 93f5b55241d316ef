// Tells the child of a fork() from its parent.
//
// The mark lies in memory that the kernel clears in a child, so that looking is a load. A handler
// of pthread_atfork would tell it, too, but nothing would take it back when a compiled model is
// unloaded: in such an object no code runs then.
#ifndef KERATIN_RUNTIME_CPU_FORKMARK_H
#define KERATIN_RUNTIME_CPU_FORKMARK_H

#include <atomic>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

namespace keratin::runtime {

// Has static storage: the kernel is told of its pages.
class ForkMark {
public:
  // Before anything that a child would miss, or find held by a thread that it has not: threads and
  // locks. By any number of threads at once.
  void place() {
    if (isPlaced.load(std::memory_order_acquire))
      return;
#ifdef MADV_WIPEONFORK
    isWiped.store(madvise(page(), pageBytes, MADV_WIPEONFORK) == 0, std::memory_order_relaxed);
#endif
    word().store(own(), std::memory_order_relaxed);
    isPlaced.store(true, std::memory_order_release);
  }

  // True in a child of the process that placed the mark, for one thread; others wait until it has
  // called forget(), which makes the mark the child's.
  bool isInChild() {
    if (!isPlaced.load(std::memory_order_acquire) ||
        word().load(std::memory_order_acquire) == own())
      return false;
    while (isForgetting.exchange(true, std::memory_order_acquire))
      sched_yield();
    if (word().load(std::memory_order_relaxed) != own())
      return true;
    isForgetting.store(false, std::memory_order_release);
    return false;
  }

  void forget() {
    word().store(own(), std::memory_order_release);
    isForgetting.store(false, std::memory_order_release);
  }

private:
#ifdef __x86_64__
  static constexpr uintptr_t pageBytes = 4 << 10;
#else
  static constexpr uintptr_t pageBytes = 64 << 10; // the largest there is
#endif

  // Where memory cannot be wiped, a child is known by its number.
  int64_t own() const { return isWiped.load(std::memory_order_relaxed) ? 1 : int64_t(getpid()); }

  // A whole page of the area, nothing else on it.
  char *page() {
    return reinterpret_cast<char *>((uintptr_t(area) + pageBytes - 1) / pageBytes * pageBytes);
  }
  std::atomic<int64_t> &word() { return *reinterpret_cast<std::atomic<int64_t> *>(page()); }

  std::atomic<bool> isPlaced{false}, isForgetting{false}, isWiped{false};
  char area[2 * pageBytes] = {};
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CPU_FORKMARK_H

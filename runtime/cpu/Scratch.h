// Working memory of the threads that run kernels of one call.
#ifndef KERATIN_RUNTIME_CPU_SCRATCH_H
#define KERATIN_RUNTIME_CPU_SCRATCH_H

#include "runtime/include/keratin/runtime.h"

#include <atomic>
#include <sched.h>

namespace keratin::runtime {

// A call has a slot for each thread that the pool may use, asked for before any work. A thread
// takes a free slot for its part of a region, of a host's pool for a chunk; code outside regions
// uses slot 0, when no chunk can be running. Where threads are more than slots, they wait for one.
class Scratch {
public:
  static constexpr int maxSlots = 64;

  void set(void *memory, int64_t bytesPerSlot, int slots) {
    base = static_cast<char *>(memory);
    bytes = bytesPerSlot;
    free.store(slots >= maxSlots ? ~uint64_t(0) : (uint64_t(1) << slots) - 1,
               std::memory_order_relaxed);
  }

  // The context as a thread sees it; leave() gives the slot back.
  keratin_context_t enter(keratin_context_t *call, int &slot) {
    uint64_t mask = free.load(std::memory_order_relaxed);
    for (;;) {
      if (mask == 0) {
        sched_yield();
        mask = free.load(std::memory_order_relaxed);
        continue;
      }
      slot = __builtin_ctzll(mask);
      if (free.compare_exchange_weak(mask, mask & (mask - 1), std::memory_order_acquire,
                                     std::memory_order_relaxed))
        break;
    }
    // Not a copy of the whole: failed_site may just now be set by another chunk.
    return {.abi_version = call->abi_version,
            .failed_site = 0,
            .functions = call->functions,
            .scratch = base + slot * bytes,
            .numbers_suspect = call->numbers_suspect,
            .host = call->host,
            .call = call,
            .profiled = call->profiled,
            .invocation = call->invocation,
            .prepares = 0,
            .units_done = 0,
            .reserved = {}};
  }

  void leave(int slot) { free.fetch_or(uint64_t(1) << slot, std::memory_order_release); }

private:
  char *base = nullptr;
  int64_t bytes = 0;
  std::atomic<uint64_t> free{0};
};

// Slots of a call that begins now.
inline int scratchSlots() {
  int32_t threads = keratin_num_threads();
  return threads < Scratch::maxSlots ? threads : Scratch::maxSlots;
}

// The context of the call itself: what a chunk's own context was copied from.
inline keratin_context_t *callContext(keratin_context_t *context) {
  return context->call ? static_cast<keratin_context_t *>(context->call) : context;
}

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CPU_SCRATCH_H

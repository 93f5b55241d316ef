#include "runtime/core/Lease.h"

namespace keratin::runtime {

LeasePool::~LeasePool() { clear(); }

void LeasePool::clear() {
  for (std::atomic<Lease *> &slot : slots)
    Lease::destroy(slot.exchange(nullptr, std::memory_order_acq_rel));
}

Lease *LeasePool::take(const keratin_function_desc_t &descriptor, const LeaseLayout &layout) {
  Lease *fresh = nullptr;
  for (std::atomic<Lease *> &slot : slots) {
    Lease *lease = slot.load(std::memory_order_acquire);
    if (!lease) {
      // Slots fill from the front and never empty, so all leases there are were found busy.
      if (!fresh && !(fresh = Lease::create(descriptor, layout)))
        return nullptr;
      fresh->pooled = true;
      if (slot.compare_exchange_strong(lease, fresh, std::memory_order_acq_rel))
        return fresh;
    }
    if (lease->tryTake()) {
      Lease::destroy(fresh);
      return lease;
    }
  }
  if (!fresh)
    fresh = Lease::create(descriptor, layout);
  if (fresh)
    fresh->pooled = false;
  return fresh;
}

Lease *LeasePool::takeIdle() {
  for (std::atomic<Lease *> &slot : slots) {
    Lease *lease = slot.load(std::memory_order_acquire);
    if (!lease || lease->tryTake())
      return lease;
  }
  return nullptr;
}

void LeasePool::giveBack(Lease *lease) {
  if (lease->pooled)
    lease->busy.store(0, std::memory_order_release);
  else
    Lease::destroy(lease);
}

void LeasePool::trim() {
  for (std::atomic<Lease *> &slot : slots) {
    Lease *lease = slot.load(std::memory_order_acquire);
    if (!lease || lease->busy.exchange(1, std::memory_order_acquire) != 0)
      continue;
    lease->arena.reset();
    lease->scratchMemory.reset();
    lease->packed.reset();
    lease->results.reset();
    lease->staged.reset();
    for (int64_t i = 0; i < lease->numMemories; ++i)
      lease->memories[i].block.reset();
    giveBack(lease);
  }
}

} // namespace keratin::runtime

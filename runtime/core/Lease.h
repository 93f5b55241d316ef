// What one call in flight owns: its context, its evaluated sizes, its arena. Leases belong to an
// executable and are taken again and again, so that a call with the sizes of an earlier one finds
// everything ready.
#ifndef KERATIN_RUNTIME_CORE_LEASE_H
#define KERATIN_RUNTIME_CORE_LEASE_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Status.h"
#include "runtime/cpu/Scratch.h"

#include <atomic>

namespace keratin::runtime {

// Lengths of the arrays of a lease; they follow from the descriptor.
struct LeaseLayout {
  explicit LeaseLayout(const keratin_function_desc_t &descriptor);

  int64_t inputDims = 0;    // dims of all inputs together
  int64_t valueSymbols = 0; // symbols read out of inputs and variables
  int64_t outputDims = 0;
  int64_t spares = 0; // updates that are not made in place
  int64_t buffers = 0;
  int64_t memories = 0; // keratin_computed_sizes_t::memories, the last of the buffers
  // Of a function whose kernels a device runs: the device, what its calls do, and where the
  // constants lie on it. Else the CPU, and nothing.
  const keratin_device_t *device = &cpuDevice;
  const struct DeviceSupport *support = nullptr;
  void *const *constants = nullptr;
};

// Memory that is asked for during a call.
struct LateMemory {
  Block block;
  int64_t bytes = 0; // that the buffer has in this call
};

class Lease {
public:
  Lease() = default;
  ~Lease();
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  // nullptr where there is no memory.
  static Lease *create(const keratin_function_desc_t &descriptor, const LeaseLayout &layout);
  static void destroy(Lease *lease);
  // For a lease in memory of somebody else's: the bytes of its arrays, and to lay them out there.
  static size_t arrayBytes(const keratin_function_desc_t &descriptor, const LeaseLayout &layout);
  void layOut(const keratin_function_desc_t &descriptor, const LeaseLayout &layout, void *arrays);

  // What the sizes were evaluated from: the dims of all inputs, then the values of the value
  // symbols.
  int64_t *key = nullptr;
  // True if the fields below follow from key and from the variables with variableIds.
  bool planned = false;
  uint64_t *variableIds = nullptr;
  int64_t *sizes = nullptr; // behind them, without a gap, the buffers
  int64_t *inputBytes = nullptr;
  int64_t *outputDims = nullptr;
  int64_t *outputBytes = nullptr;
  int64_t arenaBytes = 0;

  keratin_context_t context = {};
  void **buffers = nullptr; // as the entry function takes them; the constants are filled in
  Block arena;
  Block scratchMemory;
  Scratch scratch; // its slots
  Block packed;    // copies of inputs that cannot be read where they lie
  // Of a call on a device:
  void *queue = nullptr;
  Block results;                                          // outputs, before they go to the caller
  keratin_transfer_t *sent = nullptr, *fetched = nullptr; // for each input, for each output
  Block staged; // keratin_runtime_functions_t::staging, in the host's memory
  LateMemory *memories = nullptr;
  int64_t numMemories = 0;

private:
  friend class LeasePool;
  bool moveTo(const LeaseLayout &layout);
  bool tryTake() {
    return busy.load(std::memory_order_relaxed) == 0 &&
           busy.exchange(1, std::memory_order_acquire) == 0;
  }
  std::atomic<uint32_t> busy{1};
  bool pooled = false;
  const keratin_device_t *device = &cpuDevice;
  void *storage = nullptr;
  size_t storageBytes = 0;
};

// Leases by the call: taking and giving back is one atomic exchange and one store.
class LeasePool {
public:
  LeasePool() = default;
  ~LeasePool();
  LeasePool(const LeasePool &) = delete;
  LeasePool &operator=(const LeasePool &) = delete;

  // nullptr where there is no memory. Makes a lease if all are in use.
  Lease *take(const keratin_function_desc_t &descriptor, const LeaseLayout &layout);
  // nullptr if all there are are in use.
  Lease *takeIdle();
  void giveBack(Lease *lease);
  // Ends all leases. Precondition: nobody has taken one.
  void clear();
  // Frees the memory of the leases nobody has taken.
  void trim();

private:
  // More calls than this at once work too; their leases do not outlive them.
  static constexpr int maxPooled = 64;
  std::atomic<Lease *> slots[maxPooled] = {};
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_LEASE_H

// An executable: a checked descriptor and the leases of its calls.
#ifndef KERATIN_RUNTIME_CORE_EXECUTABLE_H
#define KERATIN_RUNTIME_CORE_EXECUTABLE_H

#include "runtime/core/Lease.h"
#include "runtime/core/PreparedValues.h"
#include "runtime/core/Ranks.h"
#include "runtime/core/SiteNumbers.h"
#include "runtime/cpu/ThreadPool.h"

struct keratin_executable_t {
  explicit keratin_executable_t(const keratin_function_desc_t &descriptor)
      : descriptor(descriptor), sites(descriptor), layout(descriptor),
        prepared(descriptor.prepared) {
    keratin::runtime::addPoolUser();
  }
  ~keratin_executable_t();

  // Of a function with code for a device: finds it, unless it is named, loads the code, and sends
  // the constants. Before the first lease is taken.
  keratin_status_code_t load(const keratin_device_t *device, keratin_status_t *status);

  const keratin_function_desc_t &descriptor;
  const keratin::runtime::SiteNumbers sites;
  keratin::runtime::LeaseLayout layout; // the same from the first lease on
  void *module = nullptr;               // the code on the device
  keratin::runtime::Block constants, constantAddresses;
  keratin::runtime::PreparedValues prepared;
  keratin::runtime::LeasePool leases; // which use what stands before
  // For calls where what this code assumes does not hold (GeneralCode.h); set once, if at all.
  std::atomic<keratin_executable_t *> general{nullptr};
  keratin::runtime::Ranks ranks; // that call it together, or that it asks which it is of

  // Whether they tell each other anything.
  bool meetsRanks() const { return ranks.functions && descriptor.num_collectives > 0; }
};

#endif // KERATIN_RUNTIME_CORE_EXECUTABLE_H

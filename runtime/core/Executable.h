// An executable: a checked descriptor and the leases of its calls.
#ifndef KERATIN_RUNTIME_CORE_EXECUTABLE_H
#define KERATIN_RUNTIME_CORE_EXECUTABLE_H

#include "runtime/core/Lease.h"
#include "runtime/cpu/ThreadPool.h"

struct keratin_executable_t {
  explicit keratin_executable_t(const keratin_function_desc_t &descriptor)
      : descriptor(descriptor), layout(descriptor) {
    keratin::runtime::addPoolUser();
  }
  ~keratin_executable_t() { keratin::runtime::removePoolUser(); }

  const keratin_function_desc_t &descriptor;
  const keratin::runtime::LeaseLayout layout;
  keratin::runtime::LeasePool leases;
};

#endif // KERATIN_RUNTIME_CORE_EXECUTABLE_H

// The devices that are known, the CPU first.
#ifndef KERATIN_RUNTIME_CORE_DEVICE_H
#define KERATIN_RUNTIME_CORE_DEVICE_H

#include "runtime/core/Status.h"
#include "runtime/include/keratin/device.h"

#include <atomic>

namespace keratin::runtime {

extern const keratin_device_t cpuDevice;

// Those that are known. They fill from the front, one registration at a time, and never empty.
inline constexpr int maxDevices = 16;
extern std::atomic<const keratin_device_t *> devices[maxDevices];

// Where a view lies.
inline const keratin_device_t &deviceOf(const keratin_tensor_t &view) {
  return view.device ? *view.device : cpuDevice;
}

inline bool isOnHost(const keratin_tensor_t &view) {
  return !view.device || view.device == &cpuDevice;
}

// Whether it is one of those that run code for the device of this name.
bool runsCodeFor(const keratin_device_t &device, const char *name);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICE_H

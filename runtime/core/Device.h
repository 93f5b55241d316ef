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

// One of them, or null.
const keratin_device_t *findRegistered(const char *name);

// Where a view lies.
inline const keratin_device_t &deviceOf(const keratin_tensor_t &view) {
  return view.device ? *view.device : cpuDevice;
}

inline bool isOnHost(const keratin_tensor_t &view) {
  return !view.device || view.device == &cpuDevice;
}

// Whether the device has this function, of those that not all have.
template <typename Function>
bool hasFunction(const keratin_device_t &device, Function keratin_device_t::*function) {
  auto offset =
      reinterpret_cast<const char *>(&(device.*function)) - reinterpret_cast<const char *>(&device);
  return device.bytes >= size_t(offset) + sizeof(Function) && device.*function;
}

// Where something ("function", "model") of this name runs that was compiled for device `needed`: on
// the one of the name asked for, if it runs such code, or on `needed` where that is null.
Code findDeviceFor(const char *what, const char *name, const char *needed, const char *asked,
                   const keratin_device_t *&device, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICE_H

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

// Where something ("function", "model") of this name runs that was compiled for device `needed`: on
// the one of the name asked for, if it runs such code, or on `needed` where that is null.
Code findDeviceFor(const char *what, const char *name, const char *needed, const char *asked,
                   const keratin_device_t *&device, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICE_H

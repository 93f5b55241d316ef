#include "runtime/core/Device.h"

#include "runtime/core/Allocator.h"
#include "runtime/core/DeviceSupport.h"

#include <atomic>
#include <string.h>

namespace keratin::runtime {

//===-- The CPU -------------------------------------------------------------------------------===//

static void *allocateOnHost(void *, size_t bytes, size_t alignment) {
  return allocate(bytes, alignment);
}

static void releaseOnHost(void *, void *data, size_t bytes, size_t alignment) {
  deallocate(data, bytes, alignment);
}

static Code copyOnHost(void *, void *, int32_t, void *to, const void *from, size_t bytes,
                       keratin_status_t *) {
  if (bytes)
    memcpy(to, from, bytes);
  return KERATIN_OK;
}

static Code fillOnHost(void *, void *, int32_t, void *to, uint8_t byte, size_t bytes,
                       keratin_status_t *) {
  if (bytes)
    memset(to, byte, bytes);
  return KERATIN_OK;
}

constinit const keratin_device_t cpuDevice = {
    .bytes = sizeof(keratin_device_t),
    .abi_version = KERATIN_DEVICE_ABI_VERSION,
    .name = "cpu",
    .user = nullptr,
    .allocate = allocateOnHost,
    .release = releaseOnHost,
    .copy_in = copyOnHost,
    .copy_out = copyOnHost,
    .copy_within = copyOnHost,
    .fill = fillOnHost,
    .load = nullptr,
    .unload = nullptr,
    .open = nullptr,
    .close = nullptr,
    .begin = nullptr,
    .launch = nullptr,
    .wait = nullptr,
    .guard = nullptr,
    .run = nullptr,
    .follow = nullptr,
    .check = nullptr,
    .mark = nullptr,
    .marked = nullptr,
    .fork = nullptr,
    .join = nullptr,
    .expose = nullptr,
};

//===-- Those that are known ------------------------------------------------------------------===//

constinit std::atomic<const keratin_device_t *> devices[maxDevices] = {&cpuDevice};
constinit std::atomic<const DeviceSupport *> deviceSupport{nullptr};

const keratin_device_t *findRegistered(const char *name) {
  for (int32_t i = 0; const keratin_device_t *device = keratin_device_at(i); ++i)
    if (strcmp(device->name, name) == 0)
      return device;
  return nullptr;
}

static ShortText whyNone(const char *name) {
  const DeviceSupport *support = deviceSupport.load(std::memory_order_acquire);
  return support ? support->whyNone(name)
                 : ShortText().add("which is not known; known devices: %s", cpuDevice.name);
}

// Whether it is one of those that run code for the device of this name.
static bool runsCodeFor(const keratin_device_t &device, const char *name) {
  const char *rest = device.name;
  for (; *name && *rest == *name; ++rest)
    ++name;
  return *name == '\0' && (*rest == '\0' || *rest == ':');
}

Code findDeviceFor(const char *what, const char *name, const char *needed, const char *asked,
                   const keratin_device_t *&device, keratin_status_t *status) {
  device = keratin_device_find(asked ? asked : needed);
  if (!device)
    return fail(status, KERATIN_FAILED_PRECONDITION, "%s '%s' needs device '%s', %s", what, name,
                asked ? asked : needed, whyNone(asked ? asked : needed).text());
  if (!runsCodeFor(*device, needed))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "%s '%s' was compiled for device '%s'; found device '%s'", what, name, needed,
                device->name);
  return KERATIN_OK;
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" const keratin_device_t *keratin_cpu_device(void) { return &cpuDevice; }

extern "C" const keratin_device_t *keratin_device_at(int32_t number) {
  return number >= 0 && number < maxDevices ? devices[number].load(std::memory_order_acquire)
                                            : nullptr;
}

extern "C" const keratin_device_t *keratin_device_find(const char *name) {
  if (!name)
    return nullptr;
  if (const keratin_device_t *device = findRegistered(name))
    return device;
  const DeviceSupport *support = deviceSupport.load(std::memory_order_acquire);
  return support ? support->provide(name) : nullptr;
}

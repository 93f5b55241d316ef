#include "runtime/core/Device.h"

#include "runtime/core/Allocator.h"

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
};

//===-- Those that are known ------------------------------------------------------------------===//

static constexpr int maxDevices = 16;
static constinit std::atomic<const keratin_device_t *> devices[maxDevices] = {&cpuDevice};

ShortText knownDevices() {
  ShortText text;
  for (const auto &slot : devices)
    if (const keratin_device_t *device = slot.load(std::memory_order_acquire))
      text.add("%s%s", device == &cpuDevice ? "" : ", ", device->name);
  return text;
}

static const keratin_device_t *findKnown(const char *name) {
  for (const auto &slot : devices)
    if (const keratin_device_t *device = slot.load(std::memory_order_acquire);
        device && strcmp(device->name, name) == 0)
      return device;
  return nullptr;
}

static constinit std::atomic<keratin_device_provider_t> provider = nullptr;

// Whether every function is there that a device needs which runs images.
static bool isWhole(const keratin_device_t &device) {
  return device.name && device.allocate && device.release && device.copy_in && device.copy_out &&
         device.copy_within && device.fill && device.load && device.unload && device.open &&
         device.close && device.begin && device.launch && device.wait && device.guard;
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" const keratin_device_t *keratin_cpu_device(void) { return &cpuDevice; }

extern "C" void keratin_device_set_provider(keratin_device_provider_t provides) {
  provider.store(provides, std::memory_order_release);
}

extern "C" keratin_status_code_t
keratin_device_open(const char *name, const keratin_device_t **device, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{name, "name"}, {device, "device"}}))
    return code;
  *device = findKnown(name);
  keratin_device_provider_t provides = provider.load(std::memory_order_acquire);
  if (!*device && provides)
    if (Code code = provides(name, device, status))
      return code;
  if (!*device)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "there is no device '%s' in this process; it has %s", name, knownDevices().text());
  return succeed(status);
}

extern "C" const keratin_device_t *keratin_device_find(const char *name) {
  const keratin_device_t *device = nullptr;
  return name && keratin_device_open(name, &device, nullptr) == KERATIN_OK ? device : nullptr;
}

extern "C" keratin_status_code_t keratin_device_register(const keratin_device_t *device,
                                                         keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{device, "device"}}))
    return code;
  if (device->bytes < sizeof(keratin_device_t) ||
      device->abi_version != KERATIN_DEVICE_ABI_VERSION || !isWhole(*device))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "the device '%s' lacks functions that version %d of devices has",
                device->bytes >= offsetof(keratin_device_t, user) && device->name ? device->name
                                                                                  : "",
                KERATIN_DEVICE_ABI_VERSION);
  if (findKnown(device->name))
    return fail(status, KERATIN_INVALID_ARGUMENT, "there is a device '%s' already", device->name);
  for (auto &slot : devices) {
    const keratin_device_t *none = nullptr;
    if (slot.compare_exchange_strong(none, device, std::memory_order_acq_rel))
      return succeed(status);
  }
  return fail(status, KERATIN_RESOURCE_EXHAUSTED, "there are %d devices, no more are possible",
              maxDevices);
}

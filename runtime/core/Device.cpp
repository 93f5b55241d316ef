#include "runtime/core/Device.h"

#include "runtime/core/Allocator.h"

#include <atomic>
#include <pthread.h>
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

// Slots fill from the front and never empty. Under the mutex; read without it.
static constexpr int maxDevices = 16;
static constinit std::atomic<const keratin_device_t *> devices[maxDevices] = {&cpuDevice};
static constinit pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

ShortText knownDevices() {
  ShortText text;
  for (int32_t i = 0; const keratin_device_t *device = keratin_device_at(i); ++i)
    text.add("%s%s", i ? ", " : "", device->name);
  return text;
}

bool runsCodeFor(const keratin_device_t &device, const char *name) {
  size_t length = strlen(name);
  return strncmp(device.name, name, length) == 0 &&
         (device.name[length] == '\0' || device.name[length] == ':');
}

static Code addDevice(const keratin_device_t &device, keratin_status_t *status) {
  if (keratin_device_find(device.name))
    return fail(status, KERATIN_INVALID_ARGUMENT, "there is a device '%s' already", device.name);
  for (auto &slot : devices)
    if (!slot.load(std::memory_order_relaxed)) {
      slot.store(&device, std::memory_order_release);
      return succeed(status);
    }
  return fail(status, KERATIN_RESOURCE_EXHAUSTED, "there are %d devices, no more are possible",
              maxDevices);
}

// Whether every function is there that a device needs which runs images.
static bool isWhole(const keratin_device_t &device) {
  return device.name && device.allocate && device.release && device.copy_in && device.copy_out &&
         device.copy_within && device.fill && device.load && device.unload && device.open &&
         device.close && device.begin && device.launch && device.wait && device.guard;
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" const keratin_device_t *keratin_cpu_device(void) { return &cpuDevice; }

extern "C" const keratin_device_t *keratin_device_at(int32_t number) {
  return number >= 0 && number < maxDevices ? devices[number].load(std::memory_order_acquire)
                                            : nullptr;
}

extern "C" const keratin_device_t *keratin_device_find(const char *name) {
  for (int32_t i = 0; const keratin_device_t *device = keratin_device_at(i); ++i)
    if (name && strcmp(device->name, name) == 0)
      return device;
  return nullptr;
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
  pthread_mutex_lock(&registering);
  Code code = addDevice(*device, status);
  pthread_mutex_unlock(&registering);
  return code;
}

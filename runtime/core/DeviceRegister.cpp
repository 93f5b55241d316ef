// Making devices known. A program that does has all that calls on them need; one that does not is
// linked without.
#include "runtime/core/DeviceCall.h"
#include "runtime/core/DeviceMemory.h"

#include <pthread.h>

namespace keratin::runtime {

static ShortText namesOfAll() {
  ShortText text;
  for (int32_t i = 0; const keratin_device_t *device = keratin_device_at(i); ++i)
    text.add("%s%s", i ? ", " : "", device->name);
  return text;
}

static constinit std::atomic<keratin_device_provider_t> provider{nullptr};

// Null, with KERATIN_OK, where the name is no provider's.
static Code askProvider(const char *name, const keratin_device_t *&device,
                        keratin_status_t *status) {
  device = nullptr;
  keratin_device_provider_t ask = provider.load(std::memory_order_acquire);
  return ask ? ask(name, &device, status) : KERATIN_OK;
}

static const keratin_device_t *provide(const char *name) {
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  return askProvider(name, device, &status) == KERATIN_OK ? device : nullptr;
}

static ShortText whyNone(const char *name) {
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  if (askProvider(name, device, &status) != KERATIN_OK)
    return ShortText().add("which cannot be used: %s", status.message);
  return ShortText().add("which is not known; known devices: %s", namesOfAll().text());
}

static constexpr DeviceSupport support = {.provide = provide,
                                          .whyNone = whyNone,
                                          .load = loadOnDevice,
                                          .execute = executeOnDevice,
                                          .stage = stageOnDevice,
                                          .fetch = fetchFromDevice,
                                          .send = sendToDevice};

static constinit pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static Code addDevice(const keratin_device_t &device, keratin_status_t *status) {
  if (findRegistered(device.name))
    return fail(status, KERATIN_INVALID_ARGUMENT, "there is a device '%s' already", device.name);
  for (auto &slot : devices)
    if (!slot.load(std::memory_order_relaxed)) {
      deviceSupport.store(&support, std::memory_order_release);
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

extern "C" keratin_status_code_t keratin_device_register(const keratin_device_t *device,
                                                         keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{device, "device"}}))
    return code;
  if (device->bytes < KERATIN_DEVICE_LEAST_BYTES ||
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

extern "C" void keratin_device_set_provider(keratin_device_provider_t provides) {
  provider.store(provides, std::memory_order_release);
  deviceSupport.store(&support, std::memory_order_release);
}

extern "C" keratin_status_code_t
keratin_device_open(const char *name, const keratin_device_t **device, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{name, "name"}, {device, "device"}}))
    return code;
  *device = findRegistered(name);
  if (!*device)
    if (Code code = askProvider(name, *device, status))
      return code;
  if (*device)
    return succeed(status);
  return fail(status, KERATIN_FAILED_PRECONDITION, "unknown device '%s'; known devices: %s", name,
              namesOfAll().text());
}

#include "frontend/graph/Devices.h"

#include "codegen/Target.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/RuntimeStatus.h"
#include "keratin/error.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

using namespace keratin;
using namespace keratin::frontend;

// Null, with the reason, where there is none.
static const keratin_device_t *findDevice(const std::string &name, std::string &reason) {
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  if (keratin_device_open(name.c_str(), &device, &status) != KERATIN_OK)
    reason = status.message;
  return device;
}

static const keratin_device_t &deviceNamed(const std::string &name, const std::string &who) {
  std::string reason;
  if (const keratin_device_t *device = findDevice(name, reason))
    return *device;
  throw ValueError(who + ": " + reason);
}

// Null until somebody asks for it or sets it.
static std::atomic<const keratin_device_t *> current{nullptr};

const keratin_device_t &frontend::currentDevice() {
  if (const keratin_device_t *device = current.load())
    return *device;
  const char *name = std::getenv("KERATIN_DEVICE");
  const keratin_device_t *first =
      name && *name ? &deviceNamed(name, "KERATIN_DEVICE") : keratin_cpu_device();
  const keratin_device_t *none = nullptr;
  return current.compare_exchange_strong(none, first) ? *first : *none;
}

void frontend::setCurrentDevice(const std::string &name) {
  current = &deviceNamed(name, "set_device");
}

static std::string familyOf(const std::string &name) { return codegen::targetFamily(name).str(); }

Placement frontend::placementOn(const keratin_device_t &device) {
  Placement placement{&device, {}};
  placement.options.target = familyOf(device.name);
  return placement;
}

static const keratin_device_t *deviceOf(const FunctionOptions &options, std::string &reason) {
  std::string name = options.device.empty() ? familyOf(options.target) : options.device;
  return name.empty() ? &currentDevice() : findDevice(name, reason);
}

Placement frontend::placementOf(const Call &call, const FunctionOptions &options) {
  if (!codegen::float32ProductsByName(options.float32Products))
    call.valueError("float32Products is '" + options.float32Products +
                    "'; needed 'float32' or 'tf32'");
  std::string reason;
  Placement placement{deviceOf(options, reason), options, call.location};
  if (!placement.device && !options.device.empty())
    call.valueError(reason);
  if (!placement.device)
    return placement;
  std::string needed = familyOf(placement.device->name);
  if (!options.target.empty() && familyOf(options.target) != needed)
    call.valueError("the target is '" + options.target + "'; device '" + placement.device->name +
                    "' needs target '" + needed + "'");
  if (options.target.empty())
    placement.options.target = needed;
  return placement;
}

keratin_session_t *frontend::sessionOn(const keratin_device_t &device) {
  static std::mutex mutex;
  // Never destroyed: variables with static storage may outlive everything.
  static auto *sessions = new std::map<const keratin_device_t *, keratin_session_t *>;
  std::lock_guard lock(mutex);
  keratin_session_t *&session = (*sessions)[&device];
  if (session)
    return session;
  keratin_status_t status = {};
  keratin_session_create_on(&device, &session, &status);
  throwIfFailed("session", status);
  return session;
}

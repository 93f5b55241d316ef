#include "frontend/graph/VariableStorage.h"

#include "frontend/graph/Devices.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"
#include "frontend/values/Elements.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

using namespace keratin;
using namespace keratin::frontend;

// Shared while somebody looks where a variable lies or writes it there, exclusive while one moves.
// Never destroyed: variables with static storage may outlive everything.
static std::shared_mutex &moves() {
  static auto *mutex = new std::shared_mutex;
  return *mutex;
}

// Whether all bits of a scalar are 0, as those of a fresh variable are.
static bool isZero(const Array &element) {
  auto *bytes = static_cast<const char *>(element.rawData());
  return std::all_of(bytes, bytes + element.bytes(), [](char byte) { return byte == 0; });
}

VariableStorage::VariableStorage(const Array &initial)
    : type(initial.dtype()), dims(initial.shape()), place(&currentDevice()) {
  Array packed;
  variable = makeOn(*place, rowMajor(initial, packed).rawData());
}

VariableStorage::VariableStorage(const Array &element, const std::vector<int64_t> &dims)
    : type(element.dtype()), dims(dims), place(&currentDevice()) {
  variable = makeOn(*place, /*initial=*/nullptr);
  if (isZero(element))
    return;
  std::vector<int64_t> strides(dims.size(), 0);
  keratin_tensor_t view = viewOf(element);
  view.rank = int32_t(dims.size());
  view.dims = dims.data();
  view.strides = strides.data();
  keratin_status_t status = {};
  keratin_variable_write(variable.get(), &view, &status);
  throwIfFailed("variable", status);
}

// Zeros for null.
VariableStorage::Handle VariableStorage::makeOn(const keratin_device_t &device,
                                                const void *initial) const {
  keratin_status_t status = {};
  keratin_variable_t *made = nullptr;
  keratin_variable_create(sessionOn(device), int32_t(type), int32_t(dims.size()), dims.data(),
                          initial, &made, &status);
  throwIfFailed("variable", status);
  return Handle(made, keratin_variable_release);
}

size_t VariableStorage::bytes() const {
  std::shared_lock lock(moves());
  return keratin_variable_bytes(variable.get());
}

static Array readFrom(const VariableStorage &storage, const keratin_variable_t *variable) {
  Array value = Array::empty(storage.dtype(), storage.shape());
  keratin_status_t status = {};
  keratin_variable_read(variable, value.rawData(), value.bytes(), &status);
  throwIfFailed("get_value", status);
  return value;
}

Array VariableStorage::read() const {
  Handle present;
  {
    std::shared_lock lock(moves());
    present = variable;
  }
  return readFrom(*this, present.get());
}

static void readAll(const std::vector<VariableStorage::Handle> &from,
                    const std::vector<VariableStorage::Destination> &destinations) {
  std::vector<keratin_variable_t *> variables;
  std::vector<void *> data;
  std::vector<size_t> bytes;
  for (size_t i = 0; i < from.size(); ++i) {
    variables.push_back(from[i].get());
    data.push_back(destinations[i].data);
    bytes.push_back(keratin_variable_bytes(from[i].get()));
  }
  keratin_status_t status = {};
  keratin_variables_read(variables.data(), data.data(), bytes.data(), int32_t(from.size()),
                         &status);
  throwIfFailed("get_value", status);
}

void VariableStorage::read(const std::vector<Destination> &destinations) {
  auto handles = [&] {
    std::vector<Handle> present;
    std::shared_lock lock(moves());
    for (const Destination &each : destinations)
      present.push_back(each.storage->variable);
    return present;
  };
  // Nobody waits for a reader to move a variable. What was read of one that has moved meanwhile is
  // older than updates that others have had; again, then: each moves once.
  std::vector<Handle> from, present = handles();
  while (from != present) {
    from = std::move(present);
    readAll(from, destinations);
    present = handles();
  }
}

VariableStorage::Handle VariableStorage::peek(const keratin_device_t &device) const {
  std::shared_lock lock(moves());
  return place == &device ? variable : nullptr;
}

std::optional<std::string> VariableStorage::conflictOn(const keratin_device_t &device,
                                                       const std::string &name) const {
  const keratin_device_t *other = settledOn();
  if (!other || other == &device)
    return std::nullopt;
  return std::string("runs on device '") + device.name + "'; variable '" + name +
         "' lies on device '" + other->name + "'; needed one device for both";
}

VariableStorage::Handle VariableStorage::settle(const keratin_device_t &device,
                                                const std::string &function,
                                                const std::string &name) {
  if (settledOn() != &device) {
    std::unique_lock lock(moves());
    if (std::optional<std::string> conflict = conflictOn(device, name))
      throw ValueError(function + ": " + *conflict);
    if (place != &device) {
      variable = makeOn(device, readFrom(*this, variable.get()).rawData());
      place = &device;
    }
    settled.store(&device, std::memory_order_release);
  }
  return variable; // which moves no more
}

void VariableStorage::write(const std::string &function,
                            const std::vector<Assignment> &assignments) {
  std::vector<keratin_variable_t *> variables;
  std::vector<keratin_tensor_t> values;
  std::shared_lock lock(moves());
  for (const auto &[storage, value] : assignments) {
    variables.push_back(storage->variable.get());
    values.push_back(viewOf(value));
  }
  keratin_status_t status = {};
  keratin_variables_write(variables.data(), values.data(), int32_t(values.size()), &status);
  throwIfFailed(function, status);
}

#include "frontend/graph/VariableStorage.h"

#include "frontend/graph/Devices.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"
#include "frontend/values/Elements.h"

#include "ir/shapes/EvenParts.h"

#include <algorithm>
#include <cstring>
#include <list>
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
  variable = makeOn(*place, dims, rowMajor(initial, packed).rawData());
}

VariableStorage::VariableStorage(const Array &element, const std::vector<int64_t> &dims)
    : type(element.dtype()), dims(dims), place(&currentDevice()) {
  variable = makeOn(*place, dims, /*initial=*/nullptr);
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
                                                const std::vector<int64_t> &dims,
                                                const void *initial) const {
  keratin_status_t status = {};
  keratin_variable_t *made = nullptr;
  keratin_variable_create(sessionOn(device), int32_t(type), int32_t(dims.size()), dims.data(),
                          initial, &made, &status);
  throwIfFailed("variable", status);
  return Handle(made, keratin_variable_release);
}

size_t VariableStorage::bytes() const {
  size_t bytes = dtypeSize(type);
  for (int64_t size : dims)
    bytes *= size_t(size);
  return bytes;
}

//===-- Parts ---------------------------------------------------------------------------------===//

static ir::EvenParts partsAlong(keratin_axis_t axis) { return {jobRank(axis), jobSize(axis)}; }

// In one line, with zeros behind the last element.
Array VariableStorage::partOf(const Array &whole, keratin_axis_t along) const {
  const ir::EvenParts parts = partsAlong(along);
  Array host = whole.toHost(), packed;
  const char *elements = static_cast<const char *>(rowMajor(host, packed).rawData());
  const int64_t count = host.size(), begin = parts.begin(count)->constantValue(),
                length = parts.length(count)->constantValue(),
                own = std::max<int64_t>(0, std::min(length, count - begin));
  Array part = Array::empty(type, {length});
  std::memset(part.rawData(), 0, part.bytes());
  if (own > 0)
    std::memcpy(part.rawData(), elements + size_t(begin) * dtypeSize(type),
                size_t(own) * dtypeSize(type));
  return part;
}

static Array wholeOf(const Array &part, const std::vector<int64_t> &dims, keratin_axis_t along) {
  Array all = emptyInJob(part.dtype(), {part.size() * jobSize(along)});
  Array whole = emptyInJob(part.dtype(), dims);
  gatherWithJob("get_value", "parts of a variable", part, all, along);
  std::memcpy(whole.rawData(), all.rawData(), whole.bytes());
  return whole;
}

//===-- Values --------------------------------------------------------------------------------===//

Array VariableStorage::readFrom(const keratin_variable_t *present, Extent part) const {
  const int64_t count = int64_t(bytes() / dtypeSize(type));
  Array value = part ? Array::empty(type, {partsAlong(*part).length(count)->constantValue()})
                     : Array::empty(type, dims);
  keratin_status_t status = {};
  keratin_variable_read(present, value.rawData(), value.bytes(), &status);
  throwIfFailed("get_value", status);
  return part ? wholeOf(value, dims, *part) : value;
}

Array VariableStorage::read() const {
  Handle present;
  Extent part;
  {
    std::shared_lock lock(moves());
    present = variable;
    if (isDivided())
      part = dividedAlong;
  }
  return readFrom(present.get(), part);
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
  std::vector<Destination> whole;
  for (const Destination &each : destinations)
    if (each.storage->isDivided())
      std::memcpy(each.data, each.storage->read().rawData(), each.storage->bytes());
    else
      whole.push_back(each);
  auto handles = [&] {
    std::vector<Handle> present;
    std::shared_lock lock(moves());
    for (const Destination &each : whole)
      present.push_back(each.storage->variable);
    return present;
  };
  // Nobody waits for a reader to move a variable. What was read of one that has moved meanwhile is
  // older than updates that others have had; again, then: each moves once.
  std::vector<Handle> from, present = handles();
  while (from != present) {
    from = std::move(present);
    readAll(from, whole);
    present = handles();
  }
}

VariableStorage::Handle VariableStorage::peek(const keratin_device_t &device) const {
  std::shared_lock lock(moves());
  return place == &device && !isDivided() ? variable : nullptr;
}

std::optional<std::string> VariableStorage::conflictOn(const keratin_device_t &device,
                                                       const std::string &name, Extent part) const {
  const keratin_device_t *other = settledOn();
  if (other && isDivided() && part &&
      (part->count != dividedAlong.count || part->stride != dividedAlong.stride))
    return "variable '" + name +
           "' is in parts along another axis of the mesh, for another function";
  if (other && isDivided() != part.has_value())
    return "variable '" + name + "' is " +
           (isDivided() ? "in parts, one on each rank, for another function; needed the whole"
                        : "whole on each rank, for another function; needed a part of it on each");
  if (!other || other == &device)
    return std::nullopt;
  return std::string("runs on device '") + device.name + "'; variable '" + name +
         "' lies on device '" + other->name + "'; needed one device for both";
}

VariableStorage::Handle VariableStorage::settle(const keratin_device_t &device,
                                                const std::string &function,
                                                const std::string &name, Extent part) {
  if (settledOn() != &device || isDivided() != part.has_value() || part) {
    std::unique_lock lock(moves());
    if (std::optional<std::string> conflict = conflictOn(device, name, part))
      throw ValueError(function + ": " + *conflict);
    if (settledOn() != &device && (place != &device || part)) {
      Array value = readFrom(variable.get(), std::nullopt);
      if (part)
        value = partOf(value, *part);
      variable = makeOn(device, value.shape(), value.rawData());
      place = &device;
    }
    if (part)
      dividedAlong = *part;
    divided.store(part.has_value(), std::memory_order_release);
    settled.store(&device, std::memory_order_release);
  }
  return variable; // which moves no more
}

void VariableStorage::write(const std::string &function,
                            const std::vector<Assignment> &assignments) {
  std::vector<keratin_variable_t *> variables;
  std::vector<keratin_tensor_t> values;
  std::list<Array> parts;
  std::shared_lock lock(moves());
  for (const auto &[storage, value] : assignments) {
    variables.push_back(storage->variable.get());
    values.push_back(viewOf(storage->isDivided()
                                ? parts.emplace_back(storage->partOf(value, storage->dividedAlong))
                                : value));
  }
  keratin_status_t status = {};
  keratin_variables_write(variables.data(), values.data(), int32_t(values.size()), &status);
  throwIfFailed(function, status);
}

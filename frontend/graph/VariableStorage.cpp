#include "frontend/graph/VariableStorage.h"

#include "frontend/graph/Devices.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"
#include "frontend/values/Elements.h"

#include "ir/shapes/EvenParts.h"
#include "runtime/object/VariablePart.h"

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

bool VariableStorage::Extent::operator==(const Extent &other) const {
  return kind == other.kind && dimension == other.dimension && axis.count == other.axis.count &&
         axis.stride == other.axis.stride;
}

using Extent = VariableStorage::Extent;

static ir::EvenParts partsAlong(keratin_axis_t axis) { return {jobRank(axis), jobSize(axis)}; }

namespace {

// A variable as rows of which ranks have parts, in each of the runs in front of them.
struct Rows {
  int64_t runs = 1, bytes = 1; // of a row
  int64_t size, ranks;

  Rows(DType dtype, const std::vector<int64_t> &dims, const Extent &extent)
      : bytes(int64_t(dtypeSize(dtype))), size(dims[size_t(extent.dimension)]),
        ranks(jobSize(extent.axis)) {
    for (size_t i = 0; i < dims.size(); ++i)
      if (int64_t(i) != extent.dimension)
        (int64_t(i) < extent.dimension ? runs : bytes) *= dims[i];
  }

  int64_t beginOf(int64_t rank) const { return runtime::partBegin(size, rank, ranks); }
  int64_t countOf(int64_t rank) const { return beginOf(rank + 1) - beginOf(rank); }
  // From or to the part of a rank, run by run.
  template <typename Copy> void forEachRun(int64_t rank, Copy copy) const {
    const int64_t own = countOf(rank) * bytes;
    for (int64_t run = 0; run < runs; ++run)
      copy((run * size + beginOf(rank)) * bytes, run * own, size_t(own));
  }
};

} // namespace

// Elements in one line have zeros behind the last one.
Array VariableStorage::partOf(const Array &whole, const Extent &needed) const {
  Array host = whole.toHost(), packed;
  const char *elements = static_cast<const char *>(rowMajor(host, packed).rawData());
  if (needed.kind == Extent::Kind::Along) {
    const Rows rows(type, dims, needed);
    const int rank = jobRank(needed.axis);
    std::vector<int64_t> own = dims;
    own[size_t(needed.dimension)] = rows.countOf(rank);
    Array part = Array::empty(type, own);
    char *to = static_cast<char *>(part.rawData());
    rows.forEachRun(rank, [&](int64_t inWhole, int64_t inPart, size_t bytes) {
      std::memcpy(to + inPart, elements + inWhole, bytes);
    });
    return part;
  }
  const ir::EvenParts parts = partsAlong(needed.axis);
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

Array VariableStorage::wholeOf(const Array &part, const Extent &had) const {
  const bool isAlong = had.kind == Extent::Kind::Along;
  Array whole = emptyInJob(type, dims);
  Array all = emptyInJob(type, {isAlong ? whole.size() : part.size() * jobSize(had.axis)});
  gatherWithJob("get_value", "parts of a variable", part, all, had.axis);
  const char *from = static_cast<const char *>(all.rawData());
  char *to = static_cast<char *>(whole.rawData());
  if (!isAlong) {
    std::memcpy(to, from, whole.bytes());
    return whole;
  }
  const Rows rows(type, dims, had);
  for (int64_t rank = 0; rank < rows.ranks; ++rank) {
    rows.forEachRun(rank, [&](int64_t inWhole, int64_t inPart, size_t bytes) {
      std::memcpy(to + inWhole, from + inPart, bytes);
    });
    from += rows.runs * rows.countOf(rank) * rows.bytes;
  }
  return whole;
}

//===-- Values --------------------------------------------------------------------------------===//

Array VariableStorage::readFrom(const keratin_variable_t *present, const Extent &had) const {
  Array value = Array::empty(
      type, had.isPart()
                ? std::vector<int64_t>{int64_t(keratin_variable_bytes(present) / dtypeSize(type))}
                : dims);
  keratin_status_t status = {};
  keratin_variable_read(present, value.rawData(), value.bytes(), &status);
  throwIfFailed("get_value", status);
  return had.isPart() ? wholeOf(value, had) : value;
}

Array VariableStorage::read() const {
  Handle present;
  Extent had;
  {
    std::shared_lock lock(moves());
    present = variable;
    had = extent;
  }
  return readFrom(present.get(), had);
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

static std::string along(const Extent &extent) {
  return " along dimension " + std::to_string(extent.dimension);
}

// What a variable is that has this extent, and what another function needs of it.
static std::string describeExtent(const Extent &extent) {
  if (!extent.isPart())
    return "whole on each rank";
  return "in parts" + (extent.kind == Extent::Kind::Along ? along(extent) : "") +
         ", one on each rank";
}

static std::string describeNeeded(const Extent &needed) {
  if (!needed.isPart())
    return "the whole";
  return "a part of it" + (needed.kind == Extent::Kind::Along ? along(needed) : "") + " on each";
}

std::optional<std::string> VariableStorage::conflictOn(const keratin_device_t &device,
                                                       const std::string &name,
                                                       const Extent &needed) const {
  const keratin_device_t *other = settledOn();
  if (other && !(extent == needed)) {
    const bool isAlike = extent.kind == needed.kind && extent.dimension == needed.dimension;
    return "variable '" + name + "' is " +
           (isAlike ? "in parts along another axis of the mesh, for another function"
                    : describeExtent(extent) + ", for another function; needed " +
                          describeNeeded(needed));
  }
  if (!other || other == &device)
    return std::nullopt;
  return std::string("runs on device '") + device.name + "'; variable '" + name +
         "' lies on device '" + other->name + "'; needed one device for both";
}

VariableStorage::Handle VariableStorage::settle(const keratin_device_t &device,
                                                const std::string &function,
                                                const std::string &name, const Extent &needed) {
  if (settledOn() != &device || !(extent == needed)) {
    std::unique_lock lock(moves());
    if (std::optional<std::string> conflict = conflictOn(device, name, needed))
      throw ValueError(function + ": " + *conflict);
    if (settledOn() != &device && (place != &device || needed.isPart())) {
      Array value = readFrom(variable.get(), Extent::whole());
      if (needed.isPart())
        value = partOf(value, needed);
      variable = makeOn(device, value.shape(), value.rawData());
      place = &device;
    }
    extent = needed;
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
                                ? parts.emplace_back(storage->partOf(value, storage->extent))
                                : value));
  }
  keratin_status_t status = {};
  keratin_variables_write(variables.data(), values.data(), int32_t(values.size()), &status);
  throwIfFailed(function, status);
}

#include "compiler/arrays/Weights.h"

#include "compiler/arrays/KerasWeights.h"
#include "compiler/arrays/Npy.h"
#include "compiler/arrays/Npz.h"
#include "compiler/arrays/Refusal.h"
#include "compiler/arrays/Safetensors.h"
#include "compiler/arrays/SafetensorsSet.h"
#include "compiler/artifact/Names.h"
#include "runtime/core/DType.h"
#include "runtime/core/Half.h"
#include "runtime/files/FileWriter.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>
#include <map>
#include <set>

using namespace keratin;
using namespace keratin::compiler;

static bool isNpz(llvm::StringRef path) { return path.ends_with(".npz"); }

absl::Status compiler::checkWeightsPath(const std::string &path, WeightsUse use) {
  const bool isRead = use == WeightsUse::Read;
  if (isNpz(path) || llvm::StringRef(path).ends_with(".safetensors") ||
      (isRead && (isKerasPath(path) || isSafetensorsIndex(path))))
    return absl::OkStatus();
  return refuse("'" + path + "' ends in no known way; needed .safetensors" +
                (isRead ? ", .safetensors.index.json, .npz or .h5" : " or .npz"));
}

//===-- Dtypes --------------------------------------------------------------------------------===//

static bool isFloat(keratin_dtype_t dtype) {
  return dtype >= KERATIN_DTYPE_FLOAT16 && dtype <= KERATIN_DTYPE_FLOAT64;
}

template <typename T> static void put(char *to, T value) { std::memcpy(to, &value, sizeof value); }

static void putFloat(keratin_dtype_t dtype, char *to, double value) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return put(to, runtime::float16FromDouble(value));
  case KERATIN_DTYPE_BFLOAT16:
    return put(to, runtime::bfloat16FromDouble(value));
  case KERATIN_DTYPE_FLOAT32:
    return put(to, float(value));
  default:
    return put(to, value);
  }
}

// False if the dtype does not hold it.
static bool putInteger(keratin_dtype_t dtype, char *to, int64_t value) {
  const int64_t bytes = runtime::dtypeSize(dtype);
  int64_t back = 0;
  std::memcpy(to, &value, size_t(bytes)); // little-endian: the lower ones
  return runtime::readInteger(dtype, to, back) && back == value;
}

static absl::StatusOr<Array> converted(Array array, const WeightSlot &slot) {
  if (array.dtype == slot.dtype)
    return array;
  const std::string found = "'" + slot.name + "' is " + runtime::dtypeName(array.dtype),
                    needed = std::string("needed the variable's dtype ") +
                             runtime::dtypeName(slot.dtype);
  const bool isOfFloats = isFloat(array.dtype) && isFloat(slot.dtype);
  if (!isOfFloats && !(runtime::isInteger(array.dtype) && runtime::isInteger(slot.dtype)))
    return refuse(found + "; " + needed);
  const auto from = size_t(runtime::dtypeSize(array.dtype)),
             to = size_t(runtime::dtypeSize(slot.dtype)), count = array.data.size() / from;
  Array result{slot.dtype, std::move(array.dims), std::vector<char>(count * to)};
  for (size_t i = 0; i < count; ++i) {
    const char *element = array.data.data() + i * from;
    if (isOfFloats) {
      putFloat(slot.dtype, result.data.data() + i * to,
               runtime::readFloat(array.dtype, element, 0));
      continue;
    }
    int64_t value = 0;
    if (!runtime::readInteger(array.dtype, element, value) ||
        !putInteger(slot.dtype, result.data.data() + i * to, value))
      return refuse(found + " with an element that the variable, " +
                    runtime::dtypeName(slot.dtype) + ", does not hold");
  }
  return result;
}

static std::string shapeText(const std::vector<int64_t> &dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

static absl::StatusOr<Array> fitted(Array array, const WeightSlot &slot) {
  if (array.dims != slot.dims)
    return refuse("'" + slot.name + "' has shape " + shapeText(array.dims) +
                  "; needed the variable's shape " + shapeText(slot.dims));
  return converted(std::move(array), slot);
}

//===-- Reading -------------------------------------------------------------------------------===//

using Wanted = std::function<bool(const std::string &)>;

static absl::StatusOr<std::vector<NamedArray>> readAll(const std::string &path,
                                                       const Wanted &isWanted) {
  if (isNpz(path)) {
    auto bytes = readArrayFile(path);
    return bytes.ok() ? parseNpz(*bytes, isWanted) : bytes.status();
  }
  if (isKerasPath(path))
    return readKerasWeights(path, isWanted);
  return isSafetensorsIndex(path) ? readSafetensorsSet(path, isWanted)
                                  : readSafetensorsFile(path, isWanted);
}

absl::StatusOr<std::vector<Array>> compiler::readWeights(const std::string &path,
                                                         const std::vector<WeightSlot> &variables) {
  if (absl::Status status = checkWeightsPath(path, WeightsUse::Read); !status.ok())
    return status;
  std::set<std::string> names;
  for (const WeightSlot &slot : variables) {
    names.insert(slot.name);
    if (isNpz(path))
      names.insert(memberName(slot.name));
  }
  auto arrays = readAll(path, [&](const std::string &name) { return names.count(name) != 0; });
  if (!arrays.ok())
    return arrays.status();
  std::map<std::string, Array> found;
  for (NamedArray &named : *arrays)
    found.emplace(std::move(named.name), std::move(named.array));
  std::vector<Array> values;
  std::string missing;
  size_t numMissing = 0;
  for (const WeightSlot &slot : variables) {
    // As we write it: one variable may be named as another one is written.
    auto place = isNpz(path) ? found.find(memberName(slot.name)) : found.end();
    if (place == found.end())
      place = found.find(slot.name);
    if (place == found.end()) {
      if (!slot.isOptional && !numMissing++)
        missing = slot.name;
      values.emplace_back();
      continue;
    }
    auto value = fitted(std::move(place->second), slot);
    if (!value.ok())
      return value.status();
    values.push_back(*std::move(value));
    found.erase(place);
  }
  if (numMissing)
    return refuse(
        "it has no '" + missing + "'" +
        (numMissing > 1 ? ", nor " + std::to_string(numMissing - 1) + " other variables" : ""));
  return values;
}

//===-- Writing -------------------------------------------------------------------------------===//

absl::Status compiler::writeWeights(const std::string &path, const std::vector<NamedView> &values) {
  if (absl::Status status = checkWeightsPath(path, WeightsUse::Write); !status.ok())
    return status;
  if (!isNpz(path))
    for (const auto &[name, array] : values)
      if (array.dtype == KERATIN_DTYPE_COMPLEX128)
        return refuse("'" + name + "' is complex128, which safetensors has no name for; needed " +
                      "complex64, or a file whose name ends in .npz");
  runtime::FileWriter file;
  file.open(path.c_str(), {/*isDurable=*/true});
  // A failure stays, and the commit tells of it.
  auto sink = [&](std::string_view bytes) { file.write(bytes.data(), bytes.size()); };
  if (isNpz(path)) {
    std::vector<NamedView> members = values;
    for (NamedView &member : members)
      member.name = memberName(member.name);
    if (absl::Status status = writeNpz(members, sink); !status.ok())
      return status;
  } else {
    writeSafetensors(values, sink);
  }
  if (!file.commit())
    return absl::UnavailableError(std::strerror(file.error()));
  return absl::OkStatus();
}

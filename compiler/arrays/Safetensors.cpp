#include "compiler/arrays/Safetensors.h"

#include "compiler/arrays/Refusal.h"
#include "runtime/core/DType.h"
#include "runtime/files/FileBytes.h"
#include "runtime/object/SafetensorsHeader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

using namespace keratin;
using namespace keratin::compiler;
using nlohmann::json;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie");

//===-- Reading -------------------------------------------------------------------------------===//

namespace {
// What the header says of one tensor; its elements are the bytes [begin, end) behind the header.
struct Entry {
  std::string name;
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  uint64_t begin = 0, end = 0;
};
} // namespace

// The bytes of a tensor of this dtype and these dims.
static absl::StatusOr<uint64_t> bytesOf(const Entry &entry, const std::string &what) {
  auto bytes = uint64_t(runtime::dtypeSize(entry.dtype));
  // Of what has a size of 0 the others may be any.
  bool isEmpty = false, isTooLarge = false;
  for (int64_t size : entry.dims) {
    if (size < 0)
      return refuse(what + ": a size does not fit 64 bits");
    isEmpty |= size == 0;
    isTooLarge |= __builtin_mul_overflow(bytes, uint64_t(size), &bytes);
  }
  if (isTooLarge && !isEmpty)
    return refuse(what + ": its bytes do not fit 64 bits");
  return isEmpty ? 0 : bytes;
}

static absl::StatusOr<Entry> entryOf(const runtime::SafetensorsEntry &found) {
  const std::string what = std::string("tensor '") + found.name.data() + "'";
  if (found.dtype == KERATIN_DTYPE_INVALID)
    return refuse(what + ": a dtype that Keratin has not");
  Entry entry{found.name.data(),
              keratin_dtype_t(found.dtype),
              {found.dims, found.dims + found.rank},
              found.begin,
              found.end};
  auto bytes = bytesOf(entry, what);
  if (!bytes.ok())
    return bytes.status();
  if (entry.end - entry.begin != *bytes)
    return refuse(what + ": data_offsets hold " + std::to_string(entry.end - entry.begin) +
                  " bytes; needed " + std::to_string(*bytes) + " for its shape and dtype");
  return entry;
}

// In the order of their bytes, which fill the `bytes` behind the header.
static absl::StatusOr<std::vector<Entry>> parseHeader(std::string_view text, uint64_t bytes) {
  runtime::SafetensorsHeader header(text.data(), text.size());
  runtime::SafetensorsEntry found;
  std::vector<Entry> entries;
  std::unordered_set<std::string> names;
  while (header.next(found)) {
    auto entry = entryOf(found);
    if (!entry.ok())
      return entry.status();
    if (!names.insert(entry->name).second)
      return refuse("two tensors are named '" + entry->name + "'");
    entries.push_back(*std::move(entry));
  }
  if (header.problem())
    return refuse(header.problem() + (", behind " + std::to_string(header.place())) +
                  " bytes of it");
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != at)
      return refuse("tensor '" + entry.name + "' begins at byte " + std::to_string(entry.begin) +
                    "; needed " + std::to_string(at) + ", where the one before it ends");
    at = entry.end;
  }
  if (at != bytes)
    return refuse("its tensors have " + std::to_string(at) + " bytes; found " +
                  std::to_string(bytes));
  return entries;
}

static absl::Status skip(const ByteSource &source, uint64_t bytes) {
  char skipped[4096];
  absl::Status status;
  while (bytes && status.ok()) {
    const size_t part = size_t(std::min<uint64_t>(bytes, sizeof skipped));
    status = source(skipped, part);
    bytes -= part;
  }
  return status;
}

absl::StatusOr<std::vector<NamedArray>>
compiler::readSafetensors(const ByteSource &source, uint64_t bytes,
                          const std::function<bool(const std::string &)> &isWanted) {
  uint64_t length = 0;
  if (bytes < sizeof length)
    return refuse("it has fewer than 8 bytes");
  if (absl::Status status = source(&length, sizeof length); !status.ok())
    return status;
  bytes -= sizeof length;
  if (length > kMaxSafetensorsHeader || length > bytes)
    return refuse("a header of " + std::to_string(length) +
                  " bytes; needed one in the file of at most " +
                  std::to_string(kMaxSafetensorsHeader));
  std::string header(size_t(length), '\0');
  if (absl::Status status = source(header.data(), header.size()); !status.ok())
    return status;
  auto entries = parseHeader(header, bytes - length);
  if (!entries.ok())
    return entries.status();
  std::vector<NamedArray> arrays;
  for (Entry &entry : *entries) {
    const auto size = size_t(entry.end - entry.begin);
    if (!isWanted(entry.name)) {
      if (absl::Status status = skip(source, size); !status.ok())
        return status;
      continue;
    }
    Array array{entry.dtype, std::move(entry.dims), std::vector<char>(size)};
    if (absl::Status status = source(array.data.data(), size); !status.ok())
      return status;
    // Any byte but 0 is true; ours are 1.
    if (entry.dtype == KERATIN_DTYPE_BOOL)
      for (char &byte : array.data)
        byte = byte != 0;
    arrays.push_back({std::move(entry.name), std::move(array)});
  }
  return arrays;
}

absl::StatusOr<std::vector<NamedArray>>
compiler::readSafetensorsFile(const std::string &path,
                              const std::function<bool(const std::string &)> &isWanted,
                              uint64_t *arrayBytes) {
  runtime::FileReader file;
  if (!file.open(path.c_str()))
    return absl::UnavailableError(runtime::failureOf(file));
  std::optional<uint64_t> header; // its bytes, which are the first that is read
  auto source = [&](void *data, size_t bytes) {
    const ptrdiff_t count = file.read(data, bytes);
    if (count < 0)
      return absl::UnavailableError(runtime::failureOf(file));
    if (size_t(count) != bytes)
      return refuse("it ends before its time");
    if (!header)
      std::memcpy(&header.emplace(), data, sizeof(uint64_t));
    return absl::OkStatus();
  };
  auto arrays = readSafetensors(source, file.size(), isWanted);
  if (arrays.ok() && arrayBytes)
    *arrayBytes += file.size() - sizeof(uint64_t) - *header;
  return arrays;
}

//===-- Writing -------------------------------------------------------------------------------===//

void compiler::writeSafetensors(const std::vector<NamedView> &arrays, const ByteSink &sink) {
  json header = json::object();
  uint64_t at = 0;
  for (const auto &[name, array] : arrays) {
    auto known =
        std::find_if(std::begin(runtime::safetensorsDTypes), std::end(runtime::safetensorsDTypes),
                     [&](const auto &entry) { return entry.dtype == array.dtype; });
    header[name] = {{"dtype", known->name},
                    {"shape", array.dims},
                    {"data_offsets", {at, at + array.data.size()}}};
    at += array.data.size();
  }
  std::string text = header.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  // Elements are aligned, as the format asks for.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  sink({reinterpret_cast<const char *>(&length), sizeof length});
  sink(text);
  for (const auto &[name, array] : arrays)
    sink(array.data);
}

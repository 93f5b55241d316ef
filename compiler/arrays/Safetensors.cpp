#include "compiler/arrays/Safetensors.h"

#include "runtime/core/DType.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace keratin;
using namespace keratin::compiler;
using nlohmann::json;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie");

static constexpr std::pair<const char *, keratin_dtype_t> dtypes[] = {
    {"BOOL", KERATIN_DTYPE_BOOL},     {"I8", KERATIN_DTYPE_INT8},
    {"I16", KERATIN_DTYPE_INT16},     {"I32", KERATIN_DTYPE_INT32},
    {"I64", KERATIN_DTYPE_INT64},     {"U8", KERATIN_DTYPE_UINT8},
    {"U16", KERATIN_DTYPE_UINT16},    {"U32", KERATIN_DTYPE_UINT32},
    {"U64", KERATIN_DTYPE_UINT64},    {"F16", KERATIN_DTYPE_FLOAT16},
    {"BF16", KERATIN_DTYPE_BFLOAT16}, {"F32", KERATIN_DTYPE_FLOAT32},
    {"F64", KERATIN_DTYPE_FLOAT64}};

static absl::Status refuse(const std::string &why) { return absl::InvalidArgumentError(why); }

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

static absl::StatusOr<uint64_t> numberOf(const json &value, const std::string &what) {
  if (!value.is_number_unsigned())
    return refuse(what + " is no whole number");
  return value.get<uint64_t>();
}

// The bytes of the entry's elements.
static absl::StatusOr<uint64_t> takeShape(const json &shape, const std::string &what,
                                          Entry &entry) {
  if (shape.size() > KERATIN_MAX_RANK)
    return refuse(what + ": a shape of " + std::to_string(shape.size()) + " sizes; at most " +
                  std::to_string(KERATIN_MAX_RANK) + " are read");
  auto bytes = uint64_t(runtime::dtypeSize(entry.dtype));
  // Of what has a size of 0 the others may be any.
  bool isEmpty = false, isTooLarge = false;
  for (const json &size : shape) {
    auto number = numberOf(size, what + ": a size");
    if (!number.ok())
      return number.status();
    if (*number > uint64_t(INT64_MAX))
      return refuse(what + ": a size does not fit 64 bits");
    isEmpty |= *number == 0;
    isTooLarge |= __builtin_mul_overflow(bytes, *number, &bytes);
    entry.dims.push_back(int64_t(*number));
  }
  if (isTooLarge && !isEmpty)
    return refuse(what + ": its bytes do not fit 64 bits");
  return isEmpty ? 0 : bytes;
}

static absl::StatusOr<Entry> entryOf(const std::string &name, const json &value) {
  const std::string what = "tensor '" + name + "'";
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    return refuse(what + ": needed dtype, shape and data_offsets");
  const json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  auto known = std::find_if(std::begin(dtypes), std::end(dtypes), [&](const auto &entry) {
    return dtype.is_string() && dtype.get_ref<const std::string &>() == entry.first;
  });
  if (known == std::end(dtypes))
    return refuse(what + ": a dtype that Keratin has not");
  if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    return refuse(what + ": needed a list as shape, and two data_offsets");
  Entry entry{name, known->second, {}, 0, 0};
  auto bytes = takeShape(shape, what, entry);
  auto begin = numberOf(offsets[0], what + ": an offset");
  auto end = numberOf(offsets[1], what + ": an offset");
  for (const auto *number : {&bytes, &begin, &end})
    if (!number->ok())
      return number->status();
  entry.begin = *begin;
  entry.end = *end;
  if (entry.begin > entry.end || entry.end - entry.begin != *bytes)
    return refuse(what + ": data_offsets hold " + std::to_string(entry.end - entry.begin) +
                  " bytes; needed " + std::to_string(*bytes) + " for its shape and dtype");
  return entry;
}

// In the order of their bytes, which fill the `bytes` behind the header.
static absl::StatusOr<std::vector<Entry>> parseHeader(std::string_view text, uint64_t bytes) {
  // The parser keeps its own stack, so a deeply nested header is no danger.
  const json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object())
    return refuse("its header is no JSON object");
  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    auto entry = entryOf(name, value);
    if (!entry.ok())
      return entry.status();
    entries.push_back(*std::move(entry));
  }
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

//===-- Writing -------------------------------------------------------------------------------===//

void compiler::writeSafetensors(const std::vector<NamedView> &arrays, const ByteSink &sink) {
  json header = json::object();
  uint64_t at = 0;
  for (const auto &[name, array] : arrays) {
    auto known = std::find_if(std::begin(dtypes), std::end(dtypes),
                              [&](const auto &entry) { return entry.second == array.dtype; });
    header[name] = {{"dtype", known->first},
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

#include "frontend/values/Safetensors.h"

#include "frontend/values/Elements.h"
#include "runtime/files/FileBytes.h"
#include "runtime/files/FileReader.h"
#include "runtime/files/FileWriter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

using namespace keratin;
using namespace keratin::frontend;
using nlohmann::json;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie");

static constexpr std::pair<const char *, DType> dtypes[] = {
    {"BOOL", DType::Bool},   {"I8", DType::Int8},       {"I16", DType::Int16},
    {"I32", DType::Int32},   {"I64", DType::Int64},     {"U8", DType::UInt8},
    {"U16", DType::UInt16},  {"U32", DType::UInt32},    {"U64", DType::UInt64},
    {"F16", DType::Float16}, {"BF16", DType::BFloat16}, {"F32", DType::Float32},
    {"F64", DType::Float64}};

//===-- Reading -------------------------------------------------------------------------------===//

static uint64_t numberOf(const json &value, const std::string &what) {
  if (!value.is_number_unsigned())
    throw ValueError(what + " is no whole number");
  return value.get<uint64_t>();
}

static SafetensorsEntry entryOf(const std::string &name, const json &value) {
  const std::string what = "tensor '" + name + "'";
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    throw ValueError(what + ": needed dtype, shape and data_offsets");
  const json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  auto known = std::find_if(std::begin(dtypes), std::end(dtypes), [&](const auto &entry) {
    return dtype.is_string() && dtype.get_ref<const std::string &>() == entry.first;
  });
  if (known == std::end(dtypes))
    throw ValueError(what + ": a dtype that Keratin has not");
  if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    throw ValueError(what + ": needed a list as shape, and two data_offsets");
  SafetensorsEntry entry{name, known->second, {}, 0, 0};
  // Of what has a size of 0 the others may be any.
  uint64_t bytes = dtypeSize(entry.dtype);
  bool isEmpty = false, isTooLarge = false;
  for (const json &size : shape) {
    const uint64_t number = numberOf(size, what + ": a size");
    if (number > uint64_t(INT64_MAX))
      throw ValueError(what + ": a size does not fit 64 bits");
    isEmpty |= number == 0;
    isTooLarge |= __builtin_mul_overflow(bytes, number, &bytes);
    entry.dims.push_back(int64_t(number));
  }
  if (isEmpty)
    bytes = 0;
  else if (isTooLarge)
    throw ValueError(what + ": its bytes do not fit 64 bits");
  entry.begin = numberOf(offsets[0], what + ": an offset");
  entry.end = numberOf(offsets[1], what + ": an offset");
  if (entry.begin > entry.end || entry.end - entry.begin != bytes)
    throw ValueError(what + ": data_offsets hold " + std::to_string(entry.end - entry.begin) +
                     " bytes; needed " + std::to_string(bytes) + " for its shape and dtype");
  return entry;
}

std::vector<SafetensorsEntry> frontend::parseSafetensorsHeader(std::string_view text,
                                                               uint64_t bytes) {
  // The parser keeps its own stack, so a deeply nested header is no danger.
  const json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object())
    throw ValueError("its header is no JSON object");
  std::vector<SafetensorsEntry> entries;
  for (const auto &[name, value] : header.items())
    if (name != "__metadata__")
      entries.push_back(entryOf(name, value));
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const SafetensorsEntry &entry : entries) {
    if (entry.begin != at)
      throw ValueError("tensor '" + entry.name + "' begins at byte " + std::to_string(entry.begin) +
                       "; needed " + std::to_string(at) + ", where the one before it ends");
    at = entry.end;
  }
  if (at != bytes)
    throw ValueError("its tensors have " + std::to_string(at) + " bytes; found " +
                     std::to_string(bytes));
  return entries;
}

static void readExactly(runtime::FileReader &file, void *data, uint64_t bytes) {
  const ptrdiff_t count = file.read(data, bytes);
  if (count < 0)
    throw RuntimeError(runtime::failureOf(file));
  if (uint64_t(count) != bytes)
    throw ValueError("it ends before its time");
}

std::vector<std::pair<std::string, Array>>
frontend::readSafetensors(const std::string &path,
                          const std::function<bool(const std::string &)> &isWanted) {
  runtime::FileReader file;
  if (!file.open(path.c_str()))
    throw RuntimeError(runtime::failureOf(file));
  uint64_t length = 0;
  if (file.size() < sizeof length)
    throw ValueError("it has fewer than 8 bytes");
  readExactly(file, &length, sizeof length);
  if (length > kMaxSafetensorsHeader || length > file.size() - sizeof length)
    throw ValueError("a header of " + std::to_string(length) +
                     " bytes; needed one in the file of " + "at most " +
                     std::to_string(kMaxSafetensorsHeader));
  std::string header(size_t(length), '\0');
  readExactly(file, header.data(), length);
  std::vector<std::pair<std::string, Array>> arrays;
  for (SafetensorsEntry &entry :
       parseSafetensorsHeader(header, file.size() - sizeof length - length)) {
    if (isWanted(entry.name)) {
      Array array = Array::empty(entry.dtype, entry.dims);
      readExactly(file, array.rawData(), array.bytes());
      // Any byte but 0 is true; ours are 1.
      if (entry.dtype == DType::Bool)
        for (int64_t i = 0; i < array.size(); ++i)
          static_cast<unsigned char *>(array.rawData())[i] =
              static_cast<unsigned char *>(array.rawData())[i] != 0;
      arrays.emplace_back(std::move(entry.name), std::move(array));
      continue;
    }
    char skipped[4096];
    for (uint64_t left = entry.end - entry.begin; left;) {
      const uint64_t part = std::min<uint64_t>(left, sizeof skipped);
      readExactly(file, skipped, part);
      left -= part;
    }
  }
  return arrays;
}

//===-- Writing -------------------------------------------------------------------------------===//

void frontend::writeSafetensors(const std::string &path,
                                const std::vector<std::pair<std::string, Array>> &arrays) {
  json header = json::object();
  uint64_t at = 0;
  for (const auto &[name, array] : arrays) {
    auto known = std::find_if(std::begin(dtypes), std::end(dtypes),
                              [&](const auto &entry) { return entry.second == array.dtype(); });
    header[name] = {{"dtype", known->first},
                    {"shape", array.shape()},
                    {"data_offsets", {at, at + array.bytes()}}};
    at += array.bytes();
  }
  std::string text = header.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  // Elements are aligned, as the format asks for.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  runtime::FileWriter file;
  bool isFine = file.open(path.c_str(), {/*isDurable=*/true}) &&
                file.write(&length, sizeof length) && file.write(text.data(), text.size());
  for (const auto &[name, array] : arrays) {
    Array packed;
    isFine = isFine && file.write(rowMajor(array, packed).rawData(), array.bytes());
  }
  if (!isFine || !file.commit())
    throw RuntimeError(std::strerror(file.error()));
}

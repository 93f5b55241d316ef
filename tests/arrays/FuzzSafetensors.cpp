// libFuzzer over the reader of safetensors files: whatever the header and however many bytes are
// behind it, arrays that fill their memory or an error; and what was read survives writing.
#include "compiler/arrays/Safetensors.h"

#include "tests/arrays/Elements.h"

#include <algorithm>
#include <cctype>
#include <cstring>

using namespace keratin;
using namespace keratin::compiler;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static absl::StatusOr<std::vector<NamedArray>> readFrom(std::string_view bytes) {
  auto source = [rest = bytes](void *data, size_t count) mutable {
    if (count > rest.size())
      std::abort();                                             // more than the file has
    std::copy_n(rest.data(), count, static_cast<char *>(data)); // of nothing, to nowhere
    rest.remove_prefix(count);
    return absl::OkStatus();
  };
  return readSafetensors(source, bytes.size(),
                         [](const std::string &name) { return name != "unwanted"; });
}

// The first two bytes are how many there are behind the header.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint16_t bytes = 0;
  if (size < sizeof bytes)
    return 0;
  std::memcpy(&bytes, data, sizeof bytes);
  const uint64_t length = size - sizeof bytes;
  std::string file(reinterpret_cast<const char *>(&length), sizeof length);
  file.append(reinterpret_cast<const char *>(data) + sizeof bytes, length);
  file.append(bytes, '\1');
  auto arrays = readFrom(file);
  if (!arrays.ok())
    return 0;
  std::vector<NamedView> views;
  for (const NamedArray &named : *arrays) {
    tests::readAll(named.array);
    views.push_back({named.name, named.array});
  }
  std::string written;
  writeSafetensors(views, [&](std::string_view part) { written += part; });
  auto again = readFrom(written);
  if (!again.ok() || again->size() != arrays->size())
    std::abort();
  return 0;
}

// Numbers that products and sums of 64 bits wrap with are not met by chance.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  static constexpr const char *numbers[] = {"0",
                                            "1",
                                            "2",
                                            "4",
                                            "65536",
                                            "4294967296",
                                            "2147483648",
                                            "1073741824",
                                            "4611686018427387904",
                                            "2305843009213693952",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551615"};
  std::string text(reinterpret_cast<char *>(data), size);
  auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  auto begin = std::find_if(text.begin() + ptrdiff_t(text.empty() ? 0 : seed / 4 % text.size()),
                            text.end(), isDigit);
  if (seed % 4 || begin == text.end())
    return LLVMFuzzerMutate(data, size, most);
  auto end = std::find_if_not(begin, text.end(), isDigit);
  text.replace(begin, end, numbers[seed / 64 % std::size(numbers)]);
  size = std::min(text.size(), most);
  std::memcpy(data, text.data(), size);
  return size;
}

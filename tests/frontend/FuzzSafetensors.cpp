// libFuzzer over the headers of safetensors files: whatever the bytes, tensors that fill the file
// one behind the other, or a ValueError.
#include "frontend/values/Safetensors.h"

#include "keratin/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace keratin;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// The first two bytes are how many there are behind the header.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint16_t bytes = 0;
  if (size < sizeof bytes)
    return 0;
  std::memcpy(&bytes, data, sizeof bytes);
  std::string_view text(reinterpret_cast<const char *>(data) + sizeof bytes, size - sizeof bytes);
  try {
    uint64_t at = 0;
    for (const frontend::SafetensorsEntry &entry : frontend::parseSafetensorsHeader(text, bytes)) {
      require(entry.begin == at && entry.end >= at, "a gap or an overlap");
      at = entry.end;
      bool isEmpty = std::count(entry.dims.begin(), entry.dims.end(), 0) > 0;
      uint64_t room = isEmpty ? 0 : dtypeSize(entry.dtype);
      for (int64_t dim : entry.dims)
        require(dim >= 0 && !__builtin_mul_overflow(room, uint64_t(dim), &room), "an overflow");
      require(entry.end - entry.begin == room, "a tensor of another size");
    }
    require(at == bytes, "bytes of no tensor");
  } catch (const ValueError &) {
  }
  return 0;
}

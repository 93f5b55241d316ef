// libFuzzer over the readers of .npy and .npz: whatever the bytes, arrays or an error; and what was
// read survives writing.
#include "tools/npy/Npy.h"
#include "tools/npy/Npz.h"

#include <cstdlib>

using namespace keratin::tools;

// An array that was read is written, and read again as it was.
static void checkArray(const Array &array) {
  auto again = parseNpy(formatNpy(array));
  if (!again.ok() || again->dtype != array.dtype || again->dims != array.dims ||
      again->data != array.data)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (auto array = parseNpy(bytes); array.ok())
    checkArray(*array);
  auto arrays = parseNpz(bytes);
  if (!arrays.ok())
    return 0;
  for (const NamedArray &named : *arrays)
    checkArray(named.array);
  auto again = formatNpz(*arrays);
  // Very long names are not written.
  if (again.ok() && parseNpz(*again)->size() != arrays->size())
    abort();
  return 0;
}

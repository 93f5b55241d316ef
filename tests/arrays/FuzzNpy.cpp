// libFuzzer over the reader of .npy: whatever the bytes, an array that fills its memory or an
// error; and what was read survives writing.
#include "compiler/arrays/Npy.h"

#include "tests/arrays/Elements.h"

#include <cstdlib>

using namespace keratin::compiler;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto array = parseNpy({reinterpret_cast<const char *>(data), size});
  if (!array.ok())
    return 0;
  keratin::tests::readAll(*array);
  auto again = parseNpy(formatNpy(*array));
  if (!again.ok() || again->dtype != array->dtype || again->dims != array->dims ||
      again->data != array->data)
    abort();
  return 0;
}

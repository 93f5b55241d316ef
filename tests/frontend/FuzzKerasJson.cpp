// libFuzzer over the reader of keras.json: whatever the bytes, legal settings or an AssertionError.
#include "frontend/backend/KerasJson.h"

#include "keratin/error.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace keratin;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  try {
    frontend::KerasJson settings = frontend::parseKerasJson(text, "a/keras.json");
    require(settings.floatx.empty() || settings.floatx == "float16" ||
                settings.floatx == "float32" || settings.floatx == "float64",
            "an illegal floatx");
    require(settings.dataFormat.empty() || settings.dataFormat == "channels_last" ||
                settings.dataFormat == "channels_first",
            "an illegal image_data_format");
    require(!settings.epsilon || std::isfinite(*settings.epsilon), "an epsilon that is no number");
  } catch (const AssertionError &error) {
    require(std::string(error.what()).find("a/keras.json") != std::string::npos,
            "an error that does not name the file");
  }
  return 0;
}

// libFuzzer over the reader of states: whatever the bytes, either all values come from the file,
// which then is as it would be written, or an error says why and none has changed.
#include "runtime/include/keratin/object.h"
#include "runtime/include/keratin/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// A file that is in no folder.
class MemoryFile {
public:
  MemoryFile() : file(memfd_create("state", 0)) { path = "/proc/self/fd/" + std::to_string(file); }
  ~MemoryFile() { close(file); }
  void set(const void *bytes, size_t size) {
    require(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == ssize_t(size),
            "a file in memory cannot be written");
  }

  std::string path;

private:
  int file;
};

// Variables of several dtypes and ranks, one without elements.
struct Model {
  const int64_t dims[4] = {2, 3, 0, 1};
  keratin_object_variable_t variables[4] = {
      {{"v", KERATIN_DTYPE_FLOAT32, 2, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"", KERATIN_DTYPE_INT64, 0, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"empty", KERATIN_DTYPE_BOOL, 3, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"w/kernel", KERATIN_DTYPE_UINT8, 1, dims + 1, "", nullptr, {}}, nullptr, nullptr, {}}};
  keratin_object_function_t none = {};
  keratin_object_variant_t variant = {"plain", {0, 0}, &none, {}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a fuzzer",
                                  0,
                                  4,
                                  1,
                                  0,
                                  variables,
                                  &variant,
                                  nullptr,
                                  nullptr,
                                  {}};
};

std::string valuesOf(const keratin_state_t *state) {
  std::string all;
  const size_t bytes[4] = {24, 8, 0, 3};
  for (int32_t i = 0; i < 4; ++i) {
    std::string value(bytes[i], '\0');
    keratin_status_t status;
    require(keratin_state_read(state, i, value.data(), value.size(), &status) == KERATIN_OK,
            "a variable cannot be read");
    all += value;
  }
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Model model;
  static MemoryFile file;
  static keratin_state_t *state = [] {
    keratin_status_t status;
    keratin_state_t *made = nullptr;
    require(keratin_state_create(&model.object, &made, &status) == KERATIN_OK, status.message);
    return made;
  }();
  file.set(data, size);
  std::string before = valuesOf(state);
  keratin_status_t status;
  if (keratin_state_load(state, file.path.c_str(), &status) != KERATIN_OK) {
    require(status.message[0] != '\0', "an error without a message");
    require(valuesOf(state) == before, "an error has changed a variable");
    return 0;
  }
  // The values are the file's last bytes of each variable; one layout only is read.
  std::string after = valuesOf(state), bytes(reinterpret_cast<const char *>(data), size);
  for (auto [at, count] : {std::pair<size_t, size_t>(0, 24), {24, 8}, {32, 3}})
    require(bytes.find(after.substr(at, count)) != std::string::npos,
            "a value is not in the file that was read");
  return 0;
}

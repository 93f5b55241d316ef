// libFuzzer over the headers of safetensors files, and indices of sets of them, as compiled models
// read them: whatever the bytes, entries that make sense, or a reason.
#include "runtime/object/SafetensorsHeader.h"
#include "runtime/object/SafetensorsIndex.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace keratin::runtime;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<char> exact(data, data + size); // what is read behind it is found
  SafetensorsHeader header(exact.data(), size);
  SafetensorsEntry entry;
  while (header.next(entry)) {
    require(entry.rank >= 0 && entry.rank <= KERATIN_MAX_RANK, "a rank that cannot be");
    require(entry.begin <= entry.end, "a tensor that ends before it begins");
    require(std::strlen(entry.name.data()) + 1 == entry.name.size(), "a name with a NUL in it");
  }
  require(header.place() <= size, "a place behind the end");
  SafetensorsIndex index(exact.data(), size);
  Text tensor, file;
  while (index.next(tensor, file)) {
    require(std::strlen(tensor.data()) + 1 == tensor.size(), "a name with a NUL in it");
    require(!std::strchr(file.data(), '/'), "a file that is a path");
  }
  require(index.place() <= size, "a place behind the end");
  return 0;
}

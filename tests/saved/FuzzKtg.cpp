// A libFuzzer target over the reader: fuzz_ktg CORPUS -runs=1000000
#include "tests/saved/Mutation.h"
#include "tests/support/SavedSamples.h"

#include <cstdio>
#include <cstdlib>

using namespace keratin;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// Often a message of the schema with something wrong, which bytes alone seldom become.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 3 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string bytes =
      tests::mutate(std::string(reinterpret_cast<const char *>(data), size), random);
  size = std::min(bytes.size(), maxSize);
  std::copy_n(bytes.begin(), size, reinterpret_cast<char *>(data));
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  // A context keeps every type and attribute that it was asked for.
  if (runs++ % 1000 == 0)
    context = tests::makeSavedContext();
  std::string wrong = tests::complaint({reinterpret_cast<const char *>(data), size}, *context);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}

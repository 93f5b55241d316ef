// A libFuzzer target over the importer: fuzz_onnx CORPUS -runs=100000. What is loaded is not
// compiled.
#include "frontend/onnx/SavedModel.h"
#include "tests/onnx/ModelChanger.h"
#include "tests/support/TemporaryFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace keratin;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

static size_t give(const std::string &bytes, uint8_t *to, size_t maxSize) {
  const size_t size = std::min(bytes.size(), maxSize);
  std::copy_n(bytes.begin(), size, reinterpret_cast<char *>(to));
  return size;
}

// Mostly a model with something wrong, which bytes alone seldom become.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  const std::string model = textOf(data, size);
  return give(tests::changedModel(model, model, seed), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                            size_t otherSize, uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  return give(tests::changedModel(textOf(data, size), textOf(other, otherSize), seed), out,
              maxSize);
}

// A graph, or an error of a line.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const tests::TemporaryFile file;
  std::ofstream(file.path, std::ios::binary) << textOf(data, size);
  const absl::StatusOr<std::string> graph = frontend::onnx_models::savedGraphOf(file.path);
  if (!graph.ok() && std::any_of(graph.status().message().begin(), graph.status().message().end(),
                                 [](char c) { return uint8_t(c) < 0x20; })) {
    std::fprintf(stderr, "%s\n", std::string(graph.status().message()).c_str());
    std::abort();
  }
  return 0;
}

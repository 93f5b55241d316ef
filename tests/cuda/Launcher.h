// Runs kernels of a text of PTX on plain vectors.
#pragma once

#include "tests/cuda/emulator/Emulator.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::ptx {

// Parameters of a kernel, one after the other, each aligned to its size.
class Arguments {
public:
  template <class T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  std::vector<std::byte> bytes;
};

class Launcher {
public:
  // Throws std::runtime_error with what is wrong with the text.
  explicit Launcher(std::string_view ptx);
  static Launcher fromFile(const std::string &nameInKernels);

  template <class T> uint64_t upload(const std::vector<T> &values) {
    uint64_t address = memory->allocate(values.size() * sizeof(T));
    if (!values.empty()) // nothing has no address to copy from
      std::memcpy(memory->at(address, values.size() * sizeof(T)), values.data(),
                  values.size() * sizeof(T));
    memory->setInitialised(address, values.size() * sizeof(T));
    return address;
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory->at(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }
  std::optional<Fault> run(std::string_view kernel, Dim3 grid, Dim3 block,
                           const Arguments &arguments, uint32_t dynamicShared = 0);

  LaunchOptions options;
  Counters counters;
  std::unique_ptr<Memory> memory = std::make_unique<Memory>(uint64_t(1) << 32);
  std::unique_ptr<Module> module;
};

std::string readKernels(const std::string &name);

} // namespace keratin::ptx

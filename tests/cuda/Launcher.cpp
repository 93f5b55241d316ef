#include "tests/cuda/Launcher.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace keratin::ptx {

Launcher::Launcher(std::string_view ptx) {
  std::string error;
  module = Module::parse(ptx, &error);
  if (!module)
    throw std::runtime_error(error);
  if (!module->load(*memory))
    throw std::runtime_error("no room for the module's variables");
}

Launcher Launcher::fromFile(const std::string &name) { return Launcher(readKernels(name)); }

std::optional<Fault> Launcher::run(std::string_view kernel, Dim3 grid, Dim3 block,
                                   const Arguments &arguments, uint32_t dynamicShared) {
  const Kernel *found = module->kernel(kernel);
  if (!found)
    throw std::runtime_error("no kernel " + std::string(kernel));
  return launch(*found, grid, block, dynamicShared, arguments.bytes.data(), arguments.bytes.size(),
                *memory, options, &counters);
}

std::string readKernels(const std::string &name) {
  std::ifstream file(std::string(KERATIN_KERNELS) + "/" + name);
  if (!file)
    throw std::runtime_error("cannot read " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace keratin::ptx

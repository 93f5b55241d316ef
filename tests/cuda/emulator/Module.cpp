// Modules: from text to kernels, and their variables in a device's memory.
#include "tests/cuda/emulator/Decode.h"
#include "tests/cuda/emulator/Emulator.h"
#include "tests/cuda/emulator/Machine.h"

#include <cstring>

namespace keratin::ptx {

Kernel::Kernel() = default;
Kernel::~Kernel() = default;
Module::Module() : inside(std::make_unique<ModuleState>()) {}
Module::~Module() { unload(); }

void Module::makeKernel(const Function &entry) {
  std::unique_ptr<Kernel> made(new Kernel());
  made->decoded = std::make_unique<Code>();
  Decoder decoder(inside->program, entry, *made->decoded);
  decoder.run();
  made->kernelName = entry.name;
  for (const Decoder::Place &place : decoder.parameters())
    made->parameterList.push_back({place.variable->name, place.offset,
                                   uint32_t(place.variable->bytes), place.variable->alignment});
  made->parameterSize = decoder.parameterBytes();
  made->sharedBytes = made->decoded->sharedBytes;
  made->threadBytes = made->decoded->localBytes;
  made->registerCount = uint32_t(entry.registers.size());
  made->maxThreadCount = entry.maxThreads;
  made->requiredThreadCount = {entry.requiredThreads[0], entry.requiredThreads[1],
                               entry.requiredThreads[2]};
  made->owner = this;
  kernelList.push_back(std::move(made));
}

std::unique_ptr<Module> Module::parse(std::string_view ptx, std::string *error) {
  std::unique_ptr<Module> made(new Module());
  made->source = ptx;
  try {
    made->inside->program = parseProgram(made->source);
    for (const auto &variable : made->inside->program.variables)
      if (variable->isExtern && variable->space != Space::Shared)
        throw ParseError(variable->line,
                         variable->name + " is defined in no module: modules are not linked");
    for (const auto &function : made->inside->program.functions)
      if (function->isEntry && function->hasBody)
        made->makeKernel(*function);
  } catch (const ParseError &problem) {
    if (error)
      *error = problem.what();
    return nullptr;
  }
  return made;
}

const Kernel *Module::kernel(std::string_view name) const {
  for (const auto &kernel : kernelList)
    if (kernel->name() == name)
      return kernel.get();
  return nullptr;
}

std::vector<const Kernel *> Module::kernels() const {
  std::vector<const Kernel *> all;
  for (const auto &kernel : kernelList)
    all.push_back(kernel.get());
  return all;
}

namespace {
bool isDeviceWide(const Variable &variable) {
  return variable.space == Space::Global || variable.space == Space::Constant;
}

// All variables that the module and its functions declare for the whole device.
template <class Visit> void forVariables(const Program &program, Visit visit) {
  for (const auto &variable : program.variables)
    if (isDeviceWide(*variable))
      visit(*variable);
  for (const auto &function : program.functions)
    for (const auto &variable : function->variables)
      if (isDeviceWide(*variable))
        visit(*variable);
}
} // namespace

bool Module::load(Memory &memory) {
  unload();
  bool fits = true;
  inside->memory = &memory;
  forVariables(inside->program, [&](const Variable &variable) {
    uint64_t address = fits ? memory.allocate(variable.bytes) : 0;
    fits = address != 0;
    if (fits)
      inside->addresses[&variable] = address;
  });
  if (!fits) {
    unload();
    return false;
  }
  for (const auto &[variable, address] : inside->addresses) {
    // Variables without first values hold zeros.
    std::byte *bytes = memory.at(address, variable->bytes);
    std::memset(bytes, 0, variable->bytes);
    if (!variable->initial.empty())
      std::memcpy(bytes, variable->initial.data(), variable->bytes);
    for (const AddressInitialiser &other : variable->addresses) {
      uint64_t value = this->variable(other.symbol).address + uint64_t(other.offset);
      std::memcpy(bytes + other.at, &value, sizeof value);
    }
    memory.setInitialised(address, variable->bytes);
  }
  return true;
}

void Module::unload() {
  for (const auto &[variable, address] : inside->addresses)
    inside->memory->release(address);
  inside->addresses.clear();
  inside->memory = nullptr;
}

Memory::Range Module::variable(std::string_view name) const {
  for (const auto &[variable, address] : inside->addresses)
    if (variable->name == name)
      return {address, variable->bytes};
  return {0, 0};
}

} // namespace keratin::ptx

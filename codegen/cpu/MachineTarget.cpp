#include "codegen/cpu/MachineTarget.h"

#include "codegen/cpu/Avx512.h"
#include "codegen/cpu/HostFeatures.h"
#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/StartLlvm.h"
#include "runtime/abi/keratin_cpu_features.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace keratin::codegen;
using llvm::StringRef;

namespace {

// "x86-64-v4+avx512bf16": a cpu, and what it has besides.
struct ProcessorName {
  StringRef cpu;
  std::string features; // as -mattr names them

  explicit ProcessorName(StringRef name) {
    auto [base, rest] = name.split('+');
    cpu = base;
    if (!rest.empty())
      features = "+" + llvm::join(llvm::split(rest, '+'), ",+");
  }
};

bool isFeature(StringRef text) {
#define FEATURE(number, name, leaf, subleaf, where, bit, state)                                    \
  if (text == name)                                                                                \
    return true;
  KERATIN_CPU_FEATURES(FEATURE)
#undef FEATURE
  return false;
}

} // namespace

// Null if LLVM does not know the triple or the cpu, or code cannot look for what it has besides.
static std::unique_ptr<llvm::MCSubtargetInfo> subtarget(const std::string &triple,
                                                        const ProcessorName &name) {
  startLlvm();
  std::string error;
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> info(known ? known->createMCSubtargetInfo(triple, "", "")
                                                    : nullptr);
  if (!info || !info->isCPUStringValid(name.cpu))
    return nullptr;
  const llvm::SubtargetFeatures besides(name.features);
  for (const std::string &feature : besides.getFeatures())
    if (!llvm::Triple(triple).isX86() || !isFeature(StringRef(feature).drop_front()))
      return nullptr;
  info->setDefaultFeatures(name.cpu, /*TuneCPU=*/name.cpu, name.features);
  return info;
}

// Kernels are loops that were written with their final addressing. Loop strength reduction alone is
// a quarter of LLVM's time, and x86 scales an index for nothing. The others look for what kernels
// do not have: integers wider than any register, masks in general registers, branches that hide a
// move.
static constexpr const char *unwantedPasses[] = {
    "loop-reduce", "canon-freeze",        "expand-large-div-rem",   "expand-large-fp-convert",
    "early-ifcvt", "x86-cmov-conversion", "x86-domain-reassignment"};

// Reads the vector shape off the features that LLVM derives from cpu and feature string.
static void deriveVectorShape(MachineTarget &target) {
  startLlvm();
  std::string error;
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(target.triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      known ? known->createMCSubtargetInfo(target.triple, target.cpu, target.features) : nullptr);
  if (!info) {
    target.triple.clear();
    return;
  }
  llvm::Triple triple(target.triple);
  if (triple.isX86()) {
    bool avx512 = info->checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl");
    bool avx2 = info->checkFeatures("+avx2");
    target.vectorBits = avx512 ? 512 : avx2 ? 256 : 128;
    target.vectorRegisters = avx512 ? 32 : 16;
    target.multipliesWords = true;
    target.multipliesBytes = info->checkFeatures(avx512 ? "+avx512vnni" : "+avxvnni");
    target.multipliesPairs = avx512 && info->checkFeatures("+avx512bf16");
    target.multipliesTiles = target.multipliesPairs && info->checkFeatures("+amx-tile,+amx-bf16");
    target.multipliesByteTiles = avx2 && info->checkFeatures("+amx-tile,+amx-int8");
    const bool hasAmx = target.multipliesTiles || target.multipliesByteTiles;
    target.products = productTraits(target.cpu, hasAmx);
    target.memory = memoryTraits(target.cpu, hasAmx);
    target.hasFma = info->checkFeatures("+fma");
    target.hasRoundInstruction = info->checkFeatures("+sse4.1");
    target.hasF16c = info->checkFeatures("+f16c");
    target.exponents = avx512 ? &avx512Exponents() : nullptr;
  } else {
    target.vectorBits = 128;
    target.vectorRegisters = 32;
    target.hasFma = true;
    target.hasRoundInstruction = true;
    target.hasF16c = true;
  }
  target.unwantedPasses.assign(std::begin(unwantedPasses), std::end(unwantedPasses));
  // LLVM takes longer vectors apart than it is told of.
  std::string bits = std::to_string(target.vectorBits);
  target.functionAttributes = {{"prefer-vector-width", bits}, {"min-legal-vector-width", bits}};
}

static MachineTarget describeHost() {
  MachineTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  for (const auto &feature : hostFeatures())
    features.AddFeature(feature.first(), feature.second);
  // Without this LLVM may split 512-bit vectors on machines it believes would lower their clock.
  features.AddFeature("prefer-256-bit", false);
  target.features = features.getString();
  deriveVectorShape(target);
  return target;
}

MachineTarget keratin::codegen::hostMachine() {
  static constinit Lasting<const MachineTarget> known;
  return known.get([] { return new MachineTarget(describeHost()); });
}

MachineTarget keratin::codegen::machineByName(const std::string &cpu) {
  if (cpu.empty() || cpu == "native")
    return hostMachine();
  MachineTarget target;
  target.triple = llvm::sys::getProcessTriple();
  const ProcessorName name(cpu);
  target.cpu = name.cpu.str();
  target.features = "-prefer-256-bit";
  if (!name.features.empty())
    target.features += "," + name.features;
  if (!subtarget(target.triple, name))
    return MachineTarget{};
  deriveVectorShape(target);
  return target;
}

// What vectors, and instructions for steps of formulas, would change.
static void makeScalar(MachineTarget &target) {
  MachineTarget scalar;
  static_cast<LlvmTarget &>(scalar) = target;
  scalar.functionAttributes.clear();
  scalar.vectorBits = 0;
  target = scalar;
}

std::optional<PortableMachine> keratin::codegen::portableMachine(const std::string &triple,
                                                                 const std::string &cpu,
                                                                 std::string *error) {
  PortableMachine machine;
  MachineTarget &target = machine.target;
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::Triple wanted(triple.empty() ? host.str() : llvm::Triple::normalize(triple));
  if ((wanted.getArch() != llvm::Triple::x86_64 && wanted.getArch() != llvm::Triple::aarch64) ||
      !wanted.isOSLinux()) {
    *error = "not implemented: target '" + triple + "'; there are x86_64-linux and aarch64-linux";
    return std::nullopt;
  }
  target.triple = wanted.str();
  bool isOurs = wanted.getArch() == host.getArch();
  bool isNative = cpu.empty() || cpu == "native";
  const bool isScalar = cpu == kScalarCpu;
  std::string name = isScalar             ? (wanted.isAArch64() ? "generic" : "x86-64")
                     : !isNative          ? cpu
                     : isOurs             ? llvm::sys::getHostCPUName().str()
                     : wanted.isAArch64() ? "generic"
                                          : "x86-64";
  const ProcessorName processor(name);
  std::unique_ptr<llvm::MCSubtargetInfo> info = subtarget(target.triple, processor);
  if (!info) {
    *error = "unknown cpu '" + cpu + "' of target '" + target.triple + "'";
    return std::nullopt;
  }
  target.tune = processor.cpu.str();
  if (wanted.isAArch64()) {
    target.cpu = processor.cpu.str();
  } else {
    target.cpu = "x86-64";
    // What our processor lacks of what its kind has, say in a virtual machine.
    llvm::StringMap<bool> host = isNative && isOurs ? hostFeatures() : llvm::StringMap<bool>();
    llvm::SubtargetFeatures features;
    auto add = [&](int number, const char *feature) {
      auto found = host.find(feature);
      if (!info->checkFeatures(std::string("+") + feature) ||
          (found != host.end() && !found->second))
        return;
      features.AddFeature(feature);
      machine.required[number / 64] |= uint64_t(1) << (number % 64);
    };
#define FEATURE(number, name, leaf, subleaf, where, bit, state) add(number, name);
    KERATIN_CPU_FEATURES(FEATURE)
#undef FEATURE
    features.AddFeature("prefer-256-bit", false);
    target.features = features.getString();
  }
  deriveVectorShape(target);
  if (isScalar)
    makeScalar(target);
  return machine;
}

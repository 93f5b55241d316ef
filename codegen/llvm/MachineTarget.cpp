#include "codegen/llvm/MachineTarget.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace keratin::codegen;

static void initialiseTargets() {
  static bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)once;
}

// Reads the vector shape off the features that LLVM derives from cpu and feature string.
static void deriveVectorShape(MachineTarget &target) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, &error);
  if (!machine) {
    target.triple.clear();
    return;
  }
  const llvm::MCSubtargetInfo *info = machine->getMCSubtargetInfo();
  llvm::Triple triple(target.triple);
  if (triple.isX86()) {
    bool avx512 = info->checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl");
    bool avx2 = info->checkFeatures("+avx2");
    target.vectorBits = avx512 ? 512 : avx2 ? 256 : 128;
    target.vectorRegisters = avx512 ? 32 : 16;
    target.hasFma = info->checkFeatures("+fma");
    target.hasRoundInstruction = info->checkFeatures("+sse4.1");
    target.hasF16c = info->checkFeatures("+f16c");
    target.hasAvx512 = avx512;
  } else {
    target.vectorBits = 128;
    target.vectorRegisters = 32;
    target.hasFma = true;
    target.hasRoundInstruction = true;
    target.hasF16c = true;
  }
}

MachineTarget keratin::codegen::hostMachine() {
  static const MachineTarget host = [] {
    MachineTarget target;
    target.triple = llvm::sys::getProcessTriple();
    target.cpu = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    // Without this LLVM may split 512-bit vectors on machines it believes would lower their clock.
    features.AddFeature("prefer-256-bit", false);
    target.features = features.getString();
    deriveVectorShape(target);
    return target;
  }();
  return host;
}

MachineTarget keratin::codegen::machineByName(const std::string &cpu) {
  if (cpu.empty() || cpu == "native")
    return hostMachine();
  MachineTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = cpu;
  target.features = "-prefer-256-bit";
  initialiseTargets();
  std::string error;
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(target.triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      known ? known->createMCSubtargetInfo(target.triple, "", "") : nullptr);
  if (!info || !info->isCPUStringValid(cpu))
    return MachineTarget{};
  deriveVectorShape(target);
  return target;
}

std::unique_ptr<llvm::TargetMachine>
keratin::codegen::createTargetMachine(const MachineTarget &target, std::string *error) {
  initialiseTargets();
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(target.triple, *error);
  if (!known)
    return nullptr;
  llvm::TargetOptions options;
  // A product and the sum it feeds may become one fused operation; nothing else is relaxed.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      known->createTargetMachine(target.triple, target.cpu, target.features, options,
                                 llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

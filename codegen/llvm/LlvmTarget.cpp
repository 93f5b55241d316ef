#include "codegen/llvm/LlvmTarget.h"

#include "codegen/llvm/StartLlvm.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace keratin::codegen;

std::unique_ptr<llvm::TargetMachine> keratin::codegen::createTargetMachine(const LlvmTarget &target,
                                                                           std::string *error) {
  startLlvm();
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(target.triple, *error);
  if (!known)
    return nullptr;
  llvm::TargetOptions options;
  // Which products are fused into sums, the graph has said (keratin-fuse-products).
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      known->createTargetMachine(target.triple, target.cpu, target.features, options,
                                 llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

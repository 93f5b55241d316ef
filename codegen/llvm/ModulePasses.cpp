#include "codegen/llvm/ModulePasses.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

void keratin::codegen::runPasses(llvm::Module &module, llvm::ModulePassManager &passes,
                                 llvm::TargetMachine *machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passes.run(module, modules);
}

bool keratin::codegen::hasRegistersOf256(llvm::Function &function,
                                         llvm::FunctionAnalysisManager &analyses) {
  using llvm::TargetTransformInfo;
  const auto &target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  return llvm::Triple(function.getParent()->getTargetTriple()).isX86() &&
         target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector) == 256;
}

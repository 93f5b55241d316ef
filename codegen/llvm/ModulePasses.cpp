#include "codegen/llvm/ModulePasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

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

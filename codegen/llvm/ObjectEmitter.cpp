#include "codegen/llvm/ObjectEmitter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;

// Vectors, unrolling and tiles are decided before LLVM sees the code; what is left is redundancy.
static void cleanUp(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager scalar;
  scalar.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  scalar.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  scalar.addPass(llvm::InstCombinePass());
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  scalar.addPass(llvm::GVNPass());
  scalar.addPass(llvm::ADCEPass());
  scalar.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  passes.run(module, modules);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
keratin::codegen::emitCode(ModuleOp module, const MachineTarget &target, CodeKind kind) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, &error);
  if (!machine) {
    module.emitError("no machine code for ") << target.triple << ": " << error;
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, "keratin");
  if (!translated)
    return failure();
  translated->setTargetTriple(target.triple);
  translated->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *translated) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr("min-legal-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  cleanUp(*translated, *machine);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (kind == CodeKind::LlvmIr) {
    translated->print(stream, nullptr);
  } else {
    llvm::legacy::PassManager emission;
    auto file = kind == CodeKind::Object ? llvm::CodeGenFileType::ObjectFile
                                         : llvm::CodeGenFileType::AssemblyFile;
    if (machine->addPassesToEmitFile(emission, stream, nullptr, file)) {
      module.emitError("the target ") << target.triple << " cannot emit this kind of file";
      return failure();
    }
    emission.run(*translated);
  }
  return std::unique_ptr<llvm::MemoryBuffer>(std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), "keratin", /*RequiresNullTerminator=*/false));
}

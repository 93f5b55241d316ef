#include "codegen/llvm/StartLlvm.h"

#include "codegen/llvm/Beginning.h"

#include "llvm-c/Target.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PrintPasses.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <memory>

using namespace keratin::codegen;

static void registerTargetsAndPasses() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  // Known by name only: startNvptx() does the rest. The list of targets has no lock.
  LLVMInitializeNVPTXTargetInfo();
  llvm::PassRegistry &passes = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(passes);
  llvm::initializeTransformUtils(passes);
  llvm::initializeScalarOpts(passes);
  llvm::initializeVectorization(passes);
  llvm::initializeInstCombine(passes);
  llvm::initializeIPO(passes);
  llvm::initializeAnalysis(passes);
  llvm::initializeCodeGen(passes);
  llvm::initializeTarget(passes);
  // These are in none of the lists, and would register when they are made.
  llvm::initializeExpandReductionsPass(passes);
  llvm::initializeExpandVectorPredicationPass(passes);
  llvm::initializeRegAllocScoringPass(passes);
  llvm::initializeReplaceWithVeclibLegacyPass(passes);
}

// Clears bits of integers in memory, others in each lane.
static llvm::Function &addExample(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
                             llvm::Function::ExternalLinkage, "example", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Constant *mask =
      llvm::ConstantDataVector::get(context, llvm::ArrayRef<uint32_t>{1, 2, 3, 4});
  llvm::Value *place = function->getArg(0);
  b.CreateStore(b.CreateAnd(b.CreateLoad(mask->getType(), place), mask), place);
  b.CreateRetVoid();
  return *function;
}

// Selecting instructions makes lists of types. Looking for what vectors of constants have in
// common, in instructions on bits, makes a table of those that repeat an element of their operand.
static void selectExample(llvm::Module &module, llvm::LLVMTargetMachine &machine) {
  llvm::legacy::PassManager passes;
  auto *functions = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(functions);
  if (config->addISelPasses())
    return;
  config->setInitialized();
  const llvm::StringRef name = "x86-fixup-vector-constants";
  const llvm::PassInfo *constants = llvm::PassRegistry::getPassRegistry()->getPassInfo(name);
  if (constants && machine.getTargetTriple().isX86())
    passes.add(constants->createPass());
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
}

// What the code generator makes when it first needs it, made for a processor that has all kinds of
// instructions of which there are tables.
static void makeTables() {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target ? target->createTargetMachine(triple.str(), triple.isX86() ? "x86-64-v4" : "", "", {},
                                           llvm::Reloc::PIC_)
             : nullptr);
  if (!machine)
    return;
  llvm::LibFunc ignored;
  (void)llvm::TargetLibraryInfoImpl(triple).getLibFunc("exp", ignored); // functions by their names
  (void)llvm::isFunctionInPrintList("");                                // those to be printed
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setDataLayout(machine->createDataLayout());
  llvm::Function &example = addExample(module);
  // Instructions that read their operand from memory.
  (void)machine->getSubtargetImpl(example)->getInstrInfo()->getOpcodeAfterMemoryUnfold(
      llvm::TargetOpcode::COPY, /*UnfoldLoad=*/true, /*UnfoldStore=*/false);
  selectExample(module, static_cast<llvm::LLVMTargetMachine &>(*machine));
}

void keratin::codegen::startLlvm() {
  static constinit Beginning beginning([] {
    registerTargetsAndPasses();
    makeTables();
  });
  beginning.await();
}

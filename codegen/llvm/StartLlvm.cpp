#include "codegen/llvm/StartLlvm.h"

#include "codegen/llvm/Beginning.h"

#include "llvm-c/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

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
}

// p[i] += 1.5 for vectors, as long as i < exp(x): a call of a function by its name, a loop, and a
// constant in memory. For these the code generator makes tables when it first meets them.
static void addExample(llvm::Module &module, unsigned lanes) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto *vector = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
  llvm::FunctionCallee exp = module.getOrInsertFunction("exp", b.getDoubleTy(), b.getDoubleTy());
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getDoubleTy()}, false),
      llvm::Function::ExternalLinkage, "example", module);
  auto *entry = llvm::BasicBlock::Create(context, "", function);
  auto *loop = llvm::BasicBlock::Create(context, "", function);
  auto *end = llvm::BasicBlock::Create(context, "", function);
  b.SetInsertPoint(entry);
  llvm::Value *count = b.CreateFPToSI(b.CreateCall(exp, {function->getArg(1)}), b.getInt64Ty());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  llvm::Value *place = b.CreateGEP(vector, function->getArg(0), i);
  llvm::Value *sum = b.CreateFAdd(b.CreateLoad(vector, place), llvm::ConstantFP::get(vector, 1.5));
  b.CreateStore(sum, place);
  llvm::Value *next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpSLT(next, count), loop, end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

void keratin::codegen::runCodeGenerator(const std::string &triple, llvm::StringRef cpu,
                                        llvm::StringRef features, llvm::CodeGenOptLevel level,
                                        llvm::CodeGenFileType file) {
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target ? target->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_,
                                           std::nullopt, level)
             : nullptr);
  if (!machine)
    return;
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  addExample(module, 8);
  addExample(module, 16);
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (!machine->addPassesToEmitFile(passes, stream, nullptr, file))
    passes.run(module);
}

void keratin::codegen::startLlvm() {
  static constinit Beginning beginning([] {
    registerTargetsAndPasses();
    // As it will be for code that runs once and for kernels.
    for (auto level : {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Default})
      runCodeGenerator(llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName(), "", level,
                       llvm::CodeGenFileType::ObjectFile);
  });
  beginning.await();
}

#include "codegen/gpu/ptx/StartNvptx.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/StartLlvm.h"

#include "llvm-c/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace keratin::codegen;

// p[i] += 1.5 for eight floats each, as long as i < n.
static void addExample(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto *vector = llvm::FixedVectorType::get(b.getFloatTy(), 8);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}, false),
      llvm::Function::ExternalLinkage, "example", module);
  auto *entry = llvm::BasicBlock::Create(context, "", function);
  auto *loop = llvm::BasicBlock::Create(context, "", function);
  auto *end = llvm::BasicBlock::Create(context, "", function);
  b.SetInsertPoint(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  llvm::Value *place = b.CreateGEP(vector, function->getArg(0), i);
  llvm::Value *sum = b.CreateFAdd(b.CreateLoad(vector, place), llvm::ConstantFP::get(vector, 1.5));
  b.CreateStore(sum, place);
  llvm::Value *next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpSLT(next, function->getArg(1)), loop, end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

// Some passes of the code generator register when they are made, or when another asks for them, and
// tables are made when they are first needed: so it is made and used.
static void runCodeGenerator() {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(cudaMachine(), &error);
  if (!machine)
    return;
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  addExample(module);
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (!machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    passes.run(module);
}

void keratin::codegen::startNvptx() {
  static constinit Beginning beginning([] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    runCodeGenerator();
  });
  startLlvm();
  beginning.await();
}

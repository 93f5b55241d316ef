#include "codegen/gpu/ptx/PtxModule.h"

#include "codegen/gpu/ptx/DeviceCode.h"
#include "codegen/gpu/ptx/HiddenFloats.h"
#include "codegen/gpu/ptx/HighWords.h"
#include "codegen/gpu/ptx/KernelEntry.h"
#include "codegen/gpu/ptx/NarrowIndices.h"
#include "codegen/gpu/ptx/StartNvptx.h"
#include "codegen/llvm/ModulePasses.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/llvm/StageClock.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace keratin::codegen;
using namespace mlir;

std::string keratin::codegen::ptxName(StringRef name) {
  std::string result = name.str();
  for (char &letter : result)
    if (!llvm::isAlnum(letter) && letter != '$')
      letter = '_';
  return result;
}

// No function is left but entries, no memory of a function's own, which PTX would have in the
// device's memory, and no arithmetic on vectors.
static void takeApart(llvm::Module &module) {
  llvm::FunctionPassManager scalar;
  scalar.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // What kernels in loops assume of addresses, they assume of pointers whose memory is not told
  // yet.
  scalar.addPass(llvm::InferAlignmentPass());
  scalar.addPass(llvm::InferAddressSpacesPass(/*AddressSpace=*/0));
  // Vectors are taken apart: those of one element would be taken for others, and go through memory.
  // Accesses of several elements at once come together again where their alignment is known.
  scalar.addPass(llvm::InferAlignmentPass());
  scalar.addPass(llvm::ScalarizeMaskedMemIntrinPass());
  llvm::ScalarizerPassOptions lanes;
  lanes.ScalarizeLoadStore = true;
  scalar.addPass(llvm::ScalarizerPass(lanes));
  scalar.addPass(llvm::InferAddressSpacesPass(/*AddressSpace=*/0));

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  runPasses(module, passes);
}

// Addresses, loops and branches.
static void simplify(llvm::Module &module) {
  llvm::FunctionPassManager scalar;
  scalar.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  scalar.addPass(llvm::SimplifyCFGPass());
  // The loop over the units of a call has one step. InstCombine would hide that.
  llvm::LoopPassManager ofLoops;
  ofLoops.addPass(llvm::LoopRotatePass());
  ofLoops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  ofLoops.addPass(llvm::IndVarSimplifyPass(/*WidenIndVars=*/false));
  ofLoops.addPass(llvm::LoopDeletionPass());
  scalar.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(ofLoops), /*UseMemorySSA=*/true));
  scalar.addPass(llvm::InstCombinePass());
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  scalar.addPass(llvm::GVNPass());
  scalar.addPass(llvm::InstCombinePass());
  scalar.addPass(llvm::SimplifyCFGPass());
  // What is next to each other is best seen as long as indices do not wrap around.
  scalar.addPass(llvm::LoadStoreVectorizerPass());
  scalar.addPass(NarrowIndicesPass());
  scalar.addPass(llvm::EarlyCSEPass());
  scalar.addPass(llvm::ADCEPass());

  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  runPasses(module, passes);
}

static void cleanUp(llvm::Module &module) {
  takeApart(module);
  HiddenFloats floats(module);
  simplify(module);
  floats.show();
}

// Hints for caches, in loops of CPUs' kernels that take long lines. Here other warps run meanwhile.
static void dropPrefetches(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            call && call->getIntrinsicID() == llvm::Intrinsic::prefetch)
          call->eraseFromParent();
}

// Assembly to which threads come together stays where it is.
static void keepTogether(llvm::Module &module,
                         llvm::function_ref<bool(const llvm::InlineAsm &)> isMeant) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->isInlineAsm() &&
          isMeant(*llvm::cast<llvm::InlineAsm>(call->getCalledOperand())))
        call->setConvergent();
}

// Loops are whole before anything is known of what their kernels ask for. Assembly in them is
// barriers.
static void inlineKernels(llvm::Module &module) {
  keepTogether(module, [](const llvm::InlineAsm &) { return true; });
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  runPasses(module, passes);
}

static std::string makeEntries(llvm::Module &module, llvm::MutableArrayRef<PtxKernel> kernels) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) { // all but the entries, which are made next
      function.setLinkage(llvm::Function::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  for (PtxKernel &kernel : kernels) {
    llvm::Function *body = module.getFunction(kernel.name);
    if (!body)
      return "there is no kernel " + kernel.name;
    body->removeFnAttr(llvm::Attribute::AlwaysInline);
  }
  keepTogether(module, [](const llvm::InlineAsm &assembly) {
    return StringRef(assembly.getAsmString()).contains("wgmma.");
  });
  if (llvm::any_of(kernels, [](const PtxKernel &kernel) { return kernel.shape.isWhole; }))
    inlineKernels(module);
  for (PtxKernel &kernel : kernels) {
    llvm::Function *body = module.getFunction(kernel.name);
    kernel.name = ptxName(kernel.name);
    std::string error;
    llvm::Function *entry = makeUnitsEntry(*body, kernel.shape, kernel.bounds, &error);
    if (!entry)
      return error;
    entry->setName(kernel.name);
  }
  return "";
}

FailureOr<std::string> keratin::codegen::emitPtx(ModuleOp module,
                                                 llvm::MutableArrayRef<PtxKernel> kernels,
                                                 const MachineTarget &machine) {
  startNvptx();
  FailureOr<LlvmCode> code = translate(module, machine);
  if (failed(code))
    return failure();
  std::string problem = makeEntries(*code->module, kernels);
  if (problem.empty()) {
    dropPrefetches(*code->module);
    cleanUp(*code->module);
    problem = unfitFor(*code->module);
  }
  if (!problem.empty()) {
    module.emitError("not implemented: on the device cuda, ") << problem;
    return failure();
  }
  StageClock clock;
  auto text = generate(*code, machine, CodeKind::Assembly, clock, &problem);
  if (!text) {
    module.emitError("no PTX: ") << problem;
    return failure();
  }
  return takeHighWordsByShifts(text->getBuffer());
}

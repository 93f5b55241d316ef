#include "codegen/llvm/ObjectEmitter.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/ConstantOperands.h"
#include "codegen/llvm/MaskedStores.h"
#include "codegen/llvm/ModulePasses.h"
#include "codegen/llvm/StageClock.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <map>
#include <mutex>

using namespace keratin::codegen;
using namespace mlir;

// Vectors, unrolling and tiles are decided before LLVM sees the code; what is left is redundancy.
// Instruction selection combines what its neighbours can be combined with, so InstCombine, which
// would take as long as all of this, is not missed (1 % of some contractions).
static void cleanUp(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager scalar;
  // Notes of numbers that are not finite become registers; nothing else is there to promote.
  scalar.addPass(llvm::PromotePass());
  scalar.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  scalar.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  scalar.addPass(llvm::ADCEPass());
  scalar.addPass(MaskedStoresPass());

  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  passes.addPass(ConstantOperandsPass());
  runPasses(module, passes, &machine);
}

namespace {

// Leaves out passes of the code generator.
class LeanPassManager : public llvm::legacy::PassManager {
public:
  explicit LeanPassManager(llvm::ArrayRef<std::string> unwanted) : unwanted(unwanted) {}

  void add(llvm::Pass *pass) override {
    if (isWanted(*pass))
      llvm::legacy::PassManager::add(pass);
    else
      delete pass;
  }

private:
  bool isWanted(const llvm::Pass &pass) const {
    const llvm::PassInfo *info =
        llvm::PassRegistry::getPassRegistry()->getPassInfo(pass.getPassID());
    return !info || !llvm::is_contained(unwanted, info->getPassArgument());
  }

  llvm::ArrayRef<std::string> unwanted;
};

// The last of the passes, which take one function after the other: says when each is finished.
class FunctionClock : public llvm::FunctionPass {
public:
  explicit FunctionClock(StageClock &clock) : llvm::FunctionPass(ID), clock(clock) {}

  bool runOnFunction(llvm::Function &function) override {
    clock.finishPart(function.getName().str());
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override { usage.setPreservesAll(); }

private:
  static char ID;
  StageClock &clock;
};
char FunctionClock::ID = 0;

} // namespace

// What TargetMachine::addPassesToEmitFile does, with our list of passes. False if the target cannot
// emit such a file.
static bool selectInstructions(llvm::Module &module, llvm::LLVMTargetMachine &machine,
                               llvm::ArrayRef<std::string> unwantedPasses,
                               llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType file,
                               StageClock &clock) {
  LeanPassManager passes(unwantedPasses);
  auto *functions = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(functions);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, file, functions->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.add(new FunctionClock(clock));
  passes.run(module);
  return true;
}

namespace {

// Target machines that wait for their next use: one works out the features of its processor, which
// takes as long as a small kernel, and serves one thread at a time.
class MachinePool {
public:
  using Machine = std::unique_ptr<llvm::TargetMachine>;

  static MachinePool &instance() {
    // Never destroyed: compilations may be running when the process ends.
    static constinit Lasting<MachinePool> pool;
    return pool.get([] { return new MachinePool(); });
  }

  Machine take(const LlvmTarget &target, bool runsOnce, std::string *error) {
    std::string name = nameOf(target, runsOnce);
    Machines::node_type waiting;
    {
      std::lock_guard lock(mutex);
      if (auto found = machines.find(name); found != machines.end())
        waiting = machines.extract(found);
    }
    if (waiting)
      return std::move(waiting.mapped());
    Machine machine = createTargetMachine(target, error);
    if (machine && runsOnce)
      machine->setOptLevel(llvm::CodeGenOptLevel::None);
    return machine;
  }

  void giveBack(const LlvmTarget &target, bool runsOnce, Machine machine) {
    Machines returned;
    returned.emplace(nameOf(target, runsOnce), std::move(machine));
    std::lock_guard lock(mutex);
    machines.merge(returned);
  }

private:
  static std::string nameOf(const LlvmTarget &target, bool runsOnce) {
    return target.triple + " " + target.cpu + " " + target.features + (runsOnce ? " once" : "");
  }

  using Machines = std::multimap<std::string, Machine>;
  // Nothing is asked for under the lock, which a recovery would leave locked.
  std::mutex mutex;
  Machines machines;
};

// A target machine for the time of its life; null if there is none.
//
// Code that runs once has machines of its own, at LLVM's level without optimisation: its register
// allocator takes a block as it comes, where the other one weighs the lives of all values against
// each other. Compiling at that level sets options of the machine that stay.
class BorrowedMachine {
public:
  BorrowedMachine(const LlvmTarget &target, bool runsOnce, std::string *error)
      : target(target), runsOnce(runsOnce),
        machine(MachinePool::instance().take(target, runsOnce, error)) {}
  ~BorrowedMachine() {
    if (machine)
      MachinePool::instance().giveBack(target, runsOnce, std::move(machine));
  }
  llvm::TargetMachine *operator->() const { return machine.get(); }
  llvm::TargetMachine &operator*() const { return *machine; }
  explicit operator bool() const { return machine != nullptr; }

private:
  const LlvmTarget &target;
  const bool runsOnce;
  MachinePool::Machine machine;
};

} // namespace

LlvmCode::LlvmCode() = default;
LlvmCode::LlvmCode(LlvmCode &&) = default;
LlvmCode::~LlvmCode() {
  module.reset(); // before its context
}

// Without a handler LLVM prints an error of its code generator and ends the process.
static void onDiagnostic(const llvm::DiagnosticInfo *diagnostic, void *) {
  if (diagnostic->getSeverity() != llvm::DS_Error)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  diagnostic->print(printer);
  llvm::report_fatal_error(llvm::StringRef(text), /*GenCrashDiag=*/false);
}

void keratin::codegen::setAttributes(llvm::Function &function, const LlvmTarget &target) {
  function.addFnAttr("target-cpu", target.cpu);
  function.addFnAttr("target-features", target.features);
  if (!target.tune.empty())
    function.addFnAttr("tune-cpu", target.tune);
  for (const auto &[name, value] : target.functionAttributes)
    function.addFnAttr(name, value);
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

FailureOr<LlvmCode> keratin::codegen::translate(ModuleOp module, const LlvmTarget &target) {
  std::string error;
  BorrowedMachine machine(target, /*runsOnce=*/false, &error);
  if (!machine) {
    module.emitError("no machine code for ") << target.triple << ": " << error;
    return failure();
  }
#ifdef NDEBUG
  constexpr bool disableVerification = true;
#else
  constexpr bool disableVerification = false;
#endif
  LlvmCode code;
  code.context = std::make_unique<llvm::LLVMContext>();
  code.context->setDiagnosticHandlerCallBack(onDiagnostic);
  code.module = translateModuleToLLVMIR(module, *code.context, "keratin", disableVerification);
  if (!code.module)
    return failure();
  code.module->setTargetTriple(target.triple);
  code.module->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *code.module)
    if (!function.isDeclaration())
      setAttributes(function, target);
  return code;
}

bool keratin::codegen::cleanUpCode(LlvmCode &code, const LlvmTarget &target, std::string *error) {
  BorrowedMachine machine(target, code.runsOnce, error);
  if (machine)
    cleanUp(*code.module, *machine);
  return bool(machine);
}

std::unique_ptr<llvm::MemoryBuffer> keratin::codegen::generate(LlvmCode &code,
                                                               const LlvmTarget &target,
                                                               CodeKind kind, StageClock &clock,
                                                               std::string *error) {
  BorrowedMachine machine(target, code.runsOnce, error);
  if (!machine)
    return nullptr;
  if (!code.runsOnce)
    cleanUp(*code.module, *machine);
  clock.finish("clean up");
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (kind == CodeKind::LlvmIr) {
    code.module->print(stream, nullptr);
  } else {
    // Machines are used again.
    llvm::TargetOptions &options = machine->Options;
    const llvm::TargetOptions before = options;
    const auto restore = llvm::make_scope_exit([&] { options = before; });
    options.FunctionSections = options.DataSections = options.EmitStackSizeSection =
        code.isForParts;
    auto file = kind == CodeKind::Object ? llvm::CodeGenFileType::ObjectFile
                                         : llvm::CodeGenFileType::AssemblyFile;
    if (!selectInstructions(*code.module, static_cast<llvm::LLVMTargetMachine &>(*machine),
                            target.unwantedPasses, stream, file, clock)) {
      *error = "the target " + target.triple + " cannot emit this kind of file";
      return nullptr;
    }
  }
  clock.finish("machine code");
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "keratin",
                                                         /*RequiresNullTerminator=*/false);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
keratin::codegen::emitCode(ModuleOp module, const LlvmTarget &target, CodeKind kind) {
  FailureOr<LlvmCode> code = translate(module, target);
  if (failed(code))
    return failure();
  StageClock clock;
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> result = generate(*code, target, kind, clock, &error);
  if (!result) {
    module.emitError("no machine code: ") << error;
    return failure();
  }
  return result;
}

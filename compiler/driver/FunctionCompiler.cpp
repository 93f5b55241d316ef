#include "compiler/driver/FunctionCompiler.h"

#include "codegen/llvm/CodeParts.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "compiler/driver/CompilePass.h"
#include "compiler/driver/ReportPattern.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"
#include "passes/Passes.h"
#include "passes/fusion/OpenScalars.h"
#include "passes/memory/MemoryReport.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ScopedPrinter.h"

#include <thread>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;
namespace host = keratin::host;
namespace ir = keratin::ir;
namespace passes = keratin::passes;

FunctionCompiler::FunctionCompiler(ModuleOp module, std::shared_ptr<const codegen::Target> target,
                                   const CompileOptions &options,
                                   std::chrono::steady_clock::time_point started,
                                   const SaidTexts *said)
    : module(module), target(std::move(target)), options(options), started(started), said(said),
      diagnostics(module.getContext()) {
  mapSourcePaths(module, options.sourcePaths);
}

void FunctionCompiler::enter(const char *stage, int64_t steps) {
  step.function = function.getName().str();
  step.stage = stage;
  step.done = 0;
  step.of = steps;
}

LogicalResult FunctionCompiler::tell(StringRef next) {
  if (!options.progress)
    return success();
  step.next = next.str();
  isCancelled |= !options.progress(step);
  return mlir::failure(isCancelled);
}

LogicalResult FunctionCompiler::leave() {
  step.done = step.of;
  return tell("");
}

LogicalResult FunctionCompiler::begin(StringRef next, Location location) {
  if (failed(tell(next)))
    return mlir::failure();
  step.done = std::min(step.done + 1, step.of - 1);
  if (options.timeLimit.count() <= 0 ||
      std::chrono::steady_clock::now() - started < options.timeLimit)
    return success();
  std::chrono::duration<double, std::milli> limit = options.timeLimit;
  return ir::emitGraphError(location, ir::GraphError::TooLarge)
         << "compiling function '" << function.getName() << "' takes longer than "
         << llvm::to_string(llvm::format("%g", limit.count())) << " ms; stopped before " << next;
}

// What a caller hands over must be of a rank and a size that the runtime can speak of. Values in
// between are the memory planner's to refuse.
LogicalResult FunctionCompiler::checkSignature() {
  for (TypeRange types :
       {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return ir::emitGraphError(function) << type << " is not a ranked tensor";
      if (tensor.getRank() > KERATIN_MAX_RANK)
        return ir::emitGraphError(function, ir::GraphError::TooLarge)
               << "an input or output has rank " << tensor.getRank() << "; at most "
               << KERATIN_MAX_RANK << " is possible";
      int64_t bytes = ir::dtypeBytes(ir::dtypeOf(tensor.getElementType()));
      for (int64_t dim : tensor.getShape())
        if (!ShapedType::isDynamic(dim) && dim > 1 && __builtin_mul_overflow(bytes, dim, &bytes))
          return ir::emitGraphError(function, ir::GraphError::TooLarge)
                 << "the bytes of an input or output of type " << type << " do not fit 64 bits";
    }
  return success();
}

LogicalResult FunctionCompiler::checkConstants(const codegen::EntryDescription &entry) {
  int64_t total = 0;
  for (Value constant : entry.constants) {
    if (passes::OpenScalars::numberOfOpened(constant))
      continue; // where others have them in their code
    RankedTensorType type = ir::getTensorType(constant);
    int64_t bytes = ir::dtypeBytes(ir::dtypeOf(type.getElementType()));
    for (int64_t dim : type.getShape())
      if (__builtin_mul_overflow(bytes, dim, &bytes))
        bytes = std::numeric_limits<int64_t>::max();
    if (bytes > options.maxConstantBytes - total)
      return ir::emitGraphError(constant.getLoc(), ir::GraphError::TooLarge)
             << "constants need more than " << options.maxConstantBytes << " bytes";
    total += bytes;
  }
  return success();
}

PhaseOptions FunctionCompiler::phaseOptions() {
  PhaseOptions result;
  result.limits = target->limits();
  result.maxOps = options.maxOps;
  result.failBefore = options.failBefore;
  result.keptBytes = keptBytes;
  result.checkNumbers = options.checkNumbers;
  result.prepares = options.prepareWeights && !options.checkNumbers && !result.limits.hasOwnMemory;
  result.panelColumns = [this](ir::KernelOp kernel) { return target->panelColumns(kernel); };
  result.opensScalars = opensScalars;
  result.sizes =
      options.assumeEqualSizes ? PhaseOptions::Sizes::Assumed : PhaseOptions::Sizes::Required;
  if (options.progress || options.timeLimit.count() > 0)
    result.beforePass = [this](StringRef pass, Location location) {
      return begin(("pass " + pass).str(), location);
    };
  return result;
}

absl::Status FunctionCompiler::failure(std::optional<PipelinePhase> phase) {
  if (isCancelled)
    return absl::CancelledError();
  return withReproducer(diagnostics.status(), phase);
}

absl::Status FunctionCompiler::withReproducer(const absl::Status &status,
                                              std::optional<PipelinePhase> phase) {
  if (status.code() != absl::StatusCode::kInternal || !options.writeReproducer || !reproducer)
    return status;
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  PhaseOptions phases = phaseOptions();
  phases.beforePass = nullptr;
  if (phase)
    buildModulePipeline(passes, *phase, phases);
  else
    passes.addPass(createCompilePass(options));
  std::string file = reproducer->write(options.reproducerDirectory, passes);
  if (file.empty())
    return status;
  absl::Status result = absl::InternalError(std::string(status.message()) +
                                            "\nto reproduce: keratin-opt --run-reproducer " + file);
  status.ForEachPayload(
      [&](absl::string_view name, const absl::Cord &payload) { result.SetPayload(name, payload); });
  return result;
}

namespace {
// Adds up what each pass takes. What runs others, and asks before them, has no name.
class PassClock : public PassInstrumentation {
public:
  explicit PassClock(std::vector<CompileReport::Cost> &costs) : costs(costs) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      clock = codegen::StageClock();
  }
  void runAfterPass(Pass *pass, Operation *) override {
    StringRef name = pass->getArgument();
    if (name.empty())
      return;
    clock.finish("pass");
    double milliseconds = clock.stages().front().milliseconds;
    auto known =
        llvm::find_if(costs, [&](const CompileReport::Cost &cost) { return cost.name == name; });
    if (known != costs.end())
      known->milliseconds += milliseconds;
    else
      costs.push_back({name.str(), milliseconds});
  }

private:
  std::vector<CompileReport::Cost> &costs;
  codegen::StageClock clock;
};
} // namespace

LogicalResult FunctionCompiler::runPhase(ModuleOp module, PipelinePhase phase, bool isShown) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  manager.addInstrumentation(std::make_unique<PassClock>(planReport.passes));
  if (isShown && options.printAfterAll)
    manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                             [](Pass *pass, Operation *) { return !pass->getArgument().empty(); },
                             /*printModuleScope=*/false, /*printAfterOnlyOnChange=*/false);
  const PhaseOptions phases = phaseOptions();
  buildModulePhase(manager, phase, phases);
  if (options.verify && phase == PipelinePhase::Memory)
    buildMemoryCheck(manager.nest<func::FuncOp>(), phases);
  if (!isShown)
    return manager.run(module);
  if (phase != PipelinePhase::Host)
    enter(phaseName(phase), passCount(phase, phases));
  return mlir::failure(failed(manager.run(module)) || failed(leave()));
}

// Bytes of the arena of a copy, planned with loops that keep so much.
absl::StatusOr<int64_t> FunctionCompiler::arenaWith(int64_t kept) {
  keptBytes = kept;
  OwningOpRef<ModuleOp> trial = module.clone();
  for (PipelinePhase phase : planningPhases)
    if (failed(runPhase(*trial, phase, /*isShown=*/false)))
      return failure(phase);
  auto usage = passes::memoryUsage(*trial->getOps<func::FuncOp>().begin(), {});
  // Sizes that cannot be counted are refused later, with or without a budget.
  return usage ? usage->arenaBytes : 0;
}

// The plan is the truth: what gradients keep as they are expanded is not yet what lies in memory
// when kernels are formed. So less and less is allowed to them, until the plan fits.
absl::StatusOr<int64_t> FunctionCompiler::chooseKeptBytes() {
  constexpr int mostHalvings = 6;
  enter("budget", (2 + mostHalvings) * passCount());
  const int64_t budget = options.memoryBudget;
  auto free = arenaWith(budget);
  if (!free.ok() || *free <= budget)
    return free.ok() ? absl::StatusOr<int64_t>(budget) : free.status();
  auto least = arenaWith(0);
  if (!least.ok() || *least > budget)
    return least.ok() ? absl::StatusOr<int64_t>(*least < *free ? 0 : budget) : least.status();
  for (int halvings = 1; halvings <= mostHalvings; ++halvings) {
    auto bytes = arenaWith(budget >> halvings);
    if (!bytes.ok())
      return bytes.status();
    if (*bytes <= budget)
      return budget >> halvings;
  }
  return 0;
}

absl::Status FunctionCompiler::beginPlan() {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1)
    return absl::InvalidArgumentError("a module to compile holds one function, found " +
                                      std::to_string(functions.size()));
  function = functions.front();
  dump = PhaseDump(options.dumpDirectory, function.getName().str(),
                   options.isGeneral ? "general" : "");
  clock.finish("look-up");
  if (failed(verify(module)))
    return absl::InvalidArgumentError(diagnostics.status().message());
  int64_t ops = 0;
  function.walk([&](Operation *) { ++ops; });
  if (ops > options.maxOps)
    return absl::ResourceExhaustedError("the graph has " + std::to_string(ops) + " ops; at most " +
                                        std::to_string(options.maxOps) + " are compiled");
  if (failed(checkSignature()))
    return diagnostics.status();
  clock.finish("verify");
  reproducer.emplace(module, options.reproducerWithData);
  dump.module(Stage::Input, module);
  // Without a loop or a gradient there is nothing to choose.
  bool hasChoice =
      module.walk([](ir::ScanOp) { return WalkResult::interrupt(); }).wasInterrupted() &&
      ir::hasDerivatives(module);
  if (options.memoryBudget > 0 && hasChoice) {
    absl::StatusOr<int64_t> chosen = chooseKeptBytes();
    if (!chosen.ok())
      return chosen.status();
    keptBytes = *chosen;
    if (failed(leave()))
      return failure();
    clock.finish("budget");
  }
  return absl::OkStatus();
}

absl::Status FunctionCompiler::plan(PipelinePhase last) {
  if (!reached)
    if (absl::Status status = beginPlan(); !status.ok())
      return status;
  for (PipelinePhase phase : planningPhases) {
    if (reached && phase <= *reached)
      continue;
    if (failed(runPhase(module, phase, /*isShown=*/true)))
      return failure(phase);
    dump.module(stageAfter(phase), module);
    reached = phase;
    if (phase == last && last < PipelinePhase::Memory) {
      clock.finish("passes");
      return absl::OkStatus();
    }
  }
  if (options.memoryBudget > 0)
    passes::setMemoryBudget(function, options.memoryBudget);
  if (said)
    planPattern = memoryReportPattern(function, *said);
  planReport.memoryPlan =
      planPattern ? memoryReportOf(*planPattern, *said) : passes::memoryReport(function);
  passes::MemoryUsage usage =
      passes::memoryUsage(function, passes::SymbolValues()).value_or(passes::MemoryUsage());
  planReport.arenaBytes = passes::mostArenaBytes(function).value_or(usage.arenaBytes);
  planReport.maxLiveBytes = usage.maxLiveBytes;
  if (last >= PipelinePhase::Host) {
    enter(phaseName(PipelinePhase::Host), 1);
    if (failed(begin("the host program", function.getLoc())) ||
        failed(runPhase(module, PipelinePhase::Host, /*isShown=*/true)))
      return failure(PipelinePhase::Host);
    dump.module(Stage::Host, module);
  }
  clock.finish("passes");
  return absl::OkStatus();
}

// Shared functions of several machines have the same names until here.
static void renameShared(ModuleOp kernels, const std::string &variant) {
  SymbolTable symbols(kernels);
  for (auto shared : llvm::to_vector(kernels.getOps<LLVM::LLVMFuncOp>()))
    if (shared->hasAttr(codegen::kSharedFunctionAttr))
      (void)symbols.rename(shared, (shared.getSymName() + "." + variant).str());
}

OwningOpRef<ModuleOp> FunctionCompiler::lowerKernels(const codegen::Target &target,
                                                     const std::string &entryName,
                                                     FunctionDescription &description,
                                                     codegen::EntryDescription &entry) {
  codegen::loadCodegenDialects(module.getContext());
  if (options.failBefore == passCount())
    return module.emitError("failed on purpose"), nullptr;
  if (options.failBefore > passCount())
    llvm::report_fatal_error("died on purpose", /*gen_crash_diag=*/false);
  if (failed(description.bindSymbols(function, entry)))
    return nullptr;
  int64_t steps = 1;
  function.walk([&](ir::KernelOp) { ++steps; });
  enter("kernels", steps);
  entry.beforeKernel = [this](Location location) { return begin("a kernel", location); };
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  if (failed(target.lower(function, host::programOf(function), *kernels, entryName, entry)) ||
      failed(checkConstants(entry)) || failed(description.describe(function, entry)))
    return nullptr;
  clock.finish("kernels");
  return kernels;
}

OwningOpRef<ModuleOp> FunctionCompiler::lower(const codegen::Target &target,
                                              const std::string &entryName,
                                              FunctionDescription &description,
                                              codegen::EntryDescription &entry) {
  OwningOpRef<ModuleOp> kernels = lowerKernels(target, entryName, description, entry);
  if (!kernels)
    return nullptr;
  if (failed(begin("the LLVM dialect", function.getLoc())) ||
      failed(codegen::lowerToLlvm(*kernels)) || failed(leave()))
    return nullptr;
  clock.finish("LLVM dialect");
  enter("llvm", 1);
  if (failed(begin("LLVM", function.getLoc())))
    return nullptr;
  return kernels;
}

absl::StatusOr<FunctionCode> FunctionCompiler::generate(const codegen::Target &target,
                                                        const std::string &entryName,
                                                        const std::string &variant,
                                                        bool mayShareKernels) {
  FunctionCode code;
  code.description = std::make_unique<FunctionDescription>(said);
  codegen::EntryDescription entry;
  entry.profile = options.profile;
  OwningOpRef<ModuleOp> kernels = lower(target, entryName, *code.description, entry);
  if (!kernels)
    return failure();
  if (!variant.empty())
    renameShared(*kernels, variant);
  code.listing = codegen::KernelListing(entry);
  const PhaseDump machineDump = dump.of(variant);
  machineDump.module(Stage::Llvm, *kernels);
  if (dump.enabled()) {
    machineDump.text(Stage::Kernels, ".txt", schedulesOf(entry));
    if (auto assembly = codegen::emitCode(*kernels, target.host(), codegen::CodeKind::Assembly);
        succeeded(assembly))
      machineDump.text(Stage::Assembly, ".s",
                       code.listing.annotateAssembly((*assembly)->getBuffer()));
  }
  unsigned threads =
      options.threads ? options.threads : std::min(2u, std::thread::hardware_concurrency());
  codegen::SharedKernels shared;
  shared.names = entry.kernelFunctions;
  auto objects =
      codegen::emitObjects(*kernels, target.host(), options.effort, threads, clock,
                           mayShareKernels ? &shared : nullptr, [this](int64_t done, int64_t of) {
                             step.done = 1 + done;
                             step.of = 1 + of;
                             return tell("machine code");
                           });
  if (failed(objects) || failed(leave()))
    return failure();
  nameCode(entry, shared);
  code.sharedKernels = std::move(shared.code);
  code.objects = std::move(*objects);
  if (opensScalars)
    for (Value constant : entry.constants)
      code.scalarOfConstant.push_back(passes::OpenScalars::numberOfOpened(constant).value_or(-1));
  code.kernels = entry.kernels;
  code.uniqueKernels = entry.uniqueKernels;
  return code;
}

absl::StatusOr<std::string> FunctionCompiler::generateText(const codegen::Target &target,
                                                           const std::string &entryName,
                                                           codegen::CodeKind kind,
                                                           codegen::KernelListing *listing) {
  FunctionDescription description;
  codegen::EntryDescription entry;
  entry.profile = options.profile;
  OwningOpRef<ModuleOp> kernels = lower(target, entryName, description, entry);
  if (!kernels)
    return failure();
  const codegen::KernelListing kernelsOfText(entry);
  if (listing)
    *listing = kernelsOfText;
  auto text = codegen::emitCode(*kernels, target.host(), kind);
  if (failed(text) || failed(leave()))
    return failure();
  return kind == codegen::CodeKind::Assembly ? kernelsOfText.annotateAssembly((*text)->getBuffer())
                                             : kernelsOfText.annotateLlvm((*text)->getBuffer());
}

absl::StatusOr<FreestandingCode>
FunctionCompiler::generateFreestanding(const codegen::Target &target,
                                       const std::string &entryName) {
  FreestandingCode code;
  code.description = std::make_unique<FunctionDescription>(said);
  code.entry.isFreestanding = true;
  code.module = lower(target, entryName, *code.description, code.entry);
  if (!code.module || failed(leave()))
    return failure();
  // It would call a function of this object's.
  code.entry.beforeKernel = nullptr;
  return code;
}

absl::StatusOr<std::string> FunctionCompiler::schedules(const codegen::Target &target) {
  FunctionDescription description;
  codegen::EntryDescription entry;
  entry.onlyPlans = true;
  if (!lowerKernels(target, "model", description, entry) || failed(leave()))
    return failure();
  return schedulesOf(entry);
}

std::string FunctionCompiler::schedulesOf(const codegen::EntryDescription &entry) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  codegen::printKernels(stream, function, entry);
  return text;
}

// Of kernels that became one function, the first.
void FunctionCompiler::nameCode(const codegen::EntryDescription &entry,
                                const codegen::SharedKernels &shared) {
  for (auto [number, name] : llvm::enumerate(entry.kernelFunctions)) {
    auto renamed = shared.newNames.find(name);
    codeNames.try_emplace(renamed == shared.newNames.end() ? name : renamed->second,
                          "kernel " + std::to_string(number) + ": " +
                              entry.kernelNames[number].str());
  }
}

CompileReport FunctionCompiler::report() const {
  CompileReport report = planReport;
  report.stages = clock.stages();
  for (const codegen::StageClock::Part &part : clock.parts()) {
    auto known = codeNames.find(part.name);
    report.code.push_back(
        {known == codeNames.end() ? part.name : known->second, part.milliseconds});
  }
  return report;
}

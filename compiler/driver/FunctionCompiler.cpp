#include "compiler/driver/FunctionCompiler.h"

#include "codegen/llvm/CodeParts.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/lowering/EntryFunction.h"
#include "compiler/pipelines/Pipelines.h"
#include "passes/Passes.h"
#include "passes/memory/MemoryReport.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <thread>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;
namespace passes = keratin::passes;

FunctionCompiler::FunctionCompiler(ModuleOp module, const CompileOptions &options)
    : module(module), options(options), diagnostics(module.getContext()) {}

absl::Status FunctionCompiler::plan() {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1)
    return absl::InvalidArgumentError("a module to compile holds one function, found " +
                                      std::to_string(functions.size()));
  function = functions.front();
  dump = PhaseDump(options.dumpDirectory, function.getName().str());
  clock.finish("look-up");
  if (failed(verify(module)))
    return diagnostics.status(absl::StatusCode::kInvalidArgument);
  clock.finish("verify");
  dump.module("0-input", module);
  for (PipelinePhase phase : planningPhases) {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    manager.enableVerifier(options.verify);
    buildPhase(manager.nest<func::FuncOp>(), phase);
    if (options.verify && phase == PipelinePhase::Memory)
      manager.addNestedPass<func::FuncOp>(passes::createCheckMemoryPlan());
    if (failed(manager.run(module)))
      return diagnostics.status(absl::StatusCode::kInternal);
    dump.module(std::to_string(int(phase) + 1) + "-" + phaseName(phase), module);
  }
  planReport.memoryPlan = passes::memoryReport(function);
  passes::MemoryUsage usage =
      passes::memoryUsage(function, passes::SymbolValues()).value_or(passes::MemoryUsage());
  planReport.arenaBytes = usage.arenaBytes;
  planReport.maxLiveBytes = usage.maxLiveBytes;
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

OwningOpRef<ModuleOp> FunctionCompiler::lower(const codegen::MachineTarget &target,
                                              const std::string &entryName,
                                              FunctionDescription &description,
                                              codegen::EntryDescription &entry) {
  codegen::loadCodegenDialects(module.getContext());
  if (failed(description.bindSymbols(function, entry)))
    return nullptr;
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  if (failed(codegen::lowerFunction(function, *kernels, entryName, target, entry)) ||
      failed(description.describe(function, entry)))
    return nullptr;
  clock.finish("kernels");
  if (failed(codegen::lowerToLlvm(*kernels)))
    return nullptr;
  clock.finish("LLVM dialect");
  return kernels;
}

absl::StatusOr<FunctionCode> FunctionCompiler::generate(const codegen::MachineTarget &target,
                                                        const std::string &entryName,
                                                        const std::string &variant) {
  FunctionCode code;
  code.description = std::make_unique<FunctionDescription>();
  codegen::EntryDescription entry;
  OwningOpRef<ModuleOp> kernels = lower(target, entryName, *code.description, entry);
  if (!kernels)
    return diagnostics.status(absl::StatusCode::kInternal);
  if (!variant.empty())
    renameShared(*kernels, variant);
  dump.module("6-llvm", *kernels);
  if (dump.enabled())
    if (auto assembly = codegen::emitCode(*kernels, target, codegen::CodeKind::Assembly);
        succeeded(assembly))
      dump.text("7-assembly.s", (*assembly)->getBuffer());
  unsigned threads =
      options.threads ? options.threads : std::min(2u, std::thread::hardware_concurrency());
  auto objects = codegen::emitObjects(*kernels, target, threads, clock);
  if (failed(objects))
    return diagnostics.status(absl::StatusCode::kInternal);
  code.objects = std::move(*objects);
  code.kernels = entry.kernels;
  code.uniqueKernels = entry.uniqueKernels;
  return code;
}

absl::StatusOr<std::string> FunctionCompiler::generateText(const codegen::MachineTarget &target,
                                                           const std::string &entryName,
                                                           codegen::CodeKind kind) {
  FunctionDescription description;
  codegen::EntryDescription entry;
  OwningOpRef<ModuleOp> kernels = lower(target, entryName, description, entry);
  if (!kernels)
    return diagnostics.status(absl::StatusCode::kInternal);
  auto text = codegen::emitCode(*kernels, target, kind);
  if (failed(text))
    return diagnostics.status(absl::StatusCode::kInternal);
  return (*text)->getBuffer().str();
}

CompileReport FunctionCompiler::report() const {
  CompileReport report = planReport;
  report.stages = clock.stages();
  return report;
}

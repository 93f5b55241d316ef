#include "compiler/driver/Compiler.h"

#include "codegen/llvm/CodeParts.h"
#include "codegen/llvm/JitLibrary.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/MachineTarget.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/lowering/EntryFunction.h"
#include "compiler/artifact/FunctionDescription.h"
#include "compiler/diagnostics/DiagnosticCollector.h"
#include "compiler/driver/PhaseDump.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/dialect/Keratin.h"
#include "passes/Passes.h"
#include "passes/memory/MemoryReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <thread>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;

struct CompiledFunction::Impl {
  FunctionDescription description;
  std::unique_ptr<codegen::JitLibrary> code;
  CompileReport report;
};

CompiledFunction::CompiledFunction() : impl(std::make_unique<Impl>()) {}
CompiledFunction::~CompiledFunction() = default;
const keratin_function_desc_t &CompiledFunction::descriptor() const {
  return impl->description.descriptor;
}
const CompileReport &CompiledFunction::report() const { return impl->report; }

void keratin::compiler::registerDialects(DialectRegistry &registry) {
  registry.insert<ir::KeratinDialect, func::FuncDialect>();
  codegen::registerCodegenDialects(registry);
}

namespace keratin::compiler {

// One compilation, phase by phase.
class Compiler {
public:
  Compiler(ModuleOp module, const CompileOptions &options)
      : module(module), options(options), diagnostics(module.getContext()) {}

  absl::StatusOr<std::shared_ptr<const CompiledFunction>> run() {
    auto start = std::chrono::steady_clock::now();
    target = codegen::machineByName(options.cpu);
    if (target.triple.empty())
      return absl::InvalidArgumentError("unknown cpu '" + options.cpu + "'");
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
    if (failed(transform()))
      return diagnostics.status(absl::StatusCode::kInternal);
    if (failed(generate()))
      return diagnostics.status(absl::StatusCode::kInternal);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    result->impl->report.stages = clock.stages();
    result->impl->report.milliseconds = elapsed.count();
    return std::shared_ptr<const CompiledFunction>(std::move(result));
  }

private:
  LogicalResult transform() {
    dump.module("0-input", module);
    for (PipelinePhase phase : planningPhases) {
      PassManager manager(module.getContext(), ModuleOp::getOperationName());
      manager.enableVerifier(options.verify);
      buildPhase(manager.nest<func::FuncOp>(), phase);
      if (options.verify && phase == PipelinePhase::Memory)
        manager.addNestedPass<func::FuncOp>(passes::createCheckMemoryPlan());
      if (failed(manager.run(module)))
        return failure();
      dump.module(std::to_string(int(phase) + 1) + "-" + phaseName(phase), module);
    }
    result->impl->report.memoryPlan = passes::memoryReport(function);
    passes::MemoryUsage usage =
        passes::memoryUsage(function, passes::SymbolValues()).value_or(passes::MemoryUsage());
    result->impl->report.arenaBytes = usage.arenaBytes;
    result->impl->report.maxLiveBytes = usage.maxLiveBytes;
    clock.finish("passes");
    return success();
  }

  LogicalResult generate() {
    codegen::loadCodegenDialects(module.getContext());
    FunctionDescription &description = result->impl->description;
    codegen::EntryDescription entry;
    if (failed(description.bindSymbols(function, entry)))
      return failure();
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
    if (failed(codegen::lowerFunction(function, *kernels, entryName, target, entry)) ||
        failed(description.describe(function, entry)))
      return failure();
    clock.finish("kernels");
    if (failed(codegen::lowerToLlvm(*kernels)))
      return failure();
    clock.finish("LLVM dialect");
    dump.module("6-llvm", *kernels);
    if (dump.enabled())
      if (auto assembly = codegen::emitCode(*kernels, target, codegen::CodeKind::Assembly);
          succeeded(assembly))
        dump.text("7-assembly.s", (*assembly)->getBuffer());
    unsigned threads =
        options.threads ? options.threads : std::min(2u, std::thread::hardware_concurrency());
    auto objects = codegen::emitObjects(*kernels, target, threads, clock);
    if (failed(objects))
      return failure();
    std::string error;
    result->impl->code = codegen::JitLibrary::load(std::move(*objects), &error);
    void *address = result->impl->code ? result->impl->code->lookup(entryName) : nullptr;
    if (!address)
      return module.emitError("the compiled code could not be loaded: ") << error;
    clock.finish("link");
    description.descriptor.entry = reinterpret_cast<keratin_entry_fn_t>(address);
    result->impl->report.kernels = entry.kernels;
    result->impl->report.uniqueKernels = entry.uniqueKernels;
    return success();
  }

  static constexpr const char *entryName = "keratin_entry";
  ModuleOp module;
  const CompileOptions &options;
  DiagnosticCollector diagnostics;
  PhaseDump dump;
  codegen::MachineTarget target;
  func::FuncOp function;
  codegen::StageClock clock;
  std::shared_ptr<CompiledFunction> result{new CompiledFunction()};
};

} // namespace keratin::compiler

absl::StatusOr<std::shared_ptr<const CompiledFunction>>
keratin::compiler::compile(ModuleOp module, const CompileOptions &options) {
  return Compiler(module, options).run();
}

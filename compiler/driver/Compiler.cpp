#include "compiler/driver/Compiler.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/Recovery.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/CodeMaker.h"
#include "compiler/store/CodeSettings.h"
#include "compiler/store/DiskStore.h"
#include "compiler/store/FunctionStore.h"
#include "ir/dialect/Keratin.h"
#include "runtime/abi/keratin_abi.h"
#include "runtime/core/Descriptor.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <keratin/cuda.h>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;

// Whoever can compile for CUDA devices can run there. Somebody may ask for a device before anything
// is compiled; nothing of a driver is touched until then.
[[maybe_unused]] static const bool knowsCudaDevices = (keratin_cuda_enable(), true);

struct CompiledFunction::Impl {
  std::shared_ptr<const LoadedCode> code;
  std::shared_ptr<const FunctionDescription> description;
  CompileReport report;
};

CompiledFunction::CompiledFunction(std::shared_ptr<const LoadedCode> code,
                                   std::shared_ptr<const FunctionDescription> description,
                                   CompileReport report)
    : impl(new Impl{std::move(code), std::move(description), std::move(report)}) {}
CompiledFunction::~CompiledFunction() = default;

const keratin_function_desc_t &CompiledFunction::descriptor() const {
  return impl->description->descriptor;
}
const CompileReport &CompiledFunction::report() const { return impl->report; }
bool CompiledFunction::assumesSizes() const { return runtime::assumesSizes(descriptor()); }

void keratin::compiler::registerDialects(DialectRegistry &registry) {
  registry.insert<ir::KeratinDialect, func::FuncDialect>();
  codegen::registerCodegenDialects(registry);
}

const DialectRegistry &keratin::compiler::dialects() {
  static constinit codegen::Lasting<const DialectRegistry> known;
  return known.get([] {
    auto *made = new DialectRegistry;
    registerDialects(*made);
    return made;
  });
}

namespace {

using Clock = std::chrono::steady_clock;

// One call of compile().
class Compilation {
public:
  Compilation(ModuleOp module, const CompileOptions &options) : module(module), options(options) {
    for (auto function : module.getOps<func::FuncOp>())
      name = function.getName().str();
  }

  absl::StatusOr<std::shared_ptr<const CompiledFunction>> run() {
    // A compilation within another one may be left with that one, and others would wait for it.
    if (mayReuse(options) && !codegen::isRecovering())
      if (absl::Status status = attempt(
              what(), [&] { key = makeKey(); }, Beginnings::Graphs);
          !status.ok())
        return status;
    if (!key)
      return functionOf(made());
    std::optional<FunctionStore::Time> until;
    if (options.timeLimit.count() > 0)
      until = start + options.timeLimit;
    FunctionStore::Answer answer = FunctionStore::ofProcess().find(key, until);
    if (answer.code)
      return functionOf(std::move(answer.code), CompileReport::Source::Process);
    if (!answer.claim)
      return overTime();
    const DiskStore disk = DiskStore::ofEnvironment();
    std::shared_ptr<LoadedCode> stored;
    if (!disk.isOff())
      if (absl::Status status = attempt(
              what(), [&] { stored = disk.find(key); }, Beginnings::Graphs);
          !status.ok())
        return status;
    if (stored) {
      std::move(*answer.claim).keep(stored);
      return functionOf(std::move(stored), CompileReport::Source::Disk);
    }
    std::vector<std::string> objects;
    CodeMaker::CodeOr code = made(disk.isOff() ? nullptr : &objects);
    if (code.ok()) {
      (*code)->key = key;
      (*code)->bytes += key->structure.size() + (*code)->savedDescription.size();
      std::move(*answer.claim).keep(*code);
      disk.keep(**code, objects);
    }
    return functionOf(std::move(code));
  }

private:
  std::string what() const {
    return name.empty() ? "the compiler" : "compiling function '" + name + "'";
  }

  FunctionStore::Key makeKey() {
    auto functions = module.getOps<func::FuncOp>();
    if (!llvm::hasSingleElement(*module.getBody()) || functions.empty() ||
        !module->getAttrs().empty())
      return nullptr;
    std::optional<GraphKey> key = GraphKey::of(*functions.begin(), codeSettings(options));
    if (!key)
      return nullptr;
    key->effort = options.effort;
    return std::make_shared<const GraphKey>(std::move(*key));
  }

  // Of code that was made for this function.
  absl::StatusOr<std::shared_ptr<const CompiledFunction>> functionOf(CodeMaker::CodeOr code) {
    if (!code.ok())
      return code.status();
    return functionOf(*code, (*code)->description, (*code)->report);
  }

  absl::StatusOr<std::shared_ptr<const CompiledFunction>>
  functionOf(std::shared_ptr<const LoadedCode> code, CompileReport::Source source) {
    CompileReport report;
    report.source = source;
    report.kernels = code->report.kernels;
    report.uniqueKernels = code->report.uniqueKernels;
    report.memoryPlan = code->memoryPlanOf(*key);
    report.arenaBytes = code->report.arenaBytes;
    report.maxLiveBytes = code->report.maxLiveBytes;
    std::shared_ptr<const FunctionDescription> description = code->descriptionOf(*key);
    if (!description)
      return functionOf(made());
    return functionOf(std::move(code), std::move(description), std::move(report));
  }

  std::shared_ptr<const CompiledFunction>
  functionOf(std::shared_ptr<const LoadedCode> code,
             std::shared_ptr<const FunctionDescription> description, CompileReport report) {
    report.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return std::make_shared<CompiledFunction>(std::move(code), std::move(description),
                                              std::move(report));
  }

  absl::Status overTime() const {
    std::string limit;
    llvm::raw_string_ostream(limit)
        << llvm::format("%g", std::chrono::duration<double, std::milli>(options.timeLimit).count());
    return absl::ResourceExhaustedError(
        what() + " takes longer than " + limit +
        " ms; stopped while it waited for the code of an equal function");
  }

  // The work, whatever is in store.
  CodeMaker::CodeOr made(std::vector<std::string> *objects = nullptr) {
    CodeMaker maker(what(), module, options, start, key ? &key->said : nullptr);
    if (absl::Status status = maker.formKernels(); !status.ok())
      return status;
    return maker.make(objects);
  }

  const Clock::time_point start = Clock::now();
  ModuleOp module;
  const CompileOptions &options;
  std::string name; // of the function
  FunctionStore::Key key;
};

} // namespace

absl::StatusOr<std::shared_ptr<const CompiledFunction>>
keratin::compiler::compile(ModuleOp module, const CompileOptions &options) {
  try {
    auto function = Compilation(module, options).run();
    passOn(function.status());
    return function;
  } catch (const std::bad_alloc &) {
    // Between attempts: the module is whole.
    return absl::ResourceExhaustedError("out of memory");
  }
}

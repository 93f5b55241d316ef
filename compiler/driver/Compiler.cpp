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
#include "passes/simplify/KeptPatterns.h"
#include "runtime/abi/keratin_abi.h"
#include "runtime/core/Descriptor.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <keratin/cuda.h>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;
namespace passes = keratin::passes;

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
const keratin_part_axes_t *CompiledFunction::partAxes() const {
  return impl->description->partAxes();
}
const CompileReport &CompiledFunction::report() const { return impl->report; }
bool CompiledFunction::assumesSizes() const { return runtime::assumesSizes(descriptor()); }

void keratin::compiler::registerDialects(DialectRegistry &registry) {
  registry.insert<ir::KeratinDialect, func::FuncDialect>();
  codegen::registerCodegenDialects(registry);
  passes::keepPatterns(registry);
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
  using FunctionOr = absl::StatusOr<std::shared_ptr<const CompiledFunction>>;
  using Objects = std::vector<std::string>;

  Compilation(ModuleOp module, const CompileOptions &options) : module(module), options(options) {
    for (auto function : module.getOps<func::FuncOp>())
      name = function.getName().str();
  }

  FunctionOr run() {
    // A compilation within another one may be left with that one, and others would wait for it.
    if (mayReuse(options) && !codegen::isRecovering())
      if (absl::Status status = attempt(
              what(), [&] { key = makeKey(); }, Beginnings::Graphs);
          !status.ok())
        return status;
    if (!key)
      return functionOf(make());
    absl::StatusOr<FunctionStore::Code> code =
        have(key, [&](Objects *objects) { return make(objects); });
    if (!code.ok() || source == CompileReport::Source::Compiler)
      return functionOf(std::move(code));
    CompileReport report;
    report.source = source;
    report.kernels = (*code)->report.kernels;
    report.uniqueKernels = (*code)->report.uniqueKernels;
    report.memoryPlan = (*code)->memoryPlanOf(*key);
    report.arenaBytes = (*code)->report.arenaBytes;
    report.maxLiveBytes = (*code)->report.maxLiveBytes;
    if (std::shared_ptr<const FunctionDescription> description = (*code)->descriptionOf(*key))
      return functionOf(*std::move(code), std::move(description), std::move(report));
    return functionOf(make());
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

  // Code of the key: of this process or of the disk, or made.
  absl::StatusOr<FunctionStore::Code>
  have(const FunctionStore::Key &wanted,
       llvm::function_ref<CodeMaker::CodeOr(Objects *objects)> makeCode) {
    std::optional<FunctionStore::Time> until;
    if (options.timeLimit.count() > 0)
      until = start + options.timeLimit;
    bool isCancelled = false;
    const CompileStep waiting{name, "wait", 0, 1, "the code of an equal function"};
    std::function<bool()> goesOn;
    if (options.progress)
      goesOn = [&] { return !(isCancelled = !options.progress(waiting)); };
    FunctionStore::Answer answer = FunctionStore::ofProcess().find(wanted, until, goesOn);
    if (answer.code) {
      source = CompileReport::Source::Process;
      return answer.code;
    }
    if (!answer.claim)
      return isCancelled ? absl::CancelledError() : overTime();
    const DiskStore disk = DiskStore::ofEnvironment();
    std::shared_ptr<LoadedCode> stored;
    if (!disk.isOff())
      if (absl::Status status = attempt(
              what(), [&] { stored = disk.find(wanted); }, Beginnings::Graphs);
          !status.ok())
        return status;
    if (stored) {
      source = CompileReport::Source::Disk;
      std::move(*answer.claim).keep(stored);
      return stored;
    }
    Objects objects;
    CodeMaker::CodeOr code = makeCode(disk.isOff() ? nullptr : &objects);
    if (!code.ok())
      return code.status();
    (*code)->key = wanted;
    (*code)->bytes += wanted->structure.size() + (*code)->savedDescription.size();
    std::move(*answer.claim).keep(*code);
    disk.keep(**code, objects);
    return *code;
  }

  // The function's code with all its numbers, or, if a function was like it but for some, code that
  // takes these from memory, which is there or is made for all that follow.
  CodeMaker::CodeOr make(Objects *objects = nullptr) {
    source = CompileReport::Source::Compiler;
    CodeMaker maker(what(), module, options, start, key ? &key->said : nullptr);
    if (absl::Status status = maker.formKernels(); !status.ok())
      return status;
    absl::StatusOr<FunctionStore::Key> form = key ? maker.form() : nullptr;
    if (!form.ok())
      return form.status();
    if (!*form || (!FunctionStore::ofProcess().hasOthersOf(**form) &&
                   !DiskStore::ofEnvironment().hasOthersOf(**form)))
      return maker.make(objects);
    absl::StatusOr<FunctionStore::Code> shared = have(*form, [&](Objects *objectsOfForm) {
      maker.openScalars(**form);
      return maker.make(objectsOfForm);
    });
    if (!shared.ok())
      return shared.status();
    const bool isFound = source != CompileReport::Source::Compiler;
    if (std::shared_ptr<LoadedCode> own = (*shared)->withScalarsOf(**form)) {
      // Whoever was told how kernels were formed is told of the end, too.
      if (isFound && !(tell(0, "the code of a function with other constants") && tell(1, "")))
        return absl::CancelledError();
      return own;
    }
    source = CompileReport::Source::Compiler;
    return maker.make(objects);
  }

  // Of the stage in which the function gets code that was there. False: it is cancelled.
  bool tell(int64_t done, const char *next) const {
    return !options.progress || options.progress({name, "link", done, 1, next});
  }

  // Of code that was made for this function.
  FunctionOr functionOf(absl::StatusOr<FunctionStore::Code> code) {
    if (!code.ok())
      return code.status();
    return functionOf(*code, (*code)->description, (*code)->report);
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

  const Clock::time_point start = Clock::now();
  ModuleOp module;
  const CompileOptions &options;
  std::string name; // of the function
  FunctionStore::Key key;
  CompileReport::Source source = CompileReport::Source::Compiler; // of what is there now
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

#include "compiler/driver/Compiler.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/JitLibrary.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/Recovery.h"
#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
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
using LoadedCodeOr = absl::StatusOr<std::shared_ptr<LoadedCode>>;

// What code takes once it is loaded, and what keeps it from being told apart.
size_t bytesOf(const FunctionCode &code) {
  size_t bytes = 0;
  for (const auto &object : code.objects)
    bytes += object->getBufferSize();
  for (const auto &kernel : code.sharedKernels)
    bytes += kernel->getBufferSize();
  const keratin_function_desc_t &descriptor = code.description->descriptor;
  for (int32_t i = 0; i < descriptor.num_constants; ++i)
    bytes += size_t(descriptor.constants[i].bytes);
  if (const keratin_device_code_t *device = descriptor.device_code)
    for (int64_t i = 0; i < device->num_images; ++i)
      bytes += size_t(device->images[i].bytes);
  return bytes;
}

// The objects are copied, if they are asked for.
LoadedCodeOr make(FunctionCompiler &compiler, const codegen::Target &target, bool mayShareKernels,
                  std::vector<std::string> *objects) {
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  absl::StatusOr<FunctionCode> code =
      compiler.generate(target, kEntryName, /*variant=*/"", mayShareKernels);
  if (!code.ok())
    return code.status();
  auto loaded = std::make_shared<LoadedCode>();
  loaded->bytes = bytesOf(*code);
  FunctionDescription &description = *code->description;
  if (description.isForOtherTexts() && compiler.memoryPlanPattern()) {
    loaded->savedDescription = saveDescription(description);
    loaded->memoryPlanPattern = *compiler.memoryPlanPattern();
  }
  compiler.enter("link", 1);
  if (failed(compiler.begin("loading", compiler.planned().getLoc())))
    return compiler.failure();
  if (objects)
    for (const auto &object : code->objects)
      objects->push_back(object->getBuffer().str());
  loaded->kernels = std::move(code->sharedKernels);
  std::string error;
  loaded->library = codegen::JitLibrary::load(std::move(code->objects), &error);
  void *address = loaded->library ? loaded->library->lookup(kEntryName) : nullptr;
  if (!address)
    return absl::InternalError("the compiled code could not be loaded: " + error);
  description.descriptor.entry = reinterpret_cast<keratin_entry_fn_t>(address);
  loaded->description = std::move(code->description);
  if (failed(compiler.leave()))
    return compiler.failure();
  compiler.stageClock().finish("link");
  loaded->report = compiler.report();
  loaded->report.kernels = code->kernels;
  loaded->report.uniqueKernels = code->uniqueKernels;
  return loaded;
}

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
    LoadedCodeOr code = made(disk.isOff() ? nullptr : &objects);
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
  absl::StatusOr<std::shared_ptr<const CompiledFunction>> functionOf(LoadedCodeOr code) {
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
  LoadedCodeOr made(std::vector<std::string> *objects = nullptr) {
    LoadedCodeOr result = absl::UnknownError("");
    // Lives on where the work is left.
    FunctionCompiler *compiler = nullptr;
    auto work = [&] {
      beginCompiling(*module.getContext());
      if (options.beforeWork)
        options.beforeWork();
      std::string error;
      std::shared_ptr<const codegen::Target> target =
          codegen::makeTarget(targetChoice(options), &error);
      if (!target) {
        result = absl::InvalidArgumentError(what() + ": " + error);
        return;
      }
      auto owned = std::make_unique<FunctionCompiler>(module, target, options, start,
                                                      key ? &key->said : nullptr);
      compiler = owned.get();
      result = make(*compiler, *target, mayReuse(options), objects);
    };
    absl::Status status = attempt(what(), work, Beginnings::Graphs);
    if (status.ok())
      return result;
    // As far as it can still be had.
    if (status.code() == absl::StatusCode::kInternal && compiler)
      (void)attempt("a reproducer", [&] { status = compiler->withReproducer(status); });
    return status;
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

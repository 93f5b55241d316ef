#include "compiler/driver/CodeMaker.h"

#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/store/CodeSettings.h"
#include "passes/fusion/OpenScalars.h"
#include "runtime/abi/keratin_abi.h"

using namespace keratin;
using namespace keratin::compiler;

// What code takes once it is loaded, and what keeps it from being told apart.
static size_t bytesOf(const FunctionCode &code) {
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

// Of all of plan().
static CodeMaker::CodeOr load(FunctionCompiler &compiler, FunctionCode code,
                              std::vector<std::string> *objects) {
  auto loaded = std::make_shared<LoadedCode>();
  loaded->bytes = bytesOf(code);
  FunctionDescription &description = *code.description;
  if (description.isForOtherTexts() && compiler.memoryPlanPattern()) {
    loaded->savedDescription = saveDescription(description);
    loaded->memoryPlanPattern = *compiler.memoryPlanPattern();
  }
  compiler.enter("link", 1);
  if (failed(compiler.begin("loading", compiler.planned().getLoc())))
    return compiler.failure();
  if (objects)
    for (const auto &object : code.objects)
      objects->push_back(object->getBuffer().str());
  loaded->kernels = std::move(code.sharedKernels);
  std::string error;
  loaded->library = codegen::JitLibrary::load(std::move(code.objects), &error);
  void *address = loaded->library ? loaded->library->lookup(kEntryName) : nullptr;
  if (!address)
    return absl::InternalError("the compiled code could not be loaded: " + error);
  description.descriptor.entry = reinterpret_cast<keratin_entry_fn_t>(address);
  loaded->description = std::move(code.description);
  if (failed(compiler.leave()))
    return compiler.failure();
  compiler.stageClock().finish("link");
  loaded->scalarOfConstant = std::move(code.scalarOfConstant);
  loaded->report = compiler.report();
  loaded->report.kernels = code.kernels;
  loaded->report.uniqueKernels = code.uniqueKernels;
  return loaded;
}

CodeMaker::CodeMaker(std::string what, mlir::ModuleOp module, const CompileOptions &options,
                     std::chrono::steady_clock::time_point started, const SaidTexts *said)
    : what(std::move(what)), module(module), options(options), started(started), said(said) {}
CodeMaker::~CodeMaker() = default;

absl::Status CodeMaker::inAttempt(llvm::function_ref<absl::Status()> work) {
  absl::Status result;
  absl::Status status = attempt(what, [&] { result = work(); }, Beginnings::Graphs);
  if (status.ok())
    return result;
  // As far as it can still be had.
  FunctionCompiler *left = compiler.release();
  if (status.code() == absl::StatusCode::kInternal && left)
    (void)attempt("a reproducer", [&] { status = left->withReproducer(status); });
  return status;
}

absl::Status CodeMaker::formKernels() {
  return inAttempt([&]() -> absl::Status {
    beginCompiling(*module.getContext());
    if (options.beforeWork)
      options.beforeWork();
    std::string error;
    target = codegen::makeTarget(targetChoice(options), &error);
    if (!target)
      return absl::InvalidArgumentError(what + ": " + error);
    compiler = std::make_unique<FunctionCompiler>(module, target, options, started, said);
    return compiler->plan(PipelinePhase::Fusion);
  });
}

absl::StatusOr<std::shared_ptr<const GraphKey>> CodeMaker::form() {
  std::optional<GraphKey> key;
  absl::Status status = inAttempt([&] {
    // Checks name the numbers.
    const passes::OpenScalars scalars(compiler->planned());
    if (scalars.size() > 0 && !options.checkNumbers)
      key = GraphKey::of(compiler->planned(), codeSettings(options), &scalars);
    return absl::OkStatus();
  });
  if (!status.ok())
    return status;
  if (!key)
    return nullptr;
  key->effort = options.effort;
  return std::make_shared<const GraphKey>(*std::move(key));
}

void CodeMaker::openScalars(const GraphKey &form) { compiler->openScalars(&form.said); }

CodeMaker::CodeOr CodeMaker::make(std::vector<std::string> *objects) {
  CodeOr result = absl::UnknownError("");
  absl::Status status = inAttempt([&]() -> absl::Status {
    if (absl::Status planned = compiler->plan(); !planned.ok())
      return planned;
    absl::StatusOr<FunctionCode> code =
        compiler->generate(*target, kEntryName, /*variant=*/"", mayReuse(options));
    result = code.ok() ? load(*compiler, *std::move(code), objects) : code.status();
    return absl::OkStatus();
  });
  return status.ok() ? std::move(result) : status;
}

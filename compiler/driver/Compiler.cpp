#include "compiler/driver/Compiler.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/JitLibrary.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
#include "ir/dialect/Keratin.h"
#include "runtime/abi/keratin_abi.h"
#include "runtime/core/Descriptor.h"

#include <chrono>
#include <keratin/cuda.h>

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;

// Whoever can compile for CUDA devices can run there. Somebody may ask for a device before anything
// is compiled; nothing of a driver is touched until then.
[[maybe_unused]] static const bool knowsCudaDevices = (keratin_cuda_enable(), true);

struct CompiledFunction::Impl {
  FunctionCode code; // its objects have gone into the library
  std::unique_ptr<codegen::JitLibrary> library;
  CompileReport report;
};

CompiledFunction::CompiledFunction() : impl(std::make_unique<Impl>()) {}
CompiledFunction::~CompiledFunction() = default;
const keratin_function_desc_t &CompiledFunction::descriptor() const {
  return impl->code.description->descriptor;
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

absl::StatusOr<std::shared_ptr<const CompiledFunction>>
CompiledFunction::make(FunctionCompiler &compiler, const codegen::Target &target) {
  auto start = std::chrono::steady_clock::now();
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  constexpr const char *entryName = "keratin_entry";
  absl::StatusOr<FunctionCode> code = compiler.generate(target, entryName);
  if (!code.ok())
    return code.status();
  std::shared_ptr<CompiledFunction> result(new CompiledFunction());
  CompiledFunction::Impl &impl = *result->impl;
  impl.code = *std::move(code);
  compiler.enter("link", 1);
  if (failed(compiler.begin("loading", compiler.planned().getLoc())))
    return compiler.failure();
  std::string error;
  impl.library = codegen::JitLibrary::load(std::move(impl.code.objects), &error);
  void *address = impl.library ? impl.library->lookup(entryName) : nullptr;
  if (!address)
    return absl::InternalError("the compiled code could not be loaded: " + error);
  impl.code.description->descriptor.entry = reinterpret_cast<keratin_entry_fn_t>(address);
  if (failed(compiler.leave()))
    return compiler.failure();
  compiler.stageClock().finish("link");
  impl.report = compiler.report();
  impl.report.kernels = impl.code.kernels;
  impl.report.uniqueKernels = impl.code.uniqueKernels;
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  impl.report.milliseconds = elapsed.count();
  return std::shared_ptr<const CompiledFunction>(std::move(result));
}

absl::StatusOr<std::shared_ptr<const CompiledFunction>>
keratin::compiler::compile(ModuleOp module, const CompileOptions &options) {
  absl::StatusOr<std::shared_ptr<const CompiledFunction>> result = absl::UnknownError("");
  std::string what = "the compiler";
  for (auto function : module.getOps<func::FuncOp>())
    what = "compiling function '" + function.getName().str() + "'";
  // Lives on where the work is left.
  FunctionCompiler *compiler = nullptr;
  absl::Status status = attempt(what, [&] {
    codegen::TargetChoice choice;
    choice.name = options.target;
    choice.cpu = options.cpu;
    choice.float32Products = options.float32Products;
    if (const char *known = options.device ? keratin_cuda_architecture(options.device) : nullptr)
      choice.deviceArchitecture = known;
    std::string error;
    std::shared_ptr<const codegen::Target> target = codegen::makeTarget(choice, &error);
    if (!target) {
      result = absl::InvalidArgumentError(what + ": " + error);
      return;
    }
    auto owned = std::make_unique<FunctionCompiler>(module, target, options);
    compiler = owned.get();
    result = CompiledFunction::make(*compiler, *target);
  });
  if (status.ok())
    return result;
  // As far as it can still be had.
  if (status.code() == absl::StatusCode::kInternal && compiler)
    (void)attempt("a reproducer", [&] { status = compiler->withReproducer(status); });
  passOn(status);
  return status;
}

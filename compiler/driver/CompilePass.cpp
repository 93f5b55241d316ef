#include "compiler/driver/CompilePass.h"

#include "compiler/driver/Attempt.h"
#include "compiler/driver/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace keratin::compiler;
namespace codegen = keratin::codegen;

namespace {

struct CompilePass : PassWrapper<CompilePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompilePass)

  CompilePass() = default;
  CompilePass(const CompilePass &other) : PassWrapper(other) {}
  explicit CompilePass(const CompileOptions &options) {
    target = options.target;
    cpu = options.cpu;
    failBefore = options.failBefore;
    memoryBudget = options.memoryBudget;
    checkNumbers = options.checkNumbers;
    prepareWeights = options.prepareWeights;
    assumeEqualSizes = options.assumeEqualSizes;
    hasTf32Products = options.float32Products == codegen::Float32Products::Tf32;
  }

  StringRef getArgument() const override { return "keratin-compile"; }
  StringRef getDescription() const override {
    return "Compile a copy of the module to machine code, and drop it";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    CompileOptions options;
    options.target = target;
    options.cpu = cpu;
    options.failBefore = failBefore;
    options.memoryBudget = memoryBudget;
    options.checkNumbers = checkNumbers;
    options.prepareWeights = prepareWeights;
    options.assumeEqualSizes = assumeEqualSizes;
    if (hasTf32Products)
      options.float32Products = codegen::Float32Products::Tf32;
    options.writeReproducer = false; // this one is being replayed
    options.reuse = false;
    auto compiled = compile(*copy, options);
    if (compiled.ok())
      return;
    if (isAbandoned(compiled.status()))
      (void)copy.release();
    getOperation().emitError(std::string(compiled.status().message()));
    signalPassFailure();
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("Target to compile for"),
                             llvm::cl::init("cpu")};
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("Machine to compile for"),
                          llvm::cl::init("native")};
  Option<int> failBefore{*this, "fail-before", llvm::cl::desc("For tests: the pass to fail at"),
                         llvm::cl::init(-1)};
  Option<int64_t> memoryBudget{*this, "memory-budget",
                               llvm::cl::desc("Bytes of temporaries of a call; 0: any number"),
                               llvm::cl::init(0)};
  Option<bool> checkNumbers{*this, "check-numbers",
                            llvm::cl::desc("Fail calls that make NaN or an infinity"),
                            llvm::cl::init(false)};
  Option<bool> prepareWeights{*this, "prepare-weights",
                              llvm::cl::desc("Make what depends on variables alone once"),
                              llvm::cl::init(true)};
  Option<bool> assumeEqualSizes{
      *this, "assume-equal-sizes",
      llvm::cl::desc("Only for calls whose sizes are equal where they meet"),
      llvm::cl::init(false)};
  Option<bool> hasTf32Products{*this, "tf32-products",
                               llvm::cl::desc("Allow products of float32 in tf32"),
                               llvm::cl::init(false)};
};

} // namespace

std::unique_ptr<Pass> keratin::compiler::createCompilePass(const CompileOptions &options) {
  return std::make_unique<CompilePass>(options);
}

void keratin::compiler::registerCompilePass() { PassRegistration<CompilePass>(); }

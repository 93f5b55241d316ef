#include "compiler/numerics/VerifyNumerics.h"

#include "compiler/driver/Reproducer.h"
#include "compiler/numerics/FunctionReducer.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

using namespace keratin::compiler;
using namespace mlir;

static std::string textOf(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass.printAsTextualPipeline(stream);
  return text;
}

// What the passes make of the function; null where they fail.
static OwningOpRef<ModuleOp> rewritten(func::FuncOp function, const std::string &passes) {
  OwningOpRef<ModuleOp> module = copyOf(function);
  ScopedDiagnosticHandler silence(module->getContext(), [](Diagnostic &) {});
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  if (failed(parsePassPipeline(passes, manager.nest<func::FuncOp>())) ||
      failed(manager.run(*module)))
    return nullptr;
  return module;
}

void VerifyNumerics::runBeforePass(Pass *pass, Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  // Those that run others are nobody's to blame.
  if (!function || function.isDeclaration() || pass->getArgument().empty())
    return;
  std::unique_ptr<Progress> &progress = functions[op];
  if (!progress) {
    progress = std::make_unique<Progress>();
    progress->given = copyOf(function);
    progress->judge = std::make_unique<NumericsJudge>(function, options.seed);
  }
  if (!progress->isOver)
    progress->before = copyOf(function);
}

void VerifyNumerics::runAfterPass(Pass *pass, Operation *op) {
  auto known = functions.find(op);
  if (known == functions.end() || pass->getArgument().empty() || known->second->isOver)
    return;
  Progress &progress = *known->second;
  std::string text = textOf(*pass);
  progress.passes += (progress.passes.empty() ? "" : ",") + text;
  NumericsJudge::Verdict verdict = progress.judge->judge(cast<func::FuncOp>(op));
  std::string name = cast<func::FuncOp>(op).getName().str();
  if (!verdict.unknown.empty()) {
    llvm::errs() << "verify-numerics: '" << name << "' is not followed after " << text << ": "
                 << verdict.unknown << "\n";
    progress.isOver = !progress.judge->explain().empty();
  } else if (!verdict.mismatch.empty()) {
    llvm::errs() << "verify-numerics: '" << name << "' computes something else after " << text
                 << ": " << verdict.mismatch << "\n";
    report(progress, text, verdict.mismatch);
    progress.isOver = found = true;
  }
}

void VerifyNumerics::report(Progress &progress, const std::string &pass,
                            const std::string &mismatch) {
  auto failsAfter = [this](const std::string &passes) {
    return [this, passes](func::FuncOp function) {
      OwningOpRef<ModuleOp> after = rewritten(function, passes);
      return after &&
             !NumericsJudge(function, options.seed).judge(functionOf(*after)).mismatch.empty();
    };
  };
  // The pass alone, on what it was given, or all up to it where their differences have added up.
  func::FuncOp function = functionOf(*progress.before);
  std::string passes = pass;
  if (!failsAfter(passes)(function)) {
    function = functionOf(*progress.given);
    passes = progress.passes;
  }
  FunctionReducer reducer(function, failsAfter(passes));
  reducer.run();
  PassManager manager(function.getContext(), ModuleOp::getOperationName());
  (void)parsePassPipeline(passes, manager.nest<func::FuncOp>());
  OwningOpRef<ModuleOp> smallest = copyOf(reducer.function());
  std::string file = Reproducer(*smallest, /*withData=*/true).write(options.directory, manager);
  if (file.empty())
    llvm::errs() << "verify-numerics: the reproducer cannot be written\n";
  else
    llvm::errs() << "to reproduce: keratin-opt --run-reproducer --verify-numerics "
                 << (options.seed ? "--numerics-seed=" + std::to_string(options.seed) + " " : "")
                 << file << "\n";
}

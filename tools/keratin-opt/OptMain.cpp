#include "tools/keratin-opt/OptMain.h"

#include "compiler/driver/CompilePass.h"
#include "compiler/driver/ModelFile.h"
#include "compiler/driver/PhaseDump.h"
#include "compiler/driver/Version.h"
#include "compiler/numerics/VerifyNumerics.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/dialect/ModelContents.h"
#include "ir/text/SourceText.h"
#include "passes/Passes.h"
#include "passes/host/HostPasses.h"
#include "tools/support/CommandLine.h"
#include "tools/support/OutputFile.h"
#include "tools/support/Tool.h"
#include "tools/support/Watchdog.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace keratin;
using namespace keratin::tools;

static llvm::cl::OptionCategory ownCategory("Keratin"), passCategory("Passes");
static llvm::cl::opt<std::string> inputName(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                            llvm::cl::init("-"), llvm::cl::cat(ownCategory));
static llvm::cl::opt<std::string> outputName("o", llvm::cl::value_desc("file"),
                                             llvm::cl::desc("Output; default: standard output"),
                                             llvm::cl::init("-"), llvm::cl::cat(ownCategory));
static llvm::cl::opt<std::string>
    timeout("timeout", llvm::cl::value_desc("time"),
            llvm::cl::desc("End with exit code 4 if not done after 10, 10s, 500ms or 2min"),
            llvm::cl::cat(ownCategory));
static llvm::cl::opt<bool>
    verifyNumerics("verify-numerics",
                   llvm::cl::desc("Run the reference interpreter before and after each pass; exit "
                                  "code 5, and a reproducer, where a result changes"),
                   llvm::cl::cat(ownCategory));
static llvm::cl::opt<uint64_t> numericsSeed("numerics-seed",
                                            llvm::cl::desc("Of the inputs of --verify-numerics"),
                                            llvm::cl::cat(ownCategory));

namespace {

class PassPhases : public mlir::PassInstrumentation {
public:
  explicit PassPhases(Watchdog &watchdog) : watchdog(watchdog) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    if (!pass->getArgument().empty())
      watchdog.enter(("pass " + pass->getArgument()).str());
  }
  void runAfterPass(mlir::Pass *, mlir::Operation *) override {
    watchdog.enter("between passes, or writing");
  }

private:
  Watchdog &watchdog;
};

// Before all passes: they take a module for a model.
class CheckContents : public mlir::PassWrapper<CheckContents, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckContents)
  void runOnOperation() override {
    auto isProgram = [](mlir::Operation &op) { return llvm::isa<host::ProgramOp>(op); };
    if (failed(ir::verifyModelContents(getOperation(), isProgram)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

ExitCode fail(const llvm::Twine &why, ExitCode code = ExitCode::BadInput) {
  llvm::errs() << why << "\n";
  return code;
}

// --help shows what Keratin has and what its passes are used with; the hundreds of options that
// LLVM's library registers are left to --help-hidden.
void hideForeignOptions() {
  // Of MLIR's own: what is printed and how, what tests use; and all passes, which are one option.
  static constexpr llvm::StringLiteral shown[] = {"mlir-print-debuginfo", "mlir-print-ir-after-all",
                                                  "run-reproducer", "split-input-file",
                                                  "verify-diagnostics"};
  auto &options = llvm::cl::getRegisteredOptions();
  auto show = [&](llvm::StringRef name, llvm::cl::OptionCategory &category) {
    if (auto found = options.find(name); found != options.end())
      found->second->addCategory(category);
  };
  for (llvm::StringRef name : shown)
    show(name, ownCategory);
  show("keratin-pipeline", passCategory);
  show("pass-pipeline", passCategory);
  for (auto &[name, option] : options)
    if (!llvm::is_contained(option->Categories, &ownCategory) &&
        !llvm::is_contained(option->Categories, &passCategory) && !name.starts_with("help") &&
        name != "version" && option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
}

// As mlir::registerAndParseCLIOptions does it, which leaves no time between the two. Whether the
// line is right.
bool parseOptions(int argc, char **argv, mlir::DialectRegistry &registry) {
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  hideForeignOptions();
  return parseLlvmOptions(
      argc, argv,
      "Runs passes on textual IR; keratin-dump shows the stages of a model. LLVM's and MLIR's\n"
      "options: --help-hidden.\n");
}

// Each piece of --split-input-file is parsed by itself.
std::optional<ir::SourceRefusal> refusePieces(llvm::StringRef text, llvm::StringRef marker) {
  llvm::SmallVector<llvm::StringRef> pieces = {text};
  if (!marker.empty()) {
    pieces.clear();
    text.split(pieces, marker);
  }
  for (llvm::StringRef piece : pieces)
    if (std::optional<ir::SourceRefusal> refusal = ir::refuseSource(piece)) {
      llvm::StringRef before(text.begin(), size_t(piece.begin() - text.begin()));
      if (refusal->line == 1)
        refusal->column += before.size() - (before.rfind('\n') + 1); // npos + 1 is 0
      refusal->line += before.count('\n');
      return refusal;
    }
  return std::nullopt;
}

// MLIR's own main would give the file to the parser unseen.
ExitCode run(mlir::DialectRegistry &registry, Watchdog &watchdog) {
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (llvm::cl::getRegisteredOptions()["mlir-print-ir-tree-dir"]->getNumOccurrences())
    return fail("error: --mlir-print-ir-tree-dir makes paths of the names of functions, which may "
                "lead anywhere; keratin-compile --dump-dir writes each phase",
                ExitCode::Usage);
  if (absl::Status status = compiler::checkDumpFolder(""); !status.ok())
    return fail("keratin-opt: error: " +
                llvm::StringRef(status.message().data(), status.message().size()));
  watchdog.enter("reading");
  std::string text;
  if (std::optional<ir::ReadingProblem> problem = ir::readSource(inputName, text))
    return fail(inputName + ": error: " + problem->why,
                problem->isLimit ? ExitCode::LimitExceeded : ExitCode::BadInput);
  if (auto refusal = refusePieces(text, config.inputSplitMarker()))
    return fail(refusal->str(inputName),
                refusal->isLimit ? ExitCode::LimitExceeded : ExitCode::BadInput);
  OutputFile output(outputName);
  mlir::MlirOptMainConfig watched = config;
  bool mismatch = false, wrongPipeline = false;
  watched.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    passes.addInstrumentation(std::make_unique<PassPhases>(watchdog));
    if (verifyNumerics) {
      passes.getContext()->disableMultithreading();
      compiler::NumericsOptions options;
      options.seed = numericsSeed;
      passes.addInstrumentation(std::make_unique<compiler::VerifyNumerics>(options, mismatch));
    }
    passes.addPass(std::make_unique<CheckContents>());
    wrongPipeline = failed(config.setupPassPipeline(passes));
    return mlir::failure(wrongPipeline);
  });
  watchdog.enter("parsing");
  auto input =
      llvm::MemoryBuffer::getMemBuffer(text, inputName == "-" ? "<stdin>" : inputName.c_str());
  mlir::LogicalResult done =
      mlir::MlirOptMain(output.stream(), std::move(input), registry, watched);
  if (wrongPipeline)
    return ExitCode::Usage;
  if (mismatch)
    return ExitCode::NumericMismatch;
  if (failed(done))
    return ExitCode::BadInput;
  if (absl::Status status = output.commit(); !status.ok())
    return fail("error: " + llvm::StringRef(status.message().data(), status.message().size()));
  return ExitCode::Success;
}

} // namespace

int tools::optMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  // What its verifier lets pass of these two, a host program is made of.
  registry.insert<host::HostDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  passes::registerKeratinPasses();
  passes::registerHostPasses();
  compiler::registerPipelines();
  compiler::registerCompilePass();
  mlir::registerTransformsPasses();
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "keratin-opt " << compiler::versionText << "\n"; });
  if (!parseOptions(argc, argv, registry))
    return int(ExitCode::Usage);
  std::chrono::nanoseconds limit{0};
  if (!timeout.empty()) {
    std::optional<std::chrono::nanoseconds> time = parseDuration(timeout);
    if (!time)
      return int(
          fail("keratin-opt: error: --timeout needs a time as 10, 10s, 500ms or 2min, found '" +
                   timeout + "'",
               ExitCode::Usage));
    limit = *time;
  }
  Watchdog watchdog(inputName, limit);
  return int(run(registry, watchdog));
}

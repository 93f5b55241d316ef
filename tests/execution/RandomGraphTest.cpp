// keratin-fuzz: random graphs, as the interpreter runs them after each phase and as compiled code.
//
//   keratin-fuzz --seed=1 --count=2000           any number of graphs
//   keratin-fuzz --daily --count=2000            others each day, or those of KERATIN_TEST_SEED
//   keratin-fuzz --replay=fuzz-failure-17.mlir   a failure that was kept
//   keratin-fuzz --check-numbers                 what functions report of NaN and infinities
//   keratin-fuzz --split-sizes                   a size for each input, which may be 1
//
// A failing graph is reduced and written to a file, which `keratin-check --compiled` can run too.
#include "tests/support/RandomGraph.h"
#include "compiler/numerics/FunctionReducer.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/ops/LoopGradients.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/Interpreter.h"
#include "ir/text/SourceText.h"
#include "passes/Passes.h"
#include "runtime/files/FileWriter.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/FailureReduction.h"
#include "tests/support/RandomArguments.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/SplitSizes.h"
#include "tests/support/TestEnvironment.h"
#include "tools/support/Tool.h"

#include <keratin/runtime.h>

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;
using keratin::tools::ExitCode;

static llvm::cl::opt<uint64_t> firstSeed("seed", llvm::cl::desc("First graph"), llvm::cl::init(1));
static llvm::cl::opt<uint64_t> count("count", llvm::cl::desc("How many graphs"),
                                     llvm::cl::init(100));
static llvm::cl::opt<bool> daily("daily",
                                 llvm::cl::desc("Count seeds from one that changes each day"));
static llvm::cl::opt<int> maxOps("ops", llvm::cl::desc("Steps of a graph at most"),
                                 llvm::cl::init(30));
static llvm::cl::opt<unsigned> together("together", llvm::cl::desc("Graphs in a function"),
                                        llvm::cl::init(8));
static llvm::cl::opt<std::string> replay("replay", llvm::cl::desc("Check a file instead"));
static llvm::cl::opt<std::string> keep("keep", llvm::cl::desc("Where failures are written"),
                                       llvm::cl::init("."));
static llvm::cl::opt<bool> trace("trace", llvm::cl::desc("Write each function before it is run"));

static llvm::cl::opt<bool> checksNumbers(
    "check-numbers",
    llvm::cl::desc(
        "Compare what calls report of numbers that are not finite with the interpreter"));

static llvm::cl::opt<bool>
    splitsSizes("split-sizes", llvm::cl::desc("Give each input sizes of its own, that may be 1"));

// Bounds follow the function as it is written; a rewritten one may round in other places.
static constexpr double slack = 4;

namespace {
class Checker {
public:
  // The first thing that is wrong with the function, if any.
  std::optional<Failure> check(func::FuncOp function, ArrayRef<Symbols> calls);

private:
  struct Call {
    std::vector<HostTensor> arguments;
    std::vector<BoundedTensor> expected;
  };
  std::optional<Failure> checkPhases(ModuleOp module, ArrayRef<Call> calls,
                                     const compiler::PhaseOptions &options);
  std::optional<Failure> checkCompiled(func::FuncOp function, ArrayRef<Call> calls,
                                       const compiler::CompileOptions &options);
  std::optional<Failure> checkWithCheckpoints(func::FuncOp function, ArrayRef<Call> calls);
  std::optional<Failure> checkSplit(func::FuncOp function, ArrayRef<Symbols> calls);
  std::optional<Failure> checkMeaning(func::FuncOp function, ArrayRef<Symbols> calls,
                                      bool assumesSizes);
  std::optional<Failure> checkCalls(func::FuncOp function, ArrayRef<Symbols> calls,
                                    bool assumesSizes);
  std::optional<Failure> checkNumbers(func::FuncOp function, ArrayRef<Symbols> symbolsOfCalls,
                                      bool assumesSizes);
};
} // namespace

template <typename... Ops> static bool hasOp(Operation *root) {
  auto found = [](Operation *op) {
    return isa<Ops...>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return root->walk(found).wasInterrupted();
}

using compiler::copyOf;
using compiler::functionOf;

static bool runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  build(manager.nest<func::FuncOp>());
  return succeeded(manager.run(module));
}

// How many elements of results were compared, and how many of them had bounds.
static uint64_t comparedElements = 0, boundedElements = 0;

static void countElements(ArrayRef<BoundedTensor> expected) {
  for (const BoundedTensor &tensor : expected)
    for (int64_t i = 0; i < tensor.value.size(); ++i) {
      ++comparedElements;
      boundedElements += isBounded(tensor, i);
    }
}

static std::optional<Failure> compare(const std::string &step, ArrayRef<HostTensor> actual,
                                      ArrayRef<BoundedTensor> expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (auto mismatch = findMismatch(actual[i], expected[i], slack))
      return failureIn(step + ", a result differs",
                       "result " + std::to_string(i) + ": " + *mismatch);
  return std::nullopt;
}

std::optional<Failure> Checker::check(func::FuncOp function, ArrayRef<Symbols> symbolsOfCalls) {
  return splitsSizes ? checkSplit(function, symbolsOfCalls)
                     : checkCalls(function, symbolsOfCalls, /*assumesSizes=*/false);
}

static uint64_t assumingFunctions = 0;

// Each call three times: the sizes that were one are equal; all are 1; some of them are.
std::optional<Failure> Checker::checkSplit(func::FuncOp function, ArrayRef<Symbols> calls) {
  OwningOpRef<ModuleOp> module = copyOf(function);
  func::FuncOp split = functionOf(*module);
  const std::map<int64_t, int64_t> sizes = splitSizes(split, 3);
  if (failed(verify(*module)))
    return failureIn("the function is not valid with sizes apart");
  std::vector<Symbols> splitCalls;
  for (const Symbols &call : calls)
    for (int kind = 0; kind < 3; ++kind) {
      Symbols next = call;
      for (auto [symbol, was] : sizes)
        next[symbol] = kind == 0 || (kind == 2 && symbol % 2) ? call.at(was) : 1;
      splitCalls.push_back(std::move(next));
    }
  return checkCalls(split, splitCalls, /*assumesSizes=*/true);
}

std::optional<Failure> Checker::checkCalls(func::FuncOp function, ArrayRef<Symbols> symbolsOfCalls,
                                           bool assumesSizes) {
  return checksNumbers ? checkNumbers(function, symbolsOfCalls, assumesSizes)
                       : checkMeaning(function, symbolsOfCalls, assumesSizes);
}

std::optional<Failure> Checker::checkMeaning(func::FuncOp function,
                                             ArrayRef<Symbols> symbolsOfCalls, bool assumesSizes) {
  // What the function means: its own ops, with complex numbers as pairs and gradients expanded. A
  // map is a loop over its elements.
  OwningOpRef<ModuleOp> meaning = copyOf(function);
  meaning->walk([](ScanOp scan) { scan->removeAttr(kVectorizedAttr); });
  if (!runPasses(*meaning, [](OpPassManager &manager) {
        manager.addPass(passes::createExpandComplex());
        manager.addPass(passes::createDifferentiate());
      }))
    return failureIn("gradients cannot be expanded");
  std::vector<Call> calls;
  for (const Symbols &symbols : symbolsOfCalls) {
    auto arguments = randomArguments(function, symbols);
    if (!arguments)
      continue;
    EvaluationContext interpreter;
    auto expected =
        interpretWithBounds(functionOf(*meaning), *arguments, interpreter, {/*rewritten=*/true});
    if (failed(expected))
      return refusalIn("the interpreter refuses the function", interpreter.error);
    countElements(*expected);
    calls.push_back({std::move(*arguments), std::move(*expected)});
  }
  compiler::PhaseOptions phases;
  phases.sizes = compiler::PhaseOptions::Sizes::Required;
  if (auto failure = checkPhases(*copyOf(function), calls, phases))
    return failure;
  compiler::CompileOptions options;
  options.assumeEqualSizes = assumesSizes;
  if (auto failure = checkCompiled(function, calls, options))
    return failure;
  return hasDerivatives(function) && hasOp<ScanOp>(function) ? checkWithCheckpoints(function, calls)
                                                             : std::nullopt;
}

// Loops whose gradients keep as little as they can: what has been computed is computed again.
std::optional<Failure> Checker::checkWithCheckpoints(func::FuncOp function, ArrayRef<Call> calls) {
  compiler::PhaseOptions phases;
  phases.keptBytes = 0;
  OwningOpRef<ModuleOp> divided = copyOf(function);
  bool isExpanded = runPasses(*divided, [&](OpPassManager &manager) {
    compiler::buildPipeline(manager, compiler::PipelinePhase::Gradient, phases);
  });
  // Most loops are too short.
  if (isExpanded && !divided
                         ->walk([](ScanOp scan) {
                           return scan->hasAttr(kCheckpointsAttr) ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
                         })
                         .wasInterrupted())
    return std::nullopt;
  compiler::CompileOptions options;
  options.memoryBudget = 1;
  auto failure = checkPhases(*copyOf(function), calls, phases);
  if (!failure)
    failure = checkCompiled(function, calls, options);
  if (failure)
    for (std::string *text : {&failure->kind, &failure->text})
      text->insert(0, "with a memory budget, ");
  return failure;
}

std::optional<Failure> Checker::checkPhases(ModuleOp module, ArrayRef<Call> calls,
                                            const compiler::PhaseOptions &options) {
  for (compiler::PipelinePhase phase : compiler::planningPhases) {
    std::string step = "after phase " + std::string(compiler::phaseName(phase));
    if (!runPasses(module,
                   [&](OpPassManager &manager) { compiler::buildPhase(manager, phase, options); }))
      return failureIn(step + " has failed");
    // Not yet expanded.
    if (hasDerivatives(module))
      continue;
    for (const Call &call : calls) {
      EvaluationContext interpreter;
      auto actual = interpret(functionOf(module), call.arguments, interpreter);
      if (failed(actual))
        return refusalIn(step, interpreter.error);
      if (auto failure = compare(step, *actual, call.expected))
        return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> Checker::checkCompiled(func::FuncOp function, ArrayRef<Call> calls,
                                              const compiler::CompileOptions &options) {
  CompiledRunner runner(function, options);
  if (!runner.error.empty())
    return refusalIn("does not compile", runner.error);
  assumingFunctions += runner.assumesSizes();
  for (const Call &call : calls) {
    keratin_set_debug_fill(0x55);
    auto actual = runner.run(call.arguments);
    keratin_set_debug_fill(0xFF);
    keratin_set_num_threads(2);
    auto again = runner.run(call.arguments, Edge::Start);
    keratin_set_num_threads(1);
    keratin_set_debug_fill(-1);
    if (!actual || !again)
      return refusalIn("compiled code fails", runner.error);
    if (auto failure = compare("compiled", *actual, call.expected))
      return failure;
    for (size_t i = 0; i < actual->size(); ++i)
      if (!areIdentical((*actual)[i], (*again)[i]))
        return failureIn("a result depends on memory nobody wrote, on alignment or on the number "
                         "of threads",
                         "result " + std::to_string(i));
  }
  return std::nullopt;
}

//===-- Numbers that are not finite -----------------------------------------------------------===//

// A copy in which all floats are doubles, as the interpreter's are: what overflows in one does so
// in the other. Ops stand on lines of their own.
static OwningOpRef<ModuleOp> withDoubles(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = copyOf(function);
  MLIRContext *context = module->getContext();
  auto wide = Float64Type::get(context);
  auto widen = [](const APFloat &number) {
    APFloat result = number;
    bool lossy;
    result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return result;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType) -> Type { return wide; });
  replacer.addReplacement([&](FloatAttr number) -> Attribute {
    return FloatAttr::get(wide, widen(number.getValue()));
  });
  replacer.addReplacement([&](DenseElementsAttr elements) -> std::optional<Attribute> {
    if (!isa<FloatType>(elements.getElementType()))
      return elements;
    return elements.mapValues(
        wide, [&](const APFloat &number) { return widen(number).bitcastToAPInt(); });
  });
  unsigned line = 0;
  module->walk([&](Operation *op) {
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                               /*replaceTypes=*/true);
    op->setLoc(FileLineColLoc::get(context, "graph", ++line, 1));
  });
  return module;
}

// Calls with numbers that logarithms, roots and quotients cannot do with.
static std::optional<std::vector<HostTensor>> wickedArguments(func::FuncOp function,
                                                              const Symbols &symbols) {
  auto arguments = randomArguments(function, symbols);
  constexpr double numbers[] = {0, -1, 1e300, 0.5, -1e300, 1, 1e-300, 3};
  uint64_t state = 17;
  for (size_t i = 0; arguments && i < arguments->size(); ++i)
    for (double &element : (*arguments)[i].floats)
      if (uint64_t bits = nextRandom(state); bits % 4 == 0)
        element = numbers[bits / 4 % std::size(numbers)];
  return arguments;
}

static uint64_t checkedCalls = 0, findings = 0;

// What a report begins with that agrees with the finding; the whole text says the number, too.
//
// Of an op that adds up, it is not known. Where products overflow, the sum is NaN if each is
// rounded to an infinity before it is added, as in the interpreter. Where they are fused, the
// infinity that came first stays: fma(x, y, -infinity) is -infinity, however large x * y is. Nor is
// it where elements of a factorization or a transform are zero but for rounding.
static std::string expectedReport(const NumberFinding &finding, ModuleOp looking, bool whole,
                                  bool addsUp) {
  looking.walk([&](CheckNumbersOp check) {
    addsUp |= int64_t(check.getOrder()) == finding.order && check.getRule() == NumberRule::Mixing;
  });
  std::string text = finding.name + (finding.rank == 1 ? ": holds " : ": made ");
  if (addsUp && !whole)
    return text;
  return text + (std::isnan(finding.value) ? "NaN" : finding.value < 0 ? "-infinity" : "infinity");
}

std::optional<Failure> Checker::checkNumbers(func::FuncOp function,
                                             ArrayRef<Symbols> symbolsOfCalls, bool assumesSizes) {
  OwningOpRef<ModuleOp> doubles = withDoubles(function), looking = copyOf(functionOf(*doubles));
  if (failed(verify(*doubles)))
    return std::nullopt; // a cast that changes nothing now, say
  compiler::PhaseOptions phases;
  phases.checkNumbers = true;
  if (!runPasses(*looking, [&](OpPassManager &manager) {
        compiler::buildPipeline(manager, compiler::PipelinePhase::Simplify, phases);
      }))
    return failureIn("passes fail");
  compiler::CompileOptions options;
  options.assumeEqualSizes = assumesSizes;
  CompiledRunner plain(functionOf(*doubles), options);
  options.checkNumbers = true;
  CompiledRunner checked(functionOf(*doubles), options);
  const bool cancels =
      hasOp<CholeskyOp, TriangularSolveOp, LuOp, QrOp, EighOp, SvdOp, FftOp>(function);
  if (!checked.error.empty())
    return refusalIn("does not compile", checked.error);
  for (const Symbols &symbols : symbolsOfCalls) {
    auto arguments = wickedArguments(functionOf(*doubles), symbols);
    EvaluationContext interpreter;
    if (!arguments || failed(interpret(functionOf(*looking), *arguments, interpreter)))
      continue;
    ++checkedCalls;
    auto actual = checked.run(*arguments);
    std::string report = actual ? "" : checked.error;
    keratin_set_num_threads(2);
    auto again = checked.run(*arguments, Edge::Start);
    keratin_set_num_threads(1);
    if (!again && checked.error != report)
      return failureIn("the report depends on threads", report + " / " + checked.error);
    auto expected = plain.run(*arguments);
    for (size_t i = 0; actual && expected && i < actual->size(); ++i)
      if (!areIdentical((*actual)[i], (*expected)[i]))
        return failureIn("a result changes with checks", "result " + std::to_string(i));
    const std::optional<NumberFinding> &finding = interpreter.finding;
    // No kernel computes what is only broadcast to an empty tensor.
    if (report.empty() &&
        llvm::any_of(interpreter.symbols, [](const auto &size) { return size.second == 0; }))
      continue;
    findings += finding.has_value();
    bool agrees =
        finding
            ? StringRef(report).starts_with(expectedReport(*finding, *looking, false, cancels)) &&
                  (finding->line.empty() || StringRef(report).ends_with("at " + finding->line))
            : report.empty();
    if (!agrees)
      return failureIn(report.empty() ? "reports no number"
                       : !finding     ? "reports a number that is none"
                                      : "reports another number",
                       "'" + report + "', the interpreter '" +
                           (finding ? expectedReport(*finding, *looking, true, cancels) + "' at " +
                                          (finding->line.empty() ? "no line" : finding->line)
                                    : "'"));
  }
  return std::nullopt;
}

//===-- Program -------------------------------------------------------------------------------===//

static std::string symbolsText(const Symbols &symbols) {
  std::string text;
  for (auto [id, size] : symbols)
    text += " --symbol=" + std::to_string(id) + "=" + std::to_string(size);
  return text;
}

// The calls are in the file for both tools.
static std::string write(func::FuncOp function, ArrayRef<Symbols> calls, const std::string &name,
                         const std::string &what) {
  llvm::SmallString<128> path(keep.getValue());
  llvm::sys::path::append(path, name);
  Builder b(function.getContext());
  SmallVector<Attribute> sizes;
  std::string text;
  llvm::raw_string_ostream file(text);
  file << "// " << what << "\n";
  for (const Symbols &symbols : calls) {
    file << "// keratin-check --compiled" << symbolsText(symbols) << "\n";
    SmallVector<int64_t> pairs;
    for (auto [id, size] : symbols)
      pairs.append({id, size});
    sizes.push_back(b.getDenseI64ArrayAttr(pairs));
  }
  OwningOpRef<ModuleOp> module = copyOf(function);
  functionOf(*module)->setAttr("check.calls", b.getArrayAttr(sizes));
  file << functionOf(*module) << "\n";
  if (int code = keratin::runtime::writeFile(path.c_str(), text.data(), text.size()))
    return path.str().str() + ", which cannot be written: " + std::strerror(code);
  return path.str().str();
}

// Those that the file was written with; else any.
static std::vector<Symbols> callsIn(func::FuncOp function) {
  std::vector<Symbols> calls;
  auto kept = function->getAttrOfType<ArrayAttr>("check.calls");
  for (uint64_t seed = 0; !kept && seed < 4; ++seed)
    calls.push_back(randomSymbols(seed, seed % 2));
  if (kept)
    for (auto pairs : kept.getAsRange<DenseI64ArrayAttr>()) {
      Symbols &call = calls.emplace_back();
      for (int64_t i = 0; i + 1 < pairs.size(); i += 2)
        call[pairs[i]] = pairs[i + 1];
    }
  return calls;
}

static std::vector<Symbols> callsOf(uint64_t seed) {
  return {randomSymbols(seed, false), randomSymbols(seed + 1, true)};
}

static RandomFunction makeFunction(MLIRContext *context, const std::vector<uint64_t> &seeds) {
  RandomFunction function = makeRandomFunction(context, seeds, maxOps);
  function.function->setAttr("check.seed",
                             IntegerAttr::get(IntegerType::get(context, 64), seeds.front()));
  return function;
}

static void report(Checker &checker, func::FuncOp function, uint64_t seed, const Failure &failure) {
  llvm::errs() << "seed " << seed << ": " << failure.text << "\n";
  ReducedFailure reduced =
      reduceFailure(function, callsOf(seed), failure,
                    [&](func::FuncOp candidate, const std::vector<Symbols> &calls) {
                      return checker.check(candidate, calls);
                    });
  std::string path = write(functionOf(*reduced.module), reduced.calls,
                           "fuzz-failure-" + std::to_string(seed) + ".mlir", reduced.failure.text);
  llvm::errs() << "  reduced: " << reduced.failure.text << "\n  kept in " << path << "\n";
}

// Graphs with these seeds; how many of them fail.
static unsigned checkSeeds(MLIRContext *context, Checker &checker,
                           const std::vector<uint64_t> &seeds) {
  RandomFunction function = makeFunction(context, seeds);
  if (trace)
    write(function.function, callsOf(seeds.front()), "fuzz-current.mlir", "");
  if (failed(verify(*function.module))) {
    llvm::errs() << "seed " << seeds.front() << ": the generator made an invalid function\n";
    return 1;
  }
  auto failure = checker.check(function.function, callsOf(seeds.front()));
  if (!failure)
    return 0;
  if (seeds.size() == 1) {
    report(checker, function.function, seeds.front(), *failure);
    return 1;
  }
  unsigned failures = 0;
  for (uint64_t seed : seeds)
    failures += checkSeeds(context, checker, {seed});
  if (failures == 0)
    // Only together: the function is kept as it is.
    report(checker, function.function, seeds.front(), *failure);
  return std::max(failures, 1u);
}

static int replayFile(MLIRContext *context, Checker &checker) {
  auto module = parseModuleFile(replay, context);
  if (!module)
    return int(ExitCode::BadInput);
  auto failure = checker.check(functionOf(*module), callsIn(functionOf(*module)));
  llvm::outs() << (failure ? failure->text : "passes") << "\n";
  return int(failure ? ExitCode::BadInput : ExitCode::Success);
}

int main(int argc, char **argv) {
  if (!tools::parseLlvmOptions(argc, argv, "Keratin's random graphs\n"))
    return int(ExitCode::Usage);
  if (maxOps < 1 || together < 1) {
    llvm::errs() << "keratin-fuzz: error: --ops and --together need numbers of at least 1\n";
    return int(ExitCode::Usage);
  }
  DialectRegistry registry;
  compiler::registerDialects(registry);
  uint64_t graphs = 0, failures = 0;
  uint64_t seed = firstSeed;
  if (daily) {
    seed += uint64_t(dailySeed());
    llvm::outs() << "graphs from seed " << seed << " on\n";
    llvm::outs().flush();
  }
  while (graphs < count && failures < 20) {
    // Attributes and types live as long as their context.
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    Checker checker;
    if (!replay.empty())
      return replayFile(&context, checker);
    for (int i = 0; i < 20 && graphs < count; ++i) {
      std::vector<uint64_t> seeds;
      for (; seeds.size() < together && graphs < count; ++graphs)
        seeds.push_back(seed++);
      failures += checkSeeds(&context, checker, seeds);
    }
  }
  const int code = int(failures ? ExitCode::BadInput : ExitCode::Success);
  if (checksNumbers) {
    llvm::outs() << graphs << " graphs, " << failures << " failures; " << findings << " of "
                 << checkedCalls << " calls report a number\n";
    return code;
  }
  llvm::outs() << graphs << " graphs, " << failures << " failures; "
               << 100 * boundedElements / std::max<uint64_t>(comparedElements, 1) << " % of "
               << comparedElements << " elements have bounds\n";
  if (splitsSizes)
    llvm::outs() << assumingFunctions << " functions assume sizes\n";
  return code;
}

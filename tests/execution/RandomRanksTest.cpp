// keratin-fuzz-ranks: random graphs of which each rank has a part of one size, against the whole.
//
//   keratin-fuzz-ranks --seed=1 --count=2000   as many graphs that can be sharded
//   keratin-fuzz-ranks --daily --count=60      others each day, or those of KERATIN_TEST_SEED
//
// Graphs that --keratin-shard refuses are not counted; ops may have the parts of all ranks. Of the
// others, what the interpreter makes of the whole is judge of what it makes of the parts, and the
// ranges of that are judge of compiled code on threads that are ranks. A graph that fails is
// reduced and printed.
#include "compiler/driver/Compiler.h"
#include "compiler/numerics/FunctionReducer.h"
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/ErrorBounds.h"
#include "passes/Passes.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/FailureReduction.h"
#include "tests/support/RandomArguments.h"
#include "tests/support/RandomGraph.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/RankRuns.h"
#include "tests/support/TestEnvironment.h"
#include "tools/support/Tool.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/CommandLine.h"

#include <numeric>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;
using compiler::copyOf;
using compiler::functionOf;
using keratin::tools::ExitCode;

static llvm::cl::opt<uint64_t> firstSeed("seed", llvm::cl::desc("First graph"), llvm::cl::init(1));
static llvm::cl::opt<uint64_t> count("count", llvm::cl::desc("How many graphs that can be sharded"),
                                     llvm::cl::init(100));
static llvm::cl::opt<bool> daily("daily",
                                 llvm::cl::desc("Count seeds from one that changes each day"));
static llvm::cl::opt<int> maxOps("ops", llvm::cl::desc("Steps of a graph at most"),
                                 llvm::cl::init(16));
static llvm::cl::opt<bool> trace("trace", llvm::cl::desc("Print each graph before it is run"));

// Bounds follow the function as it is written: a rewritten one may round in other places, and sums
// are rounded once more on each rank.
static constexpr double slack = 6;

namespace {
// A graph in the forms that it has here; none where it cannot be sharded.
struct ShardedGraph {
  int64_t symbol;                // of which each rank has a part
  OwningOpRef<ModuleOp> marked;  // with `keratin.sharded`
  OwningOpRef<ModuleOp> meaning; // of the whole, with gradients expanded
  OwningOpRef<ModuleOp> own;     // of one rank
  SmallVector<std::optional<unsigned>> dimensions;
};
} // namespace

static std::optional<unsigned> shardedDimension(Type type, int64_t symbol) {
  for (auto [number, size] : llvm::enumerate(getShape(cast<RankedTensorType>(type))))
    if (!size.isConstant() && llvm::is_contained(size.symbols(), symbol))
      return unsigned(number);
  return std::nullopt;
}

static bool runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  build(manager.nest<func::FuncOp>());
  return succeeded(manager.run(module));
}

// As the frontend: a tensor has a part along one dimension.
static bool isTwiceInOne(Type type, int64_t symbol) {
  return llvm::count(getShape(cast<RankedTensorType>(type)), DimExpr::symbol(symbol)) > 1;
}

// The size that most arguments have.
static int64_t commonSymbol(func::FuncOp function) {
  int64_t found = 0, most = 0;
  for (int64_t symbol : {0, 1, 2}) {
    int64_t having = llvm::count_if(function.getArgumentTypes(), [&](Type type) {
      return shardedDimension(type, symbol).has_value();
    });
    if (having > most)
      std::tie(found, most) = std::pair(symbol, having);
  }
  return found;
}

// Whether ranks have anything apart.
static bool hasParts(ShardedGraph &graph) {
  func::FuncOp own = functionOf(*graph.own);
  auto stopAtMessage = [](Operation *op) {
    return isCollective(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return own.walk(stopAtMessage).wasInterrupted() ||
         llvm::any_of(own.getResultTypes(),
                      [&](Type type) { return shardedDimension(type, graph.symbol).has_value(); });
}

// Whether shares have 16 bits. A cast may have rounded them, in the interpreter too: then what is
// added up is not what it has of the whole, whose ranges know nothing of that.
static bool hasCoarseShares(const ShardedGraph &graph) {
  return graph.own.get()
      .walk([](AllReduceOp reduce) {
        Type element = getElementType(reduce.getX());
        return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16 &&
                       reduce.getReduction() == RankReduction::Sum
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static std::optional<ShardedGraph> shard(func::FuncOp function, int64_t symbol) {
  ShardedGraph graph;
  graph.symbol = symbol;
  graph.marked = copyOf(function);
  func::FuncOp marked = functionOf(*graph.marked);
  marked->setAttr(kGathersPartsAttr, UnitAttr::get(marked.getContext()));
  for (auto [number, type] : llvm::enumerate(marked.getArgumentTypes())) {
    graph.dimensions.push_back(shardedDimension(type, symbol));
    if (auto dimension = graph.dimensions.back())
      marked.setArgAttr(unsigned(number), "keratin.sharded",
                        IntegerAttr::get(IntegerType::get(marked.getContext(), 64), *dimension));
  }
  auto types = marked.getArgumentTypes();
  if (llvm::none_of(graph.dimensions, [](auto dimension) { return dimension.has_value(); }) ||
      llvm::any_of(types, [&](Type type) { return isTwiceInOne(type, symbol); }))
    return std::nullopt;
  graph.meaning = copyOf(function);
  graph.own = copyOf(marked);
  auto differentiate = [](OpPassManager &manager) {
    manager.addPass(passes::createVectorize());
    manager.addPass(passes::createDifferentiate());
  };
  if (!runPasses(*graph.meaning,
                 [&](OpPassManager &manager) {
                   manager.addPass(passes::createExpandComplex());
                   differentiate(manager);
                 }) ||
      !runPasses(*graph.own, [&](OpPassManager &manager) {
        manager.addPass(passes::createExpandComplex());
        manager.addPass(passes::createResolveRequirements());
        differentiate(manager);
        manager.addPass(passes::createShard());
      }))
    return std::nullopt;
  return graph;
}

// Two ranks or three; some have nothing.
static std::vector<int64_t> partSizes(int64_t whole, uint64_t seed) {
  std::vector<int64_t> sizes;
  for (uint64_t more = 1 + nextRandom(seed) % 2; more > 0; --more) {
    sizes.push_back(int64_t(nextRandom(seed) % uint64_t(whole + 1)));
    whole -= sizes.back();
  }
  sizes.push_back(whole);
  return sizes;
}

using Bounds = std::vector<BoundedTensor>;

// Of a result that is in parts what each rank has of it, of others all of it.
static std::vector<Bounds> boundsOfParts(ArrayRef<BoundedTensor> whole, const ShardedGraph &graph,
                                         ArrayRef<int64_t> sizes) {
  auto types = functionOf(*graph.meaning).getResultTypes();
  std::vector<Bounds> ranks(sizes.size());
  for (auto [number, result] : llvm::enumerate(whole)) {
    std::optional<unsigned> dimension = shardedDimension(types[number], graph.symbol);
    // Of multiples of the size, too.
    const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
    int64_t begin = 0;
    for (auto [rank, size] : llvm::zip_equal(ranks, sizes)) {
      if (!dimension) {
        rank.push_back(result);
        continue;
      }
      const int64_t extent = result.value.dims[*dimension],
                    end = total ? begin + size * extent / total : begin;
      rank.push_back({partOf(result.value, *dimension, begin, end),
                      partOf(result.lower, *dimension, begin, end),
                      partOf(result.upper, *dimension, begin, end)});
      begin = end;
    }
  }
  return ranks;
}

// What is wrong on ranks, if anything.
static std::optional<Failure> compare(const std::string &step, const RankRun &run,
                                      ArrayRef<Bounds> expected, const ShardedGraph &graph) {
  auto types = functionOf(*graph.meaning).getResultTypes();
  if (!run.error.empty())
    return refusalIn(step, run.error);
  for (size_t number = 0; number < types.size(); ++number)
    for (size_t rank = 0; rank < run.results.size(); ++rank) {
      const HostTensor &actual = run.results[rank][number];
      if (!shardedDimension(types[number], graph.symbol) &&
          !areIdentical(actual, run.results[0][number]))
        return failureIn(step + ", a result is not the same on all ranks",
                         "result " + std::to_string(number));
      if (auto mismatch = findMismatch(actual, expected[rank][number], slack))
        return failureIn(step + ", a result differs", "rank " + std::to_string(rank) + ", result " +
                                                          std::to_string(number) + ": " +
                                                          *mismatch);
    }
  return std::nullopt;
}

// The whole as a run of ranks whose shares nobody rounds; where nothing is known of it, nothing is
// expected of ranks.
static RankRun runOfWhole(ArrayRef<Bounds> whole, std::vector<Bounds> &expected) {
  RankRun run;
  for (auto [known, ranks] : llvm::zip_equal(whole, expected)) {
    Tensors &own = run.results.emplace_back();
    for (auto [result, bounds] : llvm::zip_equal(known, ranks)) {
      own.push_back(result.value);
      for (int64_t i = 0; i < result.value.size(); ++i)
        if (!isBounded(result, i))
          reference::forget(bounds, size_t(i));
    }
  }
  return run;
}

static std::optional<Failure> check(const ShardedGraph &graph, const std::vector<Symbols> &calls,
                                    uint64_t seed) {
  const BoundOptions options = {.rewritten = true};
  for (const Symbols &symbols : calls) {
    auto arguments = randomArguments(functionOf(*graph.marked), symbols);
    EvaluationContext interpreter;
    if (!arguments)
      continue;
    auto whole = interpretWithBounds(functionOf(*graph.meaning), *arguments, interpreter, options);
    if (failed(whole))
      return refusalIn("the interpreter refuses the whole", interpreter.error);
    std::vector<int64_t> sizes = partSizes(symbols.at(graph.symbol), seed);
    std::vector<Tensors> parts = partsOf(*arguments, graph.dimensions, sizes);
    const std::vector<Bounds> wholes = boundsOfParts(*whole, graph, sizes);
    RankBounds bounds = boundsOnRanks(functionOf(*graph.own), parts, options);
    if (!bounds.error.empty())
      return refusalIn("the interpreter refuses the ranges of ranks", bounds.error);
    const RankRun interpreted = interpretOnRanks(functionOf(*graph.own), parts);
    if (!hasCoarseShares(graph)) {
      if (auto failure = compare("interpreted on ranks", interpreted, wholes, graph))
        return failure;
    } else {
      std::vector<Bounds> expected = bounds.results;
      const RankRun run = runOfWhole(wholes, expected);
      if (auto failure = compare("the whole, in the ranges of ranks", run, expected, graph))
        return failure;
    }
    RankRun compiled = runOnRanks(functionOf(*graph.marked), parts);
    // Where the compiler knows more of sizes, it checks more of them before the call.
    if (llvm::StringRef(compiled.error).starts_with("not implemented: the whole of parts, and"))
      return std::nullopt;
    if (auto failure = compare("compiled on ranks", compiled, bounds.results, graph))
      return failure;
  }
  return std::nullopt;
}

static void report(func::FuncOp function, int64_t symbol, const std::vector<Symbols> &calls,
                   uint64_t seed, const Failure &failure) {
  llvm::errs() << "seed " << seed << ": " << failure.text << "\n";
  ReducedFailure reduced = reduceFailure(
      function, calls, failure,
      [&](func::FuncOp candidate, const std::vector<Symbols> &left) -> std::optional<Failure> {
        auto graph = shard(candidate, symbol);
        return graph ? check(*graph, left, seed) : std::nullopt;
      });
  llvm::errs() << "  reduced: " << reduced.failure.text << "\n" << *reduced.module;
  for (const Symbols &symbols : reduced.calls)
    for (auto [id, size] : symbols)
      llvm::errs() << "  d" << id << " = " << size << "\n";
}

int main(int argc, char **argv) {
  if (!tools::parseLlvmOptions(argc, argv, "Keratin's random graphs on ranks\n"))
    return int(ExitCode::Usage);
  DialectRegistry registry;
  compiler::registerDialects(registry);
  uint64_t seed = firstSeed, graphs = 0, refused = 0, leftOut = 0, failures = 0, messages = 0,
           gathered = 0, coarse = 0;
  if (daily) {
    seed += uint64_t(dailySeed());
    llvm::outs() << "graphs from seed " << seed << " on\n";
    llvm::outs().flush();
  }
  for (; graphs < count && failures < 20; ++seed) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    RandomFunction function = makeRandomFunction(&context, {seed}, maxOps);
    int64_t symbol = commonSymbol(function.function);
    auto graph = shard(function.function, symbol);
    if (!graph || !hasParts(*graph)) {
      ++(graph ? leftOut : refused);
      continue;
    }
    ++graphs;
    coarse += hasCoarseShares(*graph);
    graph->own->walk([&](Operation *op) {
      messages += isCollective(op);
      gathered += isa<AllGatherOp>(op);
    });
    if (trace)
      llvm::errs() << "seed " << seed << "\n" << *graph->own << "\n";
    const std::vector<Symbols> calls = {randomSymbols(seed, false), randomSymbols(seed + 1, true)};
    if (auto failure = check(*graph, calls, seed)) {
      ++failures;
      report(function.function, symbol, calls, seed, *failure);
    }
  }
  llvm::outs() << graphs << " graphs with " << messages << " messages (" << gathered
               << " of parts), " << coarse << " with shares of 16 bits, " << failures
               << " failures; " << refused << " cannot be sharded, " << leftOut
               << " have nothing to share\n";
  return int(failures ? ExitCode::BadInput : ExitCode::Success);
}

// Maps as ops on all elements compute what a loop over the elements does.
#include "ir/builder/LoopBuilder.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/execution/SweepCases.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <set>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

//===-- Maps ----------------------------------------------------------------------------------===//

// What a map may return of a value: a number of it where each element computes the size.
static Value ofKnownSize(GraphMath &g, Value x) {
  bool isKnown = llvm::all_of(getShape(x), [](const DimExpr &size) {
    std::vector<int64_t> symbols = size.symbols();
    return symbols.empty() || symbols.back() < 3;
  });
  if (isKnown)
    return x;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, getTensorType(x).getRank()));
  return getElementType(x).isInteger(1) ? g.reduceAny(x, axes) : g.reduceMax(x, axes);
}

// The case for each element; inputs of which `varying` has no bit are the same for all.
static SweepCase mapOf(const SweepCase &one, unsigned varying, const DimExpr &elements) {
  SweepCase map = one;
  map.label = "map over " + std::to_string(varying) + " of " + one.label;
  for (size_t i = 0; i < map.inputs.size(); ++i)
    if (varying >> i & 1)
      map.inputs[i].shape.insert(map.inputs[i].shape.begin(), elements);
  map.build = [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
    SmallVector<Value> sequences, captures;
    for (auto [i, x] : llvm::enumerate(xs))
      (varying >> i & 1 ? sequences : captures).push_back(x);
    auto step = [&](GraphMath &inner, LoopStep &step) {
      SmallVector<Value> given;
      ValueRange ofElement = step.elements, ofAll = step.captures;
      for (size_t i = 0; i < xs.size(); ++i) {
        ValueRange &next = varying >> i & 1 ? ofElement : ofAll;
        given.push_back(next.front());
        next = next.drop_front();
      }
      for (Value result : one.build(inner, given))
        step.stacked.push_back(ofKnownSize(inner, result));
    };
    ScanOp scan = buildScan(math, elements, {{}, sequences, captures}, step);
    scan->setAttr(kVectorizedAttr, math.builder().getUnitAttr());
    return std::vector<Value>(scan.getStacks().begin(), scan.getStacks().end());
  };
  return map;
}

// All inputs vary, or one alone does.
static std::vector<SweepCase> mapsOf(const SweepCase &one, const DimExpr &elements) {
  unsigned all = (1u << one.inputs.size()) - 1;
  std::vector<SweepCase> maps{mapOf(one, all, elements)};
  for (size_t i = 0; i < one.inputs.size() && one.inputs.size() > 1; ++i)
    maps.push_back(mapOf(one, 1u << i, elements));
  return maps;
}

namespace {

// A map as a function: its arguments are something of each symbol's size, then the inputs.
struct MapProgram {
  MapProgram(MLIRContext *context, const SweepCase &map, size_t numSymbols);
  void vectorize();
  int64_t loops() const;

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

MapProgram::MapProgram(MLIRContext *context, const SweepCase &map, size_t numSymbols) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (size_t symbol = 0; symbol < numSymbols; ++symbol)
    types.push_back(getTensorType({DimExpr::symbol(int64_t(symbol))}, builder.getI1Type()));
  for (const SweepInput &input : map.inputs)
    types.push_back(getTensorType(input.shape, elementTypeOf(input.dtype, context)));
  function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  GraphMath math(builder, loc);
  std::vector<Value> results =
      map.build(math, ValueRange(body->getArguments()).drop_front(numSymbols));
  builder.create<func::ReturnOp>(loc, results);
  function.setType(builder.getFunctionType(types, ValueRange(results)));
}

void MapProgram::vectorize() {
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  manager.addNestedPass<func::FuncOp>(passes::createDefineSizes());
  manager.addNestedPass<func::FuncOp>(passes::createVectorize());
  REQUIRE(succeeded(manager.run(*module)));
}

// That are left where a map was.
int64_t MapProgram::loops() const {
  int64_t count = 0;
  function->walk([&](ScanOp scan) { count += scan->hasAttr(kLoopedAttr); });
  return count;
}

// Interprets the map as the loop that it is, and after the pass. Returns how many loops are left.
static int64_t checkInterpreted(Sweep &sweep, const SweepCase &map) {
  constexpr size_t numSymbols = 3;
  MapProgram loop(sweep.mlirContext(), map, numSymbols);
  MapProgram vectors(sweep.mlirContext(), map, numSymbols);
  INFO(map.label);
  vectors.vectorize();
  uint64_t seed = 1;
  for (const Symbols &symbols : sweep.calls) {
    if (llvm::any_of(symbols, [&](auto &entry) { return entry.second < map.smallest; }))
      continue;
    std::vector<HostTensor> arguments;
    for (size_t symbol = 0; symbol < numSymbols; ++symbol)
      arguments.push_back(
          makeHostTensor(KERATIN_DTYPE_BOOL, {symbols.at(int64_t(symbol))}).value());
    for (const SweepInput &input : map.inputs)
      arguments.push_back(sweepTensor(input, symbols, seed++ << 20));
    EvaluationContext first, second;
    auto expected = interpretWithBounds(loop.function, arguments, first, {.rewritten = true});
    auto found = interpret(vectors.function, arguments, second);
    if (failed(expected) || failed(found)) {
      CHECK(failed(expected) == failed(found));
      CHECK(first.error == second.error);
      continue;
    }
    for (size_t i = 0; i < found->size(); ++i)
      if (auto mismatch = findMismatch((*found)[i], (*expected)[i]))
        FAIL_CHECK("result " << i << ": " << *mismatch);
  }
  return vectors.loops();
}

//===-- Ops -----------------------------------------------------------------------------------===//

namespace {
struct OpEntry {
  const char *name;
};
} // namespace

static constexpr OpEntry opTable[] = {
#define KERATIN_OP(Class, name, operands, domain, differentiable) {"keratin." name},
#include "OpTable.inc"
#undef KERATIN_OP
};

// Those that stay loops whatever their operands are, and why that is said.
static const std::set<std::string> staysLoop = {
    "keratin.random_bits",    "keratin.print",      "keratin.enter_rank",     "keratin.leave_rank",
    "keratin.all_reduce",     "keratin.all_gather", "keratin.reduce_scatter", "keratin.permute",
    "keratin.broadcast_from", "keratin.all_to_all", "keratin.rank",           "keratin.rank_count",
    "keratin.average_ranks"};
// Those that do in some instances: of sizes of their own, of steps or branches that must be wanted.
static const std::set<std::string> mayStayLoop = {"keratin.truncate", "keratin.while", "keratin.if",
                                                  "keratin.scan"};

TEST_CASE("a map of every op is what the loop is") {
  Sweep sweep;
  keratin::tests::Sample sample;
  for (const OpEntry &op : opTable) {
    if (StringRef(op.name) == "keratin.print")
      continue; // would be done many times
    DYNAMIC_SECTION(op.name) {
      int64_t loops = 0;
      for (const SweepCase &one : sweepCases(op.name))
        for (const SweepCase &map : mapsOf(one, DimExpr::symbol(1)))
          if (sample.takesNext())
            loops += checkInterpreted(sweep, map);
      if (!staysLoop.count(op.name) && !mayStayLoop.count(op.name))
        CHECK(loops == 0);
    }
  }
}

TEST_CASE("a compiled map of every op is what the loop is", "[sweep]") {
  Sweep sweep;
  sweep.isRewritten = true;
  for (const OpEntry &op : opTable) {
    if (StringRef(op.name) == "keratin.print")
      continue;
    DYNAMIC_SECTION(op.name) {
      std::vector<SweepCase> maps;
      for (const SweepCase &one : sweepCases(op.name))
        for (const SweepCase &map : mapsOf(one, DimExpr::symbol(1)))
          maps.push_back(map);
      sweep.check(maps);
      CHECK(sweep.refused == std::vector<std::string>());
    }
  }
}

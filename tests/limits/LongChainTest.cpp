// Long graphs of several forms through every phase, on a small stack: every walk must be iterative,
// and what the phases make must grow with the graph. GrowthTest bounds the time.
//
// KERATIN_CHAIN_OPS=1000000 tries longer chains than a test run has time for.
#include "compiler/driver/Compiler.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "tests/support/SmallStack.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <map>

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;
using keratin::tests::onSmallStack;

namespace {

// One form of graph: gives the next value from the last ones.
using Step = Value (*)(ir::GraphMath &g, int64_t i, std::vector<Value> &values);

Value elementwise(ir::GraphMath &g, int64_t i, std::vector<Value> &values) {
  Value last = values.back(), x = values.front();
  switch (i % 4) {
  case 0:
    return g.tanh(last);
  case 1:
    return g.mul(last, x);
  case 2:
    return g.add(last, x);
  default:
    return g.exp(last);
  }
}

// Every value has two users: paths double with each op.
Value ladder(ir::GraphMath &g, int64_t i, std::vector<Value> &values) {
  Value a = values.back(), b = values[values.size() - 2];
  return i % 2 ? g.add(a, b) : g.mul(a, b);
}

Value reductions(ir::GraphMath &g, int64_t i, std::vector<Value> &values) {
  if (i % 4 != 0)
    return elementwise(g, i, values);
  return g.broadcastScalar(g.reduceSum(values.back(), {0}), ir::getShape(values.front()));
}

Value contractions(ir::GraphMath &g, int64_t i, std::vector<Value> &values) {
  if (i % 3 != 0)
    return elementwise(g, i, values);
  ir::Shape shape = {ir::getShape(values[0])[0], ir::getShape(values[0])[0]};
  Value matrix = g.broadcast(values[0], shape, {1});
  return g.dotGeneral(values.back(), matrix, {}, {}, {0}, {0});
}

Value moves(ir::GraphMath &g, int64_t i, std::vector<Value> &values) {
  Value last = values.back();
  switch (i % 3) {
  case 0:
    return g.reverse(last, {0});
  case 1:
    return g.reshape(g.reshape(last, {2, 4}), {8});
  default:
    return g.concatenate({g.slice(last, {4}, {4}, {1}), g.slice(last, {0}, {4}, {1})}, 0);
  }
}

struct Form {
  const char *name;
  Step step;
};
constexpr Form forms[] = {{"elementwise", elementwise},
                          {"ladder", ladder},
                          {"reductions", reductions},
                          {"contractions", contractions},
                          {"moves", moves}};

class Chain {
public:
  // The derivative of so high an order with respect to the first value, or along the second one.
  enum class Mode { Reverse, Forward };
  Chain(Step step, int64_t ops, int64_t order, Mode mode = Mode::Reverse)
      : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    OpBuilder b(&context);
    Location loc = b.getUnknownLoc();
    module = ModuleOp::create(loc);
    b.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get({8}, b.getF32Type());
    function = b.create<func::FuncOp>(loc, "chain", b.getFunctionType({type, type}, {type}));
    for (unsigned i : {0, 1})
      function.setArgAttr(i, "keratin.kind", b.getStringAttr("input"));
    function.setResultAttr(0, "keratin.kind", b.getStringAttr("output"));
    b.setInsertionPointToEnd(function.addEntryBlock());
    ir::GraphMath g(b, loc);
    std::vector<Value> values(function.getArguments().begin(), function.getArguments().end());
    for (int64_t i = 0; i < ops; ++i)
      values.push_back(step(g, i, values));
    Value result = values.back();
    for (int64_t i = 0; i < order; ++i)
      if (mode == Mode::Forward)
        result =
            b.create<ir::JvpOp>(loc, TypeRange{type}, result, values[0], values[1])->getResult(0);
      else
        result = b.create<ir::GradientsOp>(loc, type, g.reduceSum(result, {0}), values.front())
                     .getResult(0);
    b.create<func::ReturnOp>(loc, result);
  }

  // Runs the planning phases; the ops after each.
  std::map<std::string, int64_t> plan() {
    std::map<std::string, int64_t> ops;
    for (PipelinePhase phase : planningPhases) {
      PassManager manager(&context, ModuleOp::getOperationName());
      manager.enableVerifier(false);
      PhaseOptions options;
      options.maxOps = std::numeric_limits<int64_t>::max(); // longer than a user may ask for
      buildPhase(manager.nest<func::FuncOp>(), phase, options);
      REQUIRE(succeeded(manager.run(*module)));
      module->walk([&](Operation *) { ++ops[phaseName(phase)]; });
    }
    return ops;
  }

  size_t printedBytes() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text.size();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

int64_t longest(int64_t byDefault) {
  return tests::fromEnvironment("KERATIN_CHAIN_OPS", byDefault);
}

} // namespace

TEST_CASE("Graphs of a hundred thousand ops are planned, printed and destroyed", "[chain]") {
  onSmallStack([] {
    Chain chain(elementwise, longest(100'000), /*order=*/0);
    REQUIRE(succeeded(verify(*chain.module)));
    CHECK(chain.printedBytes() > 1'000'000);
    chain.plan();
    CHECK(chain.printedBytes() > 1'000'000);
    chain.module = {};
  });
}

TEST_CASE("Long gradients and tangents of every form are planned", "[chain]") {
  for (const Form &form : forms) {
    INFO(form.name);
    for (Chain::Mode mode : {Chain::Mode::Reverse, Chain::Mode::Forward})
      onSmallStack([&] { Chain(form.step, longest(10'000), /*order=*/1, mode).plan(); });
  }
}

static void checkGrowth(const Form &form, Chain::Mode mode) {
  auto small = Chain(form.step, 1000, /*order=*/1, mode).plan();
  auto large = Chain(form.step, 10'000, /*order=*/1, mode).plan();
  for (auto [phase, ops] : large) {
    INFO(form.name << ", " << phase << ": " << small[phase] << " ops, then " << ops);
    CHECK(ops > 0);
    CHECK(ops <= 11 * small[phase]);
  }
}

TEST_CASE("Ten times the graph becomes ten times the ops", "[chain]") {
  for (const Form &form : forms)
    for (Chain::Mode mode : {Chain::Mode::Reverse, Chain::Mode::Forward})
      checkGrowth(form, mode);
}

TEST_CASE("Higher derivatives of elementwise functions grow as polynomials", "[chain]") {
  auto opsOfOrder = [](int64_t order) {
    return Chain([](ir::GraphMath &g, int64_t,
                    std::vector<Value> &values) { return g.tanh(values.back()); },
                 10, order)
        .plan()["grad"];
  };
  // Reverse mode upon reverse mode makes three times the ops for each order: 6,561 times.
  CHECK(opsOfOrder(12) < 40 * opsOfOrder(4));
}

TEST_CASE("A long chain is compiled", "[chain]") {
  for (const Form &form : forms) {
    INFO(form.name);
    onSmallStack([&] {
      Chain chain(form.step, 3000, /*order=*/0);
      auto compiled = compile(*chain.module, CompileOptions());
      CHECK(compiled.ok());
    });
  }
}

namespace {

// tanh(i x) for i = 1 ... count, each an output.
OwningOpRef<ModuleOp> scaledOutputs(MLIRContext &context, int64_t count) {
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  auto type = RankedTensorType::get({8}, b.getF32Type());
  SmallVector<Type> types(size_t(count), type);
  auto function = b.create<func::FuncOp>(loc, "outputs", b.getFunctionType({type}, types));
  function.setArgAttr(0, "keratin.kind", b.getStringAttr("input"));
  b.setInsertionPointToEnd(function.addEntryBlock());
  ir::GraphMath g(b, loc);
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; ++i) {
    function.setResultAttr(unsigned(i), "keratin.kind", b.getStringAttr("output"));
    results.push_back(g.tanh(g.scale(function.getArgument(0), double(i + 1))));
  }
  b.create<func::ReturnOp>(loc, results);
  return module;
}

} // namespace

TEST_CASE("Very many kernels that differ in numbers are compiled once", "[chain]") {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (auto [outputs, unique] : {std::pair(20, 20), std::pair(500, 2)}) {
    auto compiled = compile(*scaledOutputs(context, outputs), CompileOptions());
    REQUIRE(compiled.ok());
    CHECK((*compiled)->report().kernels == outputs);
    // tanh(1 x) has no factor.
    CHECK((*compiled)->report().uniqueKernels == unique);
  }
}

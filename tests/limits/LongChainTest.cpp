// Long graphs of several forms through every phase, on a small stack: every walk must be iterative,
// and the work must grow with the graph.
//
// KERATIN_CHAIN_OPS=1000000 tries longer chains than a test run has time for.
#include "compiler/driver/Compiler.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "tests/support/SmallStack.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
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
  Chain(Step step, int64_t ops, bool gradient) : context(MLIRContext::Threading::DISABLED) {
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
    if (gradient)
      result = b.create<ir::GradientsOp>(loc, type, g.reduceSum(result, {0}), values.front())
                   .getResult(0);
    b.create<func::ReturnOp>(loc, result);
  }

  // Runs the planning phases; the seconds of each.
  std::map<std::string, double> plan() {
    std::map<std::string, double> seconds;
    for (PipelinePhase phase : planningPhases) {
      PassManager manager(&context, ModuleOp::getOperationName());
      manager.enableVerifier(false);
      PhaseOptions options;
      options.maxOps = std::numeric_limits<int64_t>::max(); // longer than a user may ask for
      buildPhase(manager.nest<func::FuncOp>(), phase, options);
      clock_t start = clock();
      REQUIRE(succeeded(manager.run(*module)));
      seconds[phaseName(phase)] = double(clock() - start) / CLOCKS_PER_SEC;
    }
    return seconds;
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
  const char *wanted = std::getenv("KERATIN_CHAIN_OPS");
  return wanted ? std::atoll(wanted) : byDefault;
}

} // namespace

TEST_CASE("Graphs of a hundred thousand ops are planned, printed and destroyed", "[chain]") {
  onSmallStack([] {
    Chain chain(elementwise, longest(100'000), /*gradient=*/false);
    REQUIRE(succeeded(verify(*chain.module)));
    CHECK(chain.printedBytes() > 1'000'000);
    chain.plan();
    CHECK(chain.printedBytes() > 1'000'000);
    chain.module = {};
  });
}

TEST_CASE("Long gradients of every form are planned", "[chain]") {
  for (const Form &form : forms) {
    INFO(form.name);
    onSmallStack([&] { Chain(form.step, longest(10'000), /*gradient=*/true).plan(); });
  }
}

TEST_CASE("Ten times the graph is not a hundred times the work", "[chain]") {
  for (const Form &form : forms) {
    auto small = Chain(form.step, 1000, /*gradient=*/true).plan();
    auto large = Chain(form.step, 10'000, /*gradient=*/true).plan();
    for (auto [phase, seconds] : large) {
      INFO(form.name << ", " << phase << ": " << small[phase] << " s, then " << seconds << " s");
      // Caches no longer hold ten times the graph, and others use the machine; a quadratic walk
      // would be a hundred times.
      CHECK(seconds < 70 * std::max(small[phase], 0.005));
    }
  }
}

TEST_CASE("A long chain is compiled", "[chain]") {
  for (const Form &form : forms) {
    INFO(form.name);
    onSmallStack([&] {
      Chain chain(form.step, 3000, /*gradient=*/false);
      auto compiled = compile(*chain.module, CompileOptions());
      CHECK(compiled.ok());
    });
  }
}

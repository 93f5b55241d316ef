// Gradients of loops and branches where a careless one would be NaN, cost too much, or print twice.
#include "ir/builder/LoopBuilder.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/execution/GradientHarness.h"
#include "tests/support/SmallStack.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

static const DimExpr d0 = DimExpr::symbol(0);

namespace {

struct Fixture {
  MLIRContext context;
  Fixture() { context.loadDialect<KeratinDialect, func::FuncDialect>(); }

  // The first vector has an unknown size.
  std::vector<Numbers> gradients(const std::vector<Numbers> &inputs, const Formula &formula) {
    GradientCase test = vectorCase(inputs, formula, d0);
    std::vector<Numbers> result;
    for (const HostTensor &g : differentiate(context, test).gradients)
      result.push_back(g.floats);
    return result;
  }

  // @main without its gradients ops.
  OwningOpRef<ModuleOp> expand(const char *text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(keratin::passes::createDifferentiate());
    REQUIRE(succeeded(passes.run(*module)));
    return module;
  }
};

} // namespace

static Value scalarOf(GraphMath &g, Value vector) {
  return g.reshape(g.slice(vector, {0}, {1}, {1}), {});
}

TEST_CASE_METHOD(Fixture, "the region not run adds exactly 0", "[gradient]") {
  auto formula = [](bool first) {
    return [first](GraphMath &g, ValueRange xs) -> Value {
      Value condition = g.integerScalar(first, g.builder().getI1Type());
      Value root = g.sqrt(xs[1]); // infinite derivative at 0, outside the branches
      auto yes = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
        return {g.add(xs[0], xs[1])};
      };
      auto no = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
        return {g.mul(g.log(xs[1]), g.div(g.oneLike(xs[0]), xs[0]))};
      };
      return buildIf(g, condition, {root, xs[1]}, yes, no).getResult(0);
    };
  };
  // 1 / (2 sqrt(x)) + 1, and the derivative of log(x) / sqrt(x).
  CHECK(gradients({{1}, {0.25, 4}}, formula(true))[1] == Numbers{2, 1.25});
  CHECK(gradients({{1}, {1, 1}}, formula(false))[1] == Numbers{1, 1});
  auto unused = [](GraphMath &g, ValueRange xs) -> Value {
    Value condition = g.integerScalar(0, g.builder().getI1Type());
    auto yes = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> { return {xs[0]}; };
    auto no = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> { return {xs[1]}; };
    return buildIf(g, condition, {g.sqrt(xs[1]), xs[1]}, yes, no).getResult(0);
  };
  CHECK(gradients({{1}, {0, 4}}, unused)[1] == Numbers{1, 1});
}

// s = sqrt(s) from 0: the derivative is infinite in each step.
static ScanOp roots(GraphMath &g, Value init, Value sequence) {
  auto step = [](GraphMath &g, LoopStep &step) {
    step.next = {g.sqrt(step.states[0])};
    step.stacked = {g.add(step.elements[0], step.states[0])};
  };
  return buildScan(g, d0, {{init}, {sequence}, {}}, step);
}

TEST_CASE_METHOD(Fixture, "what nobody reads after the last step adds exactly 0", "[gradient]") {
  auto formula = [](GraphMath &g, ValueRange xs) -> Value {
    return roots(g, scalarOf(g, xs[1]), xs[0]).getResult(1);
  };
  CHECK(gradients({{1}, {0}}, formula) == std::vector<Numbers>{{1}, {1}});
  // Without a step nothing is read at all.
  auto root = [](GraphMath &g, ValueRange xs) -> Value {
    return roots(g, g.sqrt(scalarOf(g, xs[1])), xs[0]).getResult(1);
  };
  CHECK(gradients({{}, {0}}, root) == std::vector<Numbers>{{}, {0}});
}

TEST_CASE_METHOD(Fixture, "steps that are not chosen add exactly 0", "[gradient]") {
  // From outside: the first element of the stack.
  auto first = [](GraphMath &g, ValueRange xs) -> Value {
    auto step = [](GraphMath &g, LoopStep &step) { step.stacked = {g.sqrt(step.elements[0])}; };
    ScanOp loop = buildScan(g, d0, {{}, {xs[0]}, {}}, step);
    return scalarOf(g, loop.getResult(0));
  };
  CHECK(gradients({{4, 0, 0}}, first)[0] == Numbers{0.25, 0, 0});
  // In the step: a mask, as that of a recurrent net.
  auto masked = [](GraphMath &g, ValueRange xs) -> Value {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value keep = g.equal(step.elements[0], g.zeroLike(step.elements[0]));
      step.next = {g.select(keep, step.states[0], g.sqrt(step.elements[0]))};
    };
    return buildScan(g, d0, {{scalarOf(g, xs[1])}, {xs[0]}, {}}, step).getResult(0);
  };
  CHECK(gradients({{4, 0, 0}, {7}}, masked) == std::vector<Numbers>{{0.25, 0, 0}, {0}});
  CHECK(gradients({{0, 0}, {7}}, masked) == std::vector<Numbers>{{0, 0}, {1}});
}

TEST_CASE_METHOD(Fixture, "an infinite derivative that is asked for stays", "[gradient]") {
  auto formula = [](GraphMath &g, ValueRange xs) -> Value {
    return roots(g, scalarOf(g, xs[1]), xs[0]).getResult(0);
  };
  CHECK(gradients({{1}, {0}}, formula)[1][0] == std::numeric_limits<double>::infinity());
}

TEST_CASE_METHOD(Fixture, "gradients inside a step", "[gradient]") {
  // Newton's method for the root of x^3 - c: x - f(x) / f'(x), with f' by a gradients op; and how
  // the result depends on c.
  auto module = expand(R"(
    func.func @main(%c: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
      %one = keratin.constant dense<1.0> : tensor<f64>
      %x = keratin.scan length = <20> init(%one) over() with(%c) : (tensor<f64>, tensor<f64>) -> tensor<f64> {
      ^bb0(%t: tensor<i64>, %s: tensor<f64>, %b: tensor<f64>):
        %0 = keratin.mul %s, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
        %1 = keratin.mul %0, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
        %f = keratin.sub %1, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
        %d = keratin.gradients %f wrt %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
        %q = keratin.div %f, %d : (tensor<f64>, tensor<f64>) -> tensor<f64>
        %n = keratin.sub %s, %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
        keratin.yield %n : tensor<f64>
      }
      %g = keratin.gradients %x wrt %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
      return %x, %g : tensor<f64>, tensor<f64>
    })");
  HostTensor c;
  c.dtype = KERATIN_DTYPE_FLOAT64;
  c.floats = {8};
  EvaluationContext call;
  auto results = interpret(*module->getOps<func::FuncOp>().begin(), {c}, call);
  REQUIRE(succeeded(results));
  CHECK((*results)[0].floats[0] == Approx(2));
  CHECK((*results)[1].floats[0] == Approx(1.0 / 12));
}

TEST_CASE_METHOD(Fixture, "what is computed again is not printed again", "[gradient]") {
  auto module = expand(R"(
    func.func @main(%x: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
      %one = keratin.constant dense<1.0> : tensor<f64>
      %y = keratin.scan length = <2> init(%one) over(%x) with() : (tensor<f64>, tensor<2xf64>) -> tensor<f64> {
      ^bb0(%t: tensor<i64>, %s: tensor<f64>, %e: tensor<f64>):
        %p = keratin.print "e" %e : tensor<f64>
        %true = keratin.constant dense<true> : tensor<i1>
        %n = keratin.if %true with(%s, %p) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64> {
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %0 = keratin.mul %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
          %1 = keratin.print "ab" %0 : tensor<f64>
          %2 = keratin.mul %1, %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
          keratin.yield %2 : tensor<f64>
        } else {
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          keratin.yield %a : tensor<f64>
        }
        keratin.yield %n : tensor<f64>
      }
      %g = keratin.gradients %y wrt %x : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
      return %y, %g : tensor<f64>, tensor<2xf64>
    })");
  HostTensor x;
  x.dtype = KERATIN_DTYPE_FLOAT64;
  x.dims = {2};
  x.floats = {2, 3};
  EvaluationContext call;
  auto results = interpret(*module->getOps<func::FuncOp>().begin(), {x}, call);
  REQUIRE(succeeded(results));
  CHECK(call.output == "e 2.0\nab 2.0\ne 3.0\nab 12.0\n");
  // ((2 * 1)^2 * 3)^2
  CHECK((*results)[0].floats[0] == 144);
  CHECK((*results)[1].floats == Numbers{288, 96});
}

TEST_CASE_METHOD(Fixture, "gradients with respect to what a loop gives, and to what it is given",
                 "[gradient]") {
  // The loop is replaced by one that keeps more while its results are values to differentiate by;
  // a second loss meets the loop that the first one left.
  auto module = expand(R"(
    func.func @main(%x: tensor<3xf64>, %h: tensor<f64>) -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
      %y:2 = keratin.scan length = <3> init(%h) over(%x) with() : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
      ^bb0(%t: tensor<i64>, %s: tensor<f64>, %e: tensor<f64>):
        %0 = keratin.mul %s, %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
        keratin.yield %0, %0 : tensor<f64>, tensor<f64>
      }
      %z = keratin.mul %y#1, %y#1 : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %a:3 = keratin.gradients %z wrt %h, %y#1, %x : (tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>)
      %b = keratin.gradients %y#0 wrt %x : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
      return %a#0, %a#1, %a#2, %b : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    })");
  HostTensor x, h;
  x.dtype = h.dtype = KERATIN_DTYPE_FLOAT64;
  x.dims = {3};
  x.floats = {2, 3, 5};
  h.floats = {1};
  EvaluationContext call;
  auto results = interpret(*module->getOps<func::FuncOp>().begin(), {x, h}, call);
  REQUIRE(succeeded(results));
  // y = h (2, 6, 30); the sum of squares is 940 h^2.
  CHECK((*results)[0].floats == Numbers{1880});
  CHECK((*results)[1].floats == Numbers{4, 12, 60});
  CHECK((*results)[2].floats == Numbers{940, 624, 360});
  CHECK((*results)[3].floats == Numbers{15, 10, 6});
}

// Loops inside each other, in the innermost a sine.
static Value nest(GraphMath &g, unsigned depth, Value x) {
  if (depth == 0)
    return g.sin(x);
  auto step = [depth](GraphMath &g, LoopStep &step) {
    step.next = {nest(g, depth - 1, step.states[0])};
  };
  return buildScan(g, 1, {{x}, {}, {}}, step).getResult(0);
}

TEST_CASE("deep nests are differentiated with little stack", "[gradient]") {
  constexpr unsigned kDepth = 40;
  size_t loops = 0;
  onSmallStack([&] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    auto module =
        differentiatedScalar(context, [](GraphMath &g, Value x) { return nest(g, kDepth, x); });
    module->walk([&](ScanOp) { ++loops; });
  });
  // Each loop, and its gradient.
  CHECK(loops == 2 * kDepth);
}

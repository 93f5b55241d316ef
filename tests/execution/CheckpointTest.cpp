// Loops that keep a few states and do their steps again: other numbers of bytes, the same numbers.
#include "ir/builder/LoopBuilder.h"
#include "ir/ops/LoopGradients.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/execution/LoopProgram.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

static const DimExpr d0 = DimExpr::symbol(0);

// A net of two states whose steps depend on their number and on random bits for it; it stacks what
// a step was given and what it made. Lengths are those of the sequence.
static LoopExample numberedNet(const DimExpr &length, bool reverse) {
  std::string label = "numbered, " + length.str() + " steps" + (reverse ? ", reverse" : "");
  return {label,
          {{length, 2, 3}, {2, 3}, {2, 3}, {3, 3}},
          [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
            auto step = [](GraphMath &g, LoopStep &step) {
              Value h = step.states[0], c = step.states[1], x = step.elements[0];
              Type f64 = getElementType(h);
              Value number = g.broadcastScalar(g.cast(step.number, f64), getShape(h));
              Value z = g.add(g.dotGeneral(h, step.captures[0], {}, {}, {1}, {0}), x);
              Value gate = g.logistic(g.add(z, g.sin(number)));
              c = g.add(g.mul(gate, c), g.mul(g.cos(number), g.tanh(z)));
              step.next = {g.tanh(c), c};
              step.stacked = {h, g.mul(gate, x)};
            };
            ScanOp loop =
                buildScan(math, length, {{xs[1], xs[2]}, {xs[0]}, {xs[3]}, reverse}, step);
            return {loop.getResults().begin(), loop.getResults().end()};
          }};
}

// Loops in the steps of a loop: each step's state is where an inner loop over the step's rows ends.
static LoopExample nestedNet(const DimExpr &outer, const DimExpr &inner) {
  return {"nested, " + outer.str() + " times " + inner.str() + " steps",
          {{outer, inner, 3}, {3}, {3, 3}},
          [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
            auto step = [&](GraphMath &g, LoopStep &step) {
              auto row = [](GraphMath &g, LoopStep &step) {
                Value h = step.states[0];
                Value number = g.cast(step.number, getElementType(h));
                Value z = g.dotGeneral(h, step.captures[0], {}, {}, {0}, {0});
                z = g.add(g.add(z, step.elements[0]), g.broadcastScalar(number, getShape(h)));
                step.next = {g.sin(g.mul(z, g.tanh(z)))};
                step.stacked = {step.next[0]};
              };
              ScanOp loop = buildScan(
                  g, inner, {{step.states[0]}, {step.elements[0]}, step.captures, false}, row);
              step.next = {loop.getResult(0)};
              step.stacked = {g.reduceSum(loop.getResult(1), {0})};
            };
            ScanOp loop = buildScan(math, outer, {{xs[1]}, {xs[0]}, {xs[2]}, true}, step);
            return {loop.getResult(0), loop.getResult(1)};
          }};
}

static std::vector<LoopExample> nestedNets() {
  return {nestedNet(2, 13), nestedNet(12, 3), nestedNet(12, 12), nestedNet(d0, 12),
          nestedNet(3, d0)};
}

static std::vector<LoopExample> numberedNets() {
  std::vector<LoopExample> examples;
  for (const DimExpr &length : {d0, DimExpr(2), DimExpr(12), DimExpr(13), DimExpr(31)})
    for (bool reverse : {false, true})
      examples.push_back(numberedNet(length, reverse));
  return examples;
}

static int64_t countCheckpointed(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](ScanOp scan) { count += scan->hasAttr(kCheckpointsAttr); });
  return count;
}

template <int64_t keptBytes> static std::unique_ptr<Pass> checkpoint() {
  passes::CheckpointLoopsOptions options;
  options.keptBytes = keptBytes;
  return passes::createCheckpointLoops(options);
}
static std::unique_ptr<Pass> resolve() { return passes::createResolveRequirements(); }
static std::unique_ptr<Pass> differentiate() { return passes::createDifferentiate(); }

// Segments of an unknown number of steps are of 8 or more: some lengths have none, some no rest.
static std::vector<int64_t> lengthsOf(const LoopExample &example) {
  return example.usesSymbol() ? std::vector<int64_t>{0, 1, 7, 8, 9, 17, 24}
                              : std::vector<int64_t>{0};
}

static void compareInInterpreter(const LoopExample &example, int gradients) {
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  context.disableMultithreading();
  LoopProgram plain(context, example, gradients);
  plain.apply({resolve, differentiate});
  std::vector<std::pair<std::string, LoopProgram>> others;
  others.emplace_back("as little as possible", LoopProgram(context, example, gradients));
  others.back().second.apply({resolve, checkpoint<0>, differentiate});
  others.emplace_back("little", LoopProgram(context, example, gradients));
  others.back().second.apply({resolve, checkpoint<600>, differentiate});
  compiler::PhaseOptions options;
  options.keptBytes = 0;
  others.emplace_back("simplified", LoopProgram(context, example, gradients));
  others.back().second.simplify(options);
  for (int64_t length : lengthsOf(example)) {
    std::vector<HostTensor> arguments = makeArguments(example, length);
    std::vector<BoundedTensor> expected = plain.runWithBounds(arguments);
    for (auto &[label, program] : others) {
      INFO(example.label << ", length " << length << ", order " << gradients << ", " << label);
      checkWithinBounds(program.run(arguments), expected, 1e-12);
    }
  }
}

TEST_CASE("loops with checkpoints have the same gradients") {
  for (const LoopExample &example : scanExamples())
    compareInInterpreter(example, 1);
  for (const LoopExample &example : numberedNets())
    compareInInterpreter(example, 1);
}

TEST_CASE("loops with checkpoints have the same gradients of gradients") {
  for (const LoopExample &example : scanExamples())
    compareInInterpreter(example, 2);
  for (const LoopExample &example : numberedNets())
    compareInInterpreter(example, 2);
}

TEST_CASE("loops in loops keep checkpoints") {
  for (const LoopExample &example : nestedNets())
    for (int gradients : {1, 2})
      compareInInterpreter(example, gradients);
}

TEST_CASE("loops in branches keep checkpoints") {
  for (const LoopExample &example : ifExamples())
    for (int gradients : {1, 2})
      compareInInterpreter(example, gradients);
}

// The example's loss: of each result, itself times its sine.
static double lossOf(LoopProgram &values, const std::vector<HostTensor> &arguments) {
  double loss = 0;
  for (const HostTensor &result : values.run(arguments))
    for (double x : result.floats)
      loss += x * std::sin(x);
  return loss;
}

TEST_CASE("gradients from checkpoints are the slopes of the loss") {
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  for (bool reverse : {false, true}) {
    LoopExample example = numberedNet(13, reverse);
    LoopProgram values(context, example, 0), gradients(context, example, 1);
    gradients.apply({resolve, checkpoint<0>, differentiate});
    REQUIRE(countCheckpointed(gradients.function) > 0);
    std::vector<HostTensor> arguments = makeArguments(example, 0);
    std::vector<HostTensor> found = gradients.run(arguments);
    size_t first = found.size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i)
      for (size_t j = 0; j < arguments[i].floats.size(); ++j) {
        constexpr double h = 1e-5;
        std::vector<HostTensor> above = arguments, below = arguments;
        above[i].floats[j] += h;
        below[i].floats[j] -= h;
        double slope = (lossOf(values, above) - lossOf(values, below)) / (2 * h);
        CHECK(found[first + i].floats[j] == Approx(slope).margin(1e-7));
      }
  }
}

// Two states of a loop, the second of which is infinite from the first step on, and matters to
// nobody: its derivative times zeros for its cotangent would be NaN. That it does not matter shows
// in the body of the loop over a segment, and in that of the branch.
TEST_CASE("an infinite state that the loss does not read is in no gradient from checkpoints") {
  constexpr const char *text = R"(
    func.func @main(%a: tensor<2xf64>, %b: tensor<2xf64>, %w: tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2x2xf64>) {
      %l:2 = keratin.scan length = <36> init(%a, %b) over() with(%w) : (tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
      ^bb0(%t: tensor<i64>, %s: tensor<2xf64>, %u: tensor<2xf64>, %v: tensor<2x2xf64>):
        %true = keratin.constant dense<true> : tensor<i1>
        %n:2 = keratin.if %true with(%s, %u, %v) : (tensor<i1>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
        ^bb0(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2x2xf64>):
          %0 = keratin.dot_general %x, %z batch = [] x [] contract = [0] x [0] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
          %1 = keratin.tanh %0 : (tensor<2xf64>) -> tensor<2xf64>
          %2 = keratin.sin %1 : (tensor<2xf64>) -> tensor<2xf64>
          %3 = keratin.dot_general %y, %z batch = [] x [] contract = [0] x [0] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
          keratin.yield %2, %3 : tensor<2xf64>, tensor<2xf64>
        } else {
        ^bb0(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2x2xf64>):
          keratin.yield %x, %y : tensor<2xf64>, tensor<2xf64>
        }
        %4 = keratin.tanh %n#0 : (tensor<2xf64>) -> tensor<2xf64>
        %5 = keratin.sin %4 : (tensor<2xf64>) -> tensor<2xf64>
        keratin.yield %5, %n#1 : tensor<2xf64>, tensor<2xf64>
      }
      %g = keratin.gradients %l#0 wrt %w : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      return %l#1, %g : tensor<2xf64>, tensor<2x2xf64>
    })";
  auto numbers = [](std::vector<int64_t> dims, std::vector<double> floats) {
    HostTensor result;
    result.dtype = KERATIN_DTYPE_FLOAT64;
    result.dims = std::move(dims);
    result.floats = std::move(floats);
    return result;
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  std::vector<double> expected;
  for (auto checkpoints : {+[] { return std::unique_ptr<Pass>(); }, checkpoint<0>}) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    PassManager passes(&context);
    if (auto pass = checkpoints())
      passes.addNestedPass<func::FuncOp>(std::move(pass));
    passes.addNestedPass<func::FuncOp>(differentiate());
    REQUIRE(succeeded(passes.run(*module)));
    EvaluationContext call;
    auto results = interpret(
        function, {numbers({2}, {1, 2}), numbers({2}, {inf, inf}), numbers({2, 2}, {1, 2, 3, 4})},
        call);
    REQUIRE(succeeded(results));
    CHECK((*results)[0].floats == std::vector<double>{inf, inf});
    if (expected.empty())
      expected = (*results)[1].floats;
    else
      CHECK(countCheckpointed(function) > 0);
    for (auto [found, whole] : llvm::zip_equal((*results)[1].floats, expected))
      CHECK(found == Approx(whole)); // not of NaN
  }
}

TEST_CASE("each order adds loops that keep checkpoints") {
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  for (int order : {1, 2}) {
    LoopProgram program(context, numberedNet(d0, false), order);
    program.apply({resolve, checkpoint<0>, differentiate});
    CHECK(countCheckpointed(program.function) >= 2 * order);
  }
  LoopProgram values(context, numberedNet(d0, false), 0);
  values.apply({resolve, checkpoint<0>, differentiate});
  CHECK(countCheckpointed(values.function) == 0);
}

TEST_CASE("compiled loops with checkpoints have the same gradients") {
  MLIRContext context;
  DialectRegistry registry;
  compiler::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  Sample sample;
  for (int gradients : {1, 2})
    for (const LoopExample &example :
         {numberedNet(d0, false), numberedNet(d0, true), numberedNet(12, false),
          numberedNet(13, true), numberedNet(31, false), nestedNet(12, 12), nestedNet(3, d0)}) {
      if (!sample.takesNext())
        continue;
      LoopProgram plain(context, example, gradients);
      for (int64_t budget :
           gradients == 1 ? std::vector<int64_t>{1, 2000} : std::vector<int64_t>{1}) {
        compiler::CompileOptions options;
        options.memoryBudget = budget;
        options.verify = true;
        CompiledRunner runner(plain.function, options);
        INFO(example.label << ", order " << gradients << ", " << budget << " bytes\n"
                           << runner.error);
        REQUIRE(runner.error.empty());
        LoopProgram expected(context, example, gradients);
        expected.apply({resolve, differentiate});
        for (int64_t length : lengthsOf(example)) {
          INFO("length " << length);
          std::vector<HostTensor> arguments = makeArguments(example, length);
          auto found = runner.run(arguments);
          INFO(runner.error);
          REQUIRE(found);
          checkWithinBounds(*found, expected.runWithBounds(arguments), 1e-11);
        }
      }
    }
}

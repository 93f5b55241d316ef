// Stability as numbers: formulas that overflow or cancel as they are written, at inputs where they
// do, before and after --keratin-stabilize, values and gradients.
//
// The interpreter computes in double precision, so its inputs go far enough for that; compiled code
// computes in the precision of the types.
#include "ir/dialect/Keratin.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/execution/StabilityCases.h"
#include "tests/support/CompiledRunner.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

void addStabilizing(OpPassManager &manager) {
  manager.addPass(passes::createEliminateCommonSubexpressions());
  manager.addPass(passes::createStabilize());
}

void addSimplifying(OpPassManager &manager) {
  manager.addPass(passes::createEraseMarkers());
  addStabilizing(manager);
  manager.addPass(passes::createCanonicalize());
  manager.addPass(passes::createFoldConstants());
  manager.addPass(passes::createCanonicalize());
  manager.addPass(passes::createEliminateCommonSubexpressions());
}

ir::HostTensor vector(const std::vector<double> &values) {
  ir::HostTensor tensor;
  tensor.dtype = KERATIN_DTYPE_FLOAT32;
  tensor.dims = {int64_t(values.size())};
  tensor.floats = values;
  return tensor;
}

// Equal to six digits, or the same infinity or NaN. Where 0 is expected, it may be what is left of
// terms of size 1 that cancel.
bool agrees(double actual, double expected, double digits = 1e-6) {
  if (std::isnan(expected) || std::isinf(expected))
    return (std::isnan(actual) && std::isnan(expected)) || actual == expected;
  return std::fabs(actual - expected) <=
         (expected == 0 ? digits * (digits > 1e-6 ? 1e-1 : 1e-8) : digits * std::fabs(expected));
}

std::string text(const std::vector<double> &values) {
  std::string result;
  for (double value : values)
    result += " " + std::to_string(value);
  return result;
}

class Runner {
public:
  Runner() {
    DialectRegistry registry;
    compiler::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  // All results of @main, one after the other, after the passes.
  std::vector<double> run(const std::string &source, void (*addPasses)(OpPassManager &),
                          const std::vector<double> &input) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    REQUIRE(module);
    PassManager manager(&context);
    addPasses(manager.nest<func::FuncOp>());
    REQUIRE(succeeded(manager.run(*module)));
    auto function = *module->getOps<func::FuncOp>().begin();
    ir::EvaluationContext evaluation;
    auto results = ir::interpret(function, {vector(input)}, evaluation);
    INFO(evaluation.error);
    REQUIRE(succeeded(results));
    std::vector<double> values;
    for (const ir::HostTensor &result : *results)
      values.insert(values.end(), result.floats.begin(), result.floats.end());
    return values;
  }

  // The same compiled, in the precision of the types, with the compiler's own passes.
  std::vector<double> runCompiled(const std::string &source, const std::vector<double> &input) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    REQUIRE(module);
    CompiledRunner runner(*module->getOps<func::FuncOp>().begin());
    auto results = runner.run({vector(input)});
    INFO(runner.error);
    REQUIRE(results);
    return results->front().floats;
  }

private:
  MLIRContext context;
};

void check(const std::vector<double> &actual, const std::vector<double> &expected,
           double digits = 1e-6) {
  INFO("got     " << text(actual));
  INFO("expected" << text(expected));
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    INFO("element " << i);
    CHECK(agrees(actual[i], expected[i], digits));
  }
}

} // namespace

TEST_CASE("formulas are stable in every spelling") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    INFO(test.name);
    auto stable = [](OpPassManager &manager) {
      addStabilizing(manager);
      addSimplifying(manager);
    };
    check(runner.run(valueModule(test), stable, test.input), test.value);
  }
}

TEST_CASE("gradients of stabilised formulas are finite and right") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    if (test.gradient.empty())
      continue;
    INFO(test.name);
    auto differentiated = [](OpPassManager &manager) {
      addStabilizing(manager);
      manager.addPass(passes::createDifferentiate());
      addSimplifying(manager);
    };
    check(runner.run(gradientModule(test), differentiated, test.input), test.gradient);
  }
}

TEST_CASE("compiled formulas are stable in float32, with their gradients") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    auto fits = [](double x) { return std::isinf(x) || std::fabs(x) < 1e30; };
    if (!std::all_of(test.input.begin(), test.input.end(), fits))
      continue;
    INFO(test.name << ": " << test.body);
    check(runner.runCompiled(valueModule(test), test.input), test.value, 2e-5);
    if (!test.gradient.empty())
      check(runner.runCompiled(gradientModule(test), test.input), test.gradient, 2e-5);
  }
}

// Without the pass most cases fail, or the table would prove nothing.
TEST_CASE("formulas are unstable as they are written") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    if (test.stableAsWritten)
      continue;
    INFO(test.name);
    std::vector<double> actual = runner.run(valueModule(test), [](OpPassManager &) {}, test.input);
    bool same = actual.size() == test.value.size();
    for (size_t i = 0; same && i < actual.size(); ++i)
      same = agrees(actual[i], test.value[i]);
    CHECK_FALSE(same);
  }
}

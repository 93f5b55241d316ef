// Stability as numbers: formulas that overflow or cancel as they are written, at inputs where they
// do, before and after --keratin-stabilize, values and gradients.
//
// The interpreter computes in double precision, so its inputs go far enough for that; compiled code
// computes in the precision of the types.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"
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

ir::HostTensor vectorOf(keratin_dtype_t dtype, const std::vector<double> &values) {
  ir::HostTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = {int64_t(values.size())};
  tensor.floats = values;
  return tensor;
}

class Runner {
public:
  Runner() {
    DialectRegistry registry;
    compiler::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  // @main after the passes. Its module lives until the next one.
  func::FuncOp load(const std::string &source, void (*addPasses)(OpPassManager &)) {
    module = parseSourceString<ModuleOp>(source, &context);
    REQUIRE(module);
    PassManager manager(&context);
    addPasses(manager.nest<func::FuncOp>());
    REQUIRE(succeeded(manager.run(*module)));
    return *module->getOps<func::FuncOp>().begin();
  }

  // What it may give, rounded at each step or not.
  ir::BoundedTensor bounds(func::FuncOp function, const ir::HostTensor &input) {
    ir::EvaluationContext evaluation;
    auto results = ir::interpretWithBounds(function, {input}, evaluation, {/*rewritten=*/true});
    INFO(evaluation.error);
    REQUIRE(succeeded(results));
    return results->front();
  }

  // Compiled, with the compiler's own passes.
  ir::HostTensor runCompiled(const std::string &source, const ir::HostTensor &input) {
    CompiledRunner runner(load(source, [](OpPassManager &) {}));
    auto results = runner.run({input});
    INFO(runner.error);
    REQUIRE(results);
    return results->front();
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

void addNothing(OpPassManager &) {}

void stabilized(OpPassManager &manager) {
  addStabilizing(manager);
  addSimplifying(manager);
}

void differentiated(OpPassManager &manager) {
  addStabilizing(manager);
  manager.addPass(passes::createDifferentiate());
  addSimplifying(manager);
}

// Every element is in its range. Only where infinities meet a range may hold just anything; there
// it is the very value.
void check(const ir::HostTensor &actual, const ir::BoundedTensor &expected, double slack = 1) {
  for (int64_t i = 0; i < actual.size(); ++i)
    CHECK((ir::isBounded(expected, i) ||
           (std::isinf(actual.floats[size_t(i)]) &&
            actual.floats[size_t(i)] == expected.value.floats[size_t(i)])));
  CHECK(ir::findMismatch(actual, expected, slack).value_or("") == "");
}

// The table's numbers are rounded as the formula's are.
void checkTable(const std::vector<double> &table, const ir::BoundedTensor &expected) {
  ir::HostTensor values = expected.value;
  REQUIRE(values.floats.size() == table.size());
  values.floats = table;
  check(values, expected, /*slack=*/2);
}

} // namespace

TEST_CASE("formulas are stable in every spelling") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    INFO(test.name << ": " << test.body);
    ir::HostTensor input = vectorOf(KERATIN_DTYPE_FLOAT64, test.input);
    checkTable(test.value, runner.bounds(runner.load(valueModule(test, "f64"), stabilized), input));
  }
}

TEST_CASE("gradients of stabilised formulas are finite and right") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    if (test.gradient.empty())
      continue;
    INFO(test.name << ": " << test.body);
    ir::HostTensor input = vectorOf(KERATIN_DTYPE_FLOAT64, test.input);
    checkTable(test.gradient,
               runner.bounds(runner.load(gradientModule(test, "f64"), differentiated), input));
  }
}

TEST_CASE("compiled formulas are stable in float32, with their gradients") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    auto fits = [](double x) { return std::isinf(x) || std::fabs(x) < 1e30; };
    if (!std::all_of(test.input.begin(), test.input.end(), fits))
      continue;
    INFO(test.name << ": " << test.body);
    ir::HostTensor input = vectorOf(KERATIN_DTYPE_FLOAT32, test.input);
    for (double &x : input.floats)
      x = float(x);
    std::string value = valueModule(test, "f32"), gradient = gradientModule(test, "f32");
    check(runner.runCompiled(value, input), runner.bounds(runner.load(value, stabilized), input));
    if (!test.gradient.empty())
      check(runner.runCompiled(gradient, input),
            runner.bounds(runner.load(gradient, differentiated), input));
  }
}

// Without the pass most cases fail, or the table would prove nothing.
TEST_CASE("formulas are unstable as they are written") {
  Runner runner;
  for (const StabilityCase &test : stabilityCases()) {
    if (test.stableAsWritten)
      continue;
    INFO(test.name);
    std::string source = valueModule(test, "f64");
    ir::HostTensor input = vectorOf(KERATIN_DTYPE_FLOAT64, test.input);
    ir::BoundedTensor expected = runner.bounds(runner.load(source, stabilized), input);
    ir::EvaluationContext evaluation;
    auto actual = ir::interpret(runner.load(source, addNothing), {input}, evaluation);
    REQUIRE(succeeded(actual));
    CHECK(ir::findMismatch(actual->front(), expected));
  }
}

#include "tests/execution/LoopProgram.h"

#include "ir/reference/Interpreter.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

static Value sumAll(GraphMath &g, Value x) {
  return g.reduceSum(x, llvm::to_vector(llvm::seq<int64_t>(0, getTensorType(x).getRank())));
}

// Of the floating ones, each times its sine, so that every element counts in its own way.
static Value lossOf(GraphMath &g, ArrayRef<Value> values) {
  Value loss;
  for (Value value : values)
    if (isa<FloatType>(getElementType(value))) {
      Value part = g.cast(sumAll(g, g.mul(value, g.sin(value))), g.builder().getF64Type());
      loss = loss ? g.add(loss, part) : part;
    }
  return loss;
}

LoopProgram::LoopProgram(MLIRContext &context, const LoopExample &example, int gradients) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (const Shape &shape : example.inputs)
    types.push_back(getTensorType(shape, builder.getF64Type()));
  function = builder.create<func::FuncOp>(loc, "f", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  GraphMath g(builder, loc);
  std::vector<Value> results = example.build(g, body->getArguments());
  std::vector<Value> values = results;
  for (int order = 0; order < gradients; ++order) {
    auto all = builder.create<GradientsOp>(loc, types, lossOf(g, values), body->getArguments());
    values.assign(all->result_begin(), all->result_end());
    results.insert(results.end(), values.begin(), values.end());
  }
  builder.create<func::ReturnOp>(loc, results);
  function.setType(builder.getFunctionType(types, ValueRange(results)));
  REQUIRE(succeeded(verify(*module)));
}

std::vector<HostTensor> LoopProgram::run(const std::vector<HostTensor> &arguments) {
  EvaluationContext context;
  auto results = interpret(function, arguments, context);
  INFO(context.error);
  REQUIRE(succeeded(results));
  return *results;
}

std::vector<BoundedTensor> LoopProgram::runWithBounds(const std::vector<HostTensor> &arguments) {
  EvaluationContext context;
  auto results = interpretWithBounds(function, arguments, context, {/*rewritten=*/true});
  INFO(context.error);
  REQUIRE(succeeded(results));
  return *results;
}

void keratin::tests::checkWithinBounds(const std::vector<HostTensor> &found,
                                       const std::vector<BoundedTensor> &expected, double most) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("result " << i);
    CHECK(findMismatch(found[i], expected[i]).value_or("") == "");
    CHECK(largestDifference(found[i], expected[i].value) < most);
  }
}

void LoopProgram::apply(ArrayRef<std::unique_ptr<Pass> (*)()> makers) {
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  for (auto maker : makers)
    manager.addNestedPass<func::FuncOp>(maker());
  REQUIRE(succeeded(manager.run(*module)));
}

void LoopProgram::simplify(const compiler::PhaseOptions &options) {
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  for (auto phase : {compiler::PipelinePhase::Graph, compiler::PipelinePhase::Gradient,
                     compiler::PipelinePhase::Simplify})
    compiler::buildPhase(manager.nest<func::FuncOp>(), phase, options);
  REQUIRE(succeeded(manager.run(*module)));
}

std::vector<HostTensor> keratin::tests::makeArguments(const LoopExample &example, int64_t length) {
  std::vector<HostTensor> arguments;
  for (const Shape &shape : example.inputs) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : shape)
      dims.push_back(dim.isConstant() ? dim.constantValue() : length);
    arguments.push_back(randomTensor(KERATIN_DTYPE_FLOAT64, dims, 11 + arguments.size()).value());
    for (double &element : arguments.back().floats)
      element /= 4;
  }
  return arguments;
}

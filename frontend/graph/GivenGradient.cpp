#include "frontend/graph/GivenGradient.h"

#include "frontend/graph/Body.h"
#include "ir/dialect/GivenGradients.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

// The body takes values like `directions`, which `name` names, to what the callable makes of them.
static ir::CustomGradientOp withBody(Call &call, const std::string &callable,
                                     llvm::ArrayRef<Value> outputs, llvm::ArrayRef<Value> inputs,
                                     llvm::ArrayRef<Value> directions, const std::string &name,
                                     BuildGradients build, bool isForward) {
  Trace trace(call, callable);
  std::vector<Value> results, along;
  for (Value direction : directions)
    along.push_back(trace.argument(ir::getTensorType(direction), name));
  for (Value output : outputs)
    results.push_back(trace.argument(ir::getTensorType(output), "output"));
  const std::vector<Value> made = build(results, along);
  trace.end();
  Body body(call, {&trace}, made);

  // The outputs, which stand for the results, then what comes from outside.
  std::vector<Value> captures(outputs.begin(), outputs.end()), arguments(along);
  llvm::append_range(captures, body.captures());
  llvm::append_range(arguments, results);
  llvm::append_range(arguments, body.captures());
  std::vector<mlir::Type> types;
  for (Value output : outputs)
    types.push_back(output.getType());
  // The body before the op: the graph looks at both when it is told of the op.
  mlir::OperationState state(call.g.location(), ir::CustomGradientOp::getOperationName());
  ir::CustomGradientOp::build(call.builder, state, types, mlir::ValueRange(outputs),
                              mlir::ValueRange(inputs), mlir::ValueRange(captures), isForward);
  std::vector<int64_t> numbers(outputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  state.regions.front()->push_back(body.build(arguments).release());
  auto op = llvm::cast<ir::CustomGradientOp>(call.builder.create(state));
  op->setAttr(ir::kCapturedResultsAttr, call.builder.getDenseI64ArrayAttr(numbers));
  return op;
}

static std::vector<Value> resultsOf(ir::CustomGradientOp op) {
  return std::vector<Value>(op.getYs().begin(), op.getYs().end());
}

std::vector<Value> frontend::withGradient(Call &call, const std::string &callable,
                                          llvm::ArrayRef<Value> outputs,
                                          llvm::ArrayRef<Value> inputs, BuildGradients build,
                                          bool forwardByOps) {
  ir::CustomGradientOp op =
      withBody(call, callable, outputs, inputs, outputs, "cotangent", build, /*isForward=*/false);
  if (forwardByOps)
    op->setAttr(ir::kForwardAttr, call.builder.getUnitAttr());
  return resultsOf(op);
}

std::vector<Value> frontend::withTangents(Call &call, const std::string &callable,
                                          llvm::ArrayRef<Value> outputs,
                                          llvm::ArrayRef<Value> inputs, BuildTangents build) {
  return resultsOf(
      withBody(call, callable, outputs, inputs, inputs, "tangent", build, /*isForward=*/true));
}

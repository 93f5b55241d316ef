#include "frontend/graph/GivenGradient.h"

#include "frontend/graph/Body.h"
#include "ir/dialect/GivenGradients.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

std::vector<Value> frontend::withGradient(Call &call, const std::string &callable,
                                          llvm::ArrayRef<Value> outputs,
                                          llvm::ArrayRef<Value> inputs, BuildGradients build,
                                          bool forwardByOps) {
  Trace trace(call, callable);
  std::vector<Value> results, cotangents;
  for (Value output : outputs)
    cotangents.push_back(trace.argument(ir::getTensorType(output), "cotangent"));
  for (Value output : outputs)
    results.push_back(trace.argument(ir::getTensorType(output), "output"));
  const std::vector<Value> gradients = build(results, cotangents);
  trace.end();
  Body body(call, {&trace}, gradients);

  // The outputs, which stand for the results, then what comes from outside.
  std::vector<Value> captures(outputs.begin(), outputs.end()), arguments(cotangents);
  llvm::append_range(captures, body.captures());
  llvm::append_range(arguments, results);
  llvm::append_range(arguments, body.captures());
  std::vector<mlir::Type> types;
  for (Value output : outputs)
    types.push_back(output.getType());
  // The body before the op: the graph looks at both when it is told of the op.
  mlir::OperationState state(call.g.location(), ir::CustomGradientOp::getOperationName());
  ir::CustomGradientOp::build(call.builder, state, types, mlir::ValueRange(outputs),
                              mlir::ValueRange(inputs), mlir::ValueRange(captures));
  std::vector<int64_t> numbers(outputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  state.regions.front()->push_back(body.build(arguments).release());
  auto op = llvm::cast<ir::CustomGradientOp>(call.builder.create(state));
  op->setAttr(ir::kCapturedResultsAttr, call.builder.getDenseI64ArrayAttr(numbers));
  if (forwardByOps)
    op->setAttr(ir::kForwardAttr, call.builder.getUnitAttr());
  return std::vector<Value>(op.getYs().begin(), op.getYs().end());
}

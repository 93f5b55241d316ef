#include "frontend/graph/TracedFunction.h"

#include "frontend/graph/Body.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin;
using namespace keratin::frontend;

TracedFunction::TracedFunction(Call &call, std::string callable)
    : call(call), trace(call, std::move(callable)) {}

TracedFunction::~TracedFunction() = default;

Value TracedFunction::addParameter(mlir::RankedTensorType type) {
  parameters.push_back(trace.argument(type, "parameter"));
  return parameters.back();
}

void TracedFunction::finish(llvm::ArrayRef<Value> results) {
  trace.end();
  Body body(call, {&trace}, results);
  for (Value value : body.captures()) {
    bool isVariable =
        isFloating(call.dtypeOf(value)) && !llvm::isa<ir::LiteralOp>(value.getDefiningOp());
    (isVariable ? floats : others).push_back(value);
  }
  std::vector<Value> arguments(parameters);
  llvm::append_range(arguments, floats);
  llvm::append_range(arguments, others);
  block = body.build(arguments);
  for (mlir::Operation &op : *block)
    if (ir::symbolDefinedBy(&op))
      call.notImplemented("a size computed from data in " + trace.callable());
}

std::vector<Value> TracedFunction::operator()(llvm::ArrayRef<Value> given,
                                              llvm::ArrayRef<Value> variables) const {
  std::vector<Value> arguments(given.begin(), given.end());
  llvm::append_range(arguments, variables);
  llvm::append_range(arguments, others);
  mlir::IRMapping copies;
  copies.map(block->getArguments(), arguments);
  // The graph is told of the op, and not of what is inside.
  for (mlir::Operation &op : block->without_terminator())
    call.builder.insert(op.clone(copies));
  std::vector<Value> results;
  for (Value value : block->getTerminator()->getOperands())
    results.push_back(copies.lookup(value));
  return results;
}

// All are values of their own: what makes one of the variables of another is no part of it.
std::vector<Value> TracedFunction::copiesOf(llvm::ArrayRef<Value> given) const {
  std::vector<Value> copies;
  for (llvm::ArrayRef<Value> values : {given, llvm::ArrayRef<Value>(floats)})
    for (Value value : values)
      copies.push_back(call.builder.create<ir::IdentityOp>(call.g.location(), value));
  return copies;
}

std::vector<Value> TracedFunction::ofCopies(llvm::ArrayRef<Value> copies) const {
  return (*this)(copies.take_front(parameters.size()), copies.drop_front(parameters.size()));
}

static std::vector<mlir::Type> typesOf(llvm::ArrayRef<Value> values) {
  std::vector<mlir::Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  return types;
}

std::vector<Value> TracedFunction::gradientsOf(llvm::ArrayRef<Value> results,
                                               llvm::ArrayRef<Value> copies,
                                               llvm::ArrayRef<Value> cotangents) const {
  auto op =
      call.builder.create<ir::VjpOp>(call.g.location(), typesOf(copies), mlir::ValueRange(results),
                                     mlir::ValueRange(copies), mlir::ValueRange(cotangents));
  return std::vector<Value>(op.getYs().begin(), op.getYs().end());
}

std::vector<Value> TracedFunction::vjp(llvm::ArrayRef<Value> given,
                                       llvm::ArrayRef<Value> cotangents) const {
  const std::vector<Value> copies = copiesOf(given);
  return gradientsOf(ofCopies(copies), copies, cotangents);
}

std::vector<Value> TracedFunction::tangentsOf(llvm::ArrayRef<Value> copies,
                                              llvm::ArrayRef<Value> ofParameters,
                                              llvm::ArrayRef<Value> ofVariables) const {
  std::vector<Value> inputs, tangents;
  auto add = [&](llvm::ArrayRef<Value> values, llvm::ArrayRef<Value> along) {
    if (along.empty())
      return;
    llvm::append_range(inputs, values);
    llvm::append_range(tangents, along);
  };
  add(copies.take_front(parameters.size()), ofParameters);
  add(copies.drop_front(parameters.size()), ofVariables);
  const std::vector<Value> results = ofCopies(copies);
  auto op =
      call.builder.create<ir::JvpOp>(call.g.location(), typesOf(results), mlir::ValueRange(results),
                                     mlir::ValueRange(inputs), mlir::ValueRange(tangents));
  return std::vector<Value>(op.getYs().begin(), op.getYs().end());
}

std::vector<Value> TracedFunction::jvp(llvm::ArrayRef<Value> given,
                                       llvm::ArrayRef<Value> ofParameters,
                                       llvm::ArrayRef<Value> ofVariables) const {
  return tangentsOf(copiesOf(given), ofParameters, ofVariables);
}

std::vector<Value> TracedFunction::vjpOfJvp(llvm::ArrayRef<Value> given,
                                            llvm::ArrayRef<Value> ofParameters,
                                            llvm::ArrayRef<Value> cotangents) const {
  const std::vector<Value> copies = copiesOf(given);
  return gradientsOf(tangentsOf(copies, ofParameters, {}), copies, cotangents);
}

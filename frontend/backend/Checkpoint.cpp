// K::checkpoint.
#include "keratin/derivatives.h"

#include "frontend/graph/Body.h"
#include "frontend/graph/Call.h"
#include "ir/dialect/GivenGradients.h"

using namespace keratin;
using namespace keratin::frontend;

// Whether the value lies in memory whatever is done, and what is made of it alone is made once for
// all calls, or nearly so. A count of draws is not one: random bits are to be made twice, not kept.
static bool isLasting(Call &call, Value value) {
  if (auto variable = value.getDefiningOp<ir::VariableOp>())
    return !call.graph.variables[variable.getId()].countsDraws;
  return llvm::isa<ir::LiteralOp>(value.getDefiningOp());
}

// The operands that the gradient reads only when it begins: all, if there are none but lasting
// ones.
static std::vector<int64_t> delayedOf(Call &call, llvm::ArrayRef<Value> operands) {
  std::vector<int64_t> numbers;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!isLasting(call, operand))
      numbers.push_back(int64_t(i));
  for (size_t i = 0; numbers.empty() && i < operands.size(); ++i)
    numbers.push_back(int64_t(i));
  return numbers;
}

std::vector<Tensor> keratin::detail::checkpoint(const LoopBody &f,
                                                const std::vector<Operand> &arguments,
                                                SourceLocation location) {
  Call call("checkpoint", location);
  if (f.tensorCount() && *f.tensorCount() != arguments.size())
    call.valueError("the function has " + std::to_string(*f.tensorCount()) +
                    " parameters; needed " + std::to_string(arguments.size()) +
                    ", one for each input");
  std::vector<Value> operands, parameters, results;
  for (const Operand &argument : arguments)
    operands.push_back(call.required(call.value(argument)));
  Trace trace(call, "the function of checkpoint");
  std::vector<Tensor> given;
  for (Value operand : operands) {
    parameters.push_back(trace.argument(ir::getTensorType(operand), "input"));
    given.push_back(tensorOf(parameters.back()));
  }
  const std::vector<Tensor> made = call.runUserCode([&] { return f(given); });
  for (const Tensor &tensor : made)
    results.push_back(call.value(tensor));
  if (results.empty())
    call.valueError("the function returns an empty list; needed one tensor or more");
  trace.end();

  Body body(call, {&trace}, results);
  body.refuseSizesOf(results);
  llvm::append_range(operands, body.captures());
  llvm::append_range(parameters, body.captures());
  std::vector<mlir::Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  // The body before the op: the graph looks at both when it is told of the op.
  mlir::OperationState state(call.g.location(), ir::CheckpointOp::getOperationName());
  ir::CheckpointOp::build(call.builder, state, types, mlir::ValueRange(operands));
  state.addAttribute(ir::kDelayedAttr,
                     call.builder.getDenseI64ArrayAttr(delayedOf(call, operands)));
  state.regions.front()->push_back(body.build(parameters).release());
  auto op = llvm::cast<ir::CheckpointOp>(call.builder.create(state));
  std::vector<Tensor> tensors;
  for (Value y : op.getYs())
    tensors.push_back(call.tensor(y));
  return tensors;
}

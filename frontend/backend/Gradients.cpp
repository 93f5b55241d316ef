// K::gradients and K::stop_gradient.
#include "keratin/graph.h"

#include "frontend/graph/Call.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;

// The ops of the graph through which a gradient can flow to the loss, walked with an own stack.
static llvm::DenseSet<Value> differentiableInputs(Value loss) {
  llvm::DenseSet<Value> reached = {loss};
  std::vector<Value> stack = {loss};
  while (!stack.empty()) {
    auto op = llvm::dyn_cast<ir::DifferentiableOpInterface>(stack.back().getDefiningOp());
    stack.pop_back();
    if (!op)
      continue;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (op.isDifferentiableOperand(unsigned(i)) && reached.insert(operand).second)
        stack.push_back(operand);
  }
  return reached;
}

namespace keratin::backend {

std::vector<std::optional<Tensor>>
gradients(const Tensor &loss, const std::vector<Tensor> &variables, SourceLocation location) {
  Call call("gradients", location);
  std::vector<std::optional<Tensor>> result(variables.size());
  Value total = call.raw(loss);
  if (!isFloating(call.dtypeOf(total)))
    return result;
  llvm::DenseSet<Value> reached = differentiableInputs(total);
  total = call.g.reduceSum(total, call.axes(None, call.rank(total)));

  // Fed values and variables go into one op. A value in the middle of the graph has its own, since
  // within one op all of them are independent of each other.
  std::vector<size_t> leaves;
  std::vector<Value> leafValues;
  auto emit = [&](llvm::ArrayRef<Value> values) {
    std::vector<mlir::Type> types;
    for (Value value : values)
      types.push_back(value.getType());
    return call.builder.create<ir::GradientsOp>(call.g.location(), types, total,
                                                mlir::ValueRange(values));
  };
  for (auto [i, variable] : llvm::enumerate(variables)) {
    Value x = call.raw(variable);
    if (!reached.contains(x) || !isFloating(call.dtypeOf(x)))
      continue;
    if (x.getDefiningOp()->getNumOperands() == 0) {
      leaves.push_back(i);
      leafValues.push_back(x);
    } else {
      result[i] = call.tensor(emit({x}).getResult(0));
    }
  }
  if (!leaves.empty()) {
    ir::GradientsOp op = emit(leafValues);
    for (auto [i, place] : llvm::enumerate(leaves))
      result[place] = call.tensor(op.getResult(unsigned(i)));
  }
  return result;
}

Tensor stop_gradient(const Operand &operand, SourceLocation location) {
  Call call("stop_gradient", location);
  return call.tensor(
      call.builder.create<ir::StopGradientOp>(call.g.location(), call.value(operand)));
}

std::vector<Tensor> stop_gradient(const std::vector<Tensor> &variables, SourceLocation location) {
  std::vector<Tensor> result;
  for (const Tensor &variable : variables)
    result.push_back(stop_gradient(Operand(variable, location), location));
  return result;
}

} // namespace keratin::backend

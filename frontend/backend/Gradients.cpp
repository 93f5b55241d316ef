// K::gradients and K::stop_gradient.
#include "keratin/graph.h"

#include "frontend/graph/SparseParts.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// The values of the graph from which a gradient can flow to the loss, walked with an own stack
// through ops and the bodies of loops and branches.
class DifferentiableInputs {
public:
  explicit DifferentiableInputs(Value loss) {
    reach(loss);
    while (!stack.empty()) {
      Value value = stack.back();
      stack.pop_back();
      if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
        fromArgument(argument);
      else
        fromResult(llvm::cast<mlir::OpResult>(value));
    }
  }

  bool contains(Value value) const { return reached.contains(value); }

private:
  void reach(Value value) {
    if (isFloating(DType(ir::dtypeOf(ir::getElementType(value)))) && reached.insert(value).second)
      stack.push_back(value);
  }

  static Value yielded(mlir::Region &body, unsigned number) {
    return body.front().getTerminator()->getOperand(number);
  }

  void fromResult(mlir::OpResult result) {
    mlir::Operation *op = result.getOwner();
    if (auto loop = llvm::dyn_cast<ir::LoopOpInterface>(op)) {
      unsigned count = loop.getBody().front().getTerminator()->getNumOperands();
      for (unsigned i = 0; i < count; ++i)
        if (loop.getResultOf(i) == result) {
          reach(yielded(loop.getBody(), i));
          // Without a step the last state is the first.
          if (i < loop.getNumStates())
            reach(loop.getStateArguments()[i]);
        }
    } else if (auto branch = llvm::dyn_cast<ir::IfOp>(op)) {
      reach(yielded(branch.getThenBody(), result.getResultNumber()));
      reach(yielded(branch.getElseBody(), result.getResultNumber()));
    } else if (auto differentiable = llvm::dyn_cast<ir::DifferentiableOpInterface>(op)) {
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (differentiable.isDifferentiableOperand(unsigned(i)))
          reach(operand);
    }
  }

  void fromArgument(mlir::BlockArgument argument) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto branch = llvm::dyn_cast<ir::IfOp>(parent)) {
      reach(branch.getCaptures()[number]);
      return;
    }
    // The step's number, which is no float, comes first; the rest is as the operands are.
    auto loop = llvm::cast<ir::LoopOpInterface>(parent);
    reach(loop->getOperand(number - 1));
    if (number <= loop.getNumStates())
      reach(yielded(loop.getBody(), number - 1));
  }

  llvm::DenseSet<Value> reached;
  std::vector<Value> stack;
};

} // namespace

namespace keratin::backend {

std::vector<std::optional<Tensor>>
gradients(const Tensor &loss, const std::vector<Tensor> &variables, SourceLocation location) {
  Call call("gradients", location);
  std::vector<std::optional<Tensor>> result(variables.size());
  Value total = call.dense(loss);
  if (!isFloating(call.dtypeOf(total)))
    return result;
  DifferentiableInputs reached(total);
  total = call.g.reduceSum(total, call.axes(None, call.rank(total)));

  // A sparse tensor's gradient is that of its stored elements, at their places.
  auto differentiated = [&](const Tensor &variable) {
    Value x = call.raw(variable);
    std::optional<SparseParts> parts = sparseParts(x);
    return parts ? parts->values : x;
  };
  auto gradientOf = [&](const Tensor &variable, Value gradient) {
    std::optional<SparseParts> parts = sparseParts(call.raw(variable));
    if (!parts)
      return call.tensor(gradient);
    parts->values = gradient;
    return call.tensor(sparseMatrix(call, *parts));
  };

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
    Value x = differentiated(variable);
    if (!reached.contains(x) || !isFloating(call.dtypeOf(x)))
      continue;
    if (x.getDefiningOp()->getNumOperands() == 0) {
      leaves.push_back(i);
      leafValues.push_back(x);
    } else {
      result[i] = gradientOf(variable, emit({x}).getResult(0));
    }
  }
  if (!leaves.empty()) {
    ir::GradientsOp op = emit(leafValues);
    for (auto [i, place] : llvm::enumerate(leaves))
      result[place] = gradientOf(variables[place], op.getResult(unsigned(i)));
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

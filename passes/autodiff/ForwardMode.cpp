#include "passes/autodiff/ForwardMode.h"

#include "ir/builder/DifferentiablePaths.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace {

// The ops between the variable and a value, in the order of the block; nullopt if one of them is
// not what forward mode can walk through.
std::optional<SmallVector<Operation *>> stepsBetween(Value x, Value y) {
  SmallVector<Operation *> steps;
  DifferentiablePaths paths(y);
  for (Operation *op : paths.ops()) {
    if (op->getBlock() != x.getParentBlock())
      return std::nullopt;
    steps.push_back(op);
  }
  llvm::sort(steps, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::DenseSet<Value> active{x};
  bool chooses = false, isUnbounded = false, fits = true;
  llvm::erase_if(steps, [&](Operation *op) {
    if (op == x.getDefiningOp() || llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
          return active.contains(operand.get()) && isDifferentiableOperand(operand);
        }))
      return true;
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    fits &= differentiable && isa<ElementwiseOpInterface>(op) && op->getNumResults() == 1 &&
            op->getResult(0).getType() == x.getType();
    if (!fits)
      return false;
    chooses |= differentiable.choosesElements();
    isUnbounded |= differentiable.hasUnboundedDerivative();
    active.insert(op->getResult(0));
    return false;
  });
  if (!fits || (chooses && isUnbounded) || !active.contains(y))
    return std::nullopt;
  return steps;
}

// What the loss is the sum of; null if it is no sum of everything.
Value summedBy(Value loss) {
  if (auto sum = loss.getDefiningOp<ReduceSumOp>())
    return getTensorType(sum.getResult()).getRank() == 0 ? sum->getOperand(0) : Value();
  return loss;
}

// The derivative of the op's result, given those of its operands. What multiplies a cotangent of an
// elementwise op multiplies a tangent just so.
FailureOr<Value> derivativeOf(DifferentiableOpInterface op, OpBuilder &b,
                              const DenseMap<Value, Value> &tangents) {
  GraphMath g(b, gradientLocation(op));
  Value sum;
  for (OpOperand &operand : op->getOpOperands()) {
    Value tangent = tangents.lookup(operand.get());
    if (!tangent || !isDifferentiableOperand(operand))
      continue;
    SmallVector<Value> gradients;
    if (failed(op.buildVjp(b, {tangent}, gradients)))
      return failure();
    Value part = gradients[operand.getOperandNumber()];
    if (part)
      sum = sum ? g.add(sum, part) : part;
  }
  return sum;
}

} // namespace

FailureOr<Value> keratin::passes::differentiateForwards(GradientsOp op) {
  Value y = summedBy(op.getLoss());
  if (op.getXs().size() != 1 || !y || y.getType() != op.getXs().front().getType())
    return Value();
  Value x = op.getXs().front();
  std::optional<SmallVector<Operation *>> steps = stepsBetween(x, y);
  if (!steps)
    return Value();
  OpBuilder b(op);
  DenseMap<Value, Value> tangents{{x, GraphMath(b, op.getLoc()).oneLike(x)}};
  Operation *last = op->getPrevNode();
  for (Operation *step : *steps) {
    FailureOr<Value> tangent = derivativeOf(cast<DifferentiableOpInterface>(step), b, tangents);
    if (failed(tangent))
      return failure();
    if (*tangent)
      tangents[step->getResult(0)] = *tangent;
  }
  Value derivative = tangents.lookup(y);
  // Rules build the gradients of all operands.
  for (Operation *built = op->getPrevNode(); built != last;) {
    Operation *previous = built->getPrevNode();
    if (isOpTriviallyDead(built) && (!derivative || built != derivative.getDefiningOp()))
      built->erase();
    built = previous;
  }
  return derivative;
}

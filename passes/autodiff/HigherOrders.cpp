#include "passes/autodiff/HigherOrders.h"

#include "ir/builder/ForwardMode.h"
#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace mlir;

// What the loss is the sum of; null if it is no sum of everything.
static Value summedBy(Value loss) {
  if (auto sum = loss.getDefiningOp<ReduceSumOp>())
    return getTensorType(sum.getResult()).getRank() == 0 ? sum->getOperand(0) : Value();
  return loss;
}

// Whether each element of all values on the way depends on one element of x, and no zeros that were
// chosen meet an infinite derivative.
static bool areElementwise(ArrayRef<Operation *> ops, Value x) {
  bool chooses = false, isUnbounded = false;
  for (Operation *op : ops) {
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable || !isa<ElementwiseOpInterface>(op) || op->getNumResults() != 1 ||
        op->getResult(0).getType() != x.getType())
      return false;
    chooses |= differentiable.choosesElements();
    isUnbounded |= differentiable.hasUnboundedDerivative();
  }
  return !(chooses && isUnbounded);
}

FailureOr<Value> keratin::passes::differentiateForwards(GradientsOp op) {
  Value y = summedBy(op.getLoss());
  if (op.getXs().size() != 1 || !y || y.getType() != op.getXs().front().getType())
    return Value();
  Value x = op.getXs().front();
  OpBuilder b(op);
  ForwardMode walk(b, op.getLoc(), x);
  if (x.getParentBlock() != op->getBlock() || failed(walk.prepare(y)))
    return Value();
  if (!areElementwise(walk.ops(), x) || !walk.isActive(y))
    return Value();
  walk.seed(x, {GraphMath(b, op.getLoc()).oneLike(x), {}});
  if (failed(walk.run(ForwardMode::Place::AtBuilder)))
    return failure();
  return walk.tangentOf(y).value;
}

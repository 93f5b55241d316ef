// Replaces keratin.gradients by the ops that compute it: reverse mode, one walk.
#include "ir/builder/DifferentiablePaths.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace keratin::passes {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace mlir;

namespace {

// Null where no path from the loss arrived: an absent path adds nothing, not even zeros.
struct Cotangent {
  Value value;
  // Zero in places because an op on the way from the loss chose other elements there. What was not
  // chosen must not matter, infinite or not.
  bool hasChosenZeros = false;
};

class Expansion {
public:
  explicit Expansion(GradientsOp op) : gradients(op), builder(op), paths(op.getLoss()) {}

  LogicalResult run();
  // Ops that were differentiated; a bounded number is built for each.
  int64_t differentiated() const { return int64_t(order.size()); }

private:
  LogicalResult collectActiveOps();
  LogicalResult differentiate(Operation *op);
  void add(Value value, Cotangent cotangent);
  void eraseUnused(Operation *last, ArrayRef<Value> used);

  bool isActive(Value value) {
    return independent.contains(value) ||
           (value.getDefiningOp() && active.contains(value.getDefiningOp()));
  }

  GradientsOp gradients;
  OpBuilder builder;
  DifferentiablePaths paths;
  DenseSet<Value> independent;
  // Ops on a path from an independent value to the loss, in the order of the block.
  SmallVector<Operation *> order;
  DenseSet<Operation *> active;
  DenseMap<Value, Cotangent> cotangents;
};

LogicalResult Expansion::collectActiveOps() {
  independent.insert(gradients.getXs().begin(), gradients.getXs().end());
  for (Operation *op : paths.ops()) {
    if (op->getBlock() != gradients->getBlock())
      return emitGraphError(gradients)
             << "gradients: the loss depends on an op outside the block of its gradient";
    order.push_back(op);
  }
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::erase_if(order, [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isDifferentiableOperand(operand) && isActive(operand.get())) {
        active.insert(op);
        return false;
      }
    return true;
  });
  return success();
}

void Expansion::add(Value value, Cotangent cotangent) {
  Cotangent &sum = cotangents[value];
  sum.hasChosenZeros |= cotangent.hasChosenZeros;
  if (!sum.value) {
    sum.value = cotangent.value;
    return;
  }
  Operation *op = value.getDefiningOp();
  GraphMath g(builder, op ? gradientLocation(op) : gradients.getLoc());
  sum.value = g.add(sum.value, cotangent.value);
}

// An op builds the gradients of all its operands; those that nobody asked for go again at once, or
// a long chain would carry them to the next pass.
void Expansion::eraseUnused(Operation *last, ArrayRef<Value> used) {
  Operation *op = gradients->getPrevNode();
  while (op != last) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) &&
        llvm::none_of(op->getResults(), [&](Value v) { return llvm::is_contained(used, v); }))
      op->erase();
    op = previous;
  }
}

LogicalResult Expansion::differentiate(Operation *op) {
  SmallVector<Value> dys;
  bool reached = false, hasChosenZeros = false;
  for (Value result : op->getResults()) {
    Cotangent cotangent = cotangents.lookup(result);
    dys.push_back(cotangent.value);
    reached |= bool(cotangent.value);
    hasChosenZeros |= cotangent.hasChosenZeros;
  }
  if (!reached)
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return emitGraphError(op) << "gradient: " << op->getName() << " cannot be differentiated";

  Operation *last = gradients->getPrevNode();
  SmallVector<Value> built, used(op->getNumOperands());
  if (failed(differentiable.buildVjp(builder, dys, built)))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    if (!built[i] || !isDifferentiableOperand(operand) || !isActive(operand.get()))
      continue;
    if (built[i].getType() != operand.get().getType())
      return op->emitError("gradient: built ")
             << built[i].getType() << " for an operand of type " << operand.get().getType();
    used[i] = built[i];
    if (hasChosenZeros && differentiable.hasUnboundedDerivative())
      used[i] = GraphMath(builder, gradientLocation(op)).keepZeros(dys[0], built[i]);
  }
  eraseUnused(last, used);
  for (auto [i, gradient] : llvm::enumerate(used))
    if (gradient)
      add(op->getOperand(i), {gradient, hasChosenZeros || differentiable.choosesElements()});
  return success();
}

LogicalResult Expansion::run() {
  if (failed(collectActiveOps()))
    return failure();
  GraphMath g(builder, gradients.getLoc());
  Value loss = gradients.getLoss();
  if (isActive(loss))
    cotangents[loss].value = g.oneLike(loss);
  // The definition of an independent value is on a path only to others: their gradients are total.
  for (Operation *op : llvm::reverse(order))
    if (failed(differentiate(op)))
      return failure();
  for (auto [x, y] : llvm::zip(gradients.getXs(), gradients.getYs())) {
    Value gradient = cotangents.lookup(x).value;
    y.replaceAllUsesWith(gradient ? gradient : g.zeroLike(x));
  }
  gradients.erase();
  return success();
}

// Ops that the gradient of one op is made of, and some.
constexpr int64_t kMostBuilt = 64;

class DifferentiatePass : public keratin::passes::impl::DifferentiateBase<DifferentiatePass> {
public:
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    // In the order of the function: what a later gradient goes through is expanded before it.
    SmallVector<GradientsOp> all;
    getOperation().walk([&](GradientsOp op) { all.push_back(op); });
    int64_t room = maxOps - keratin::passes::countOps(getOperation());
    for (GradientsOp op : all) {
      Expansion expansion(op);
      if (failed(expansion.run()))
        return signalPassFailure();
      // Counted only where the most that may have been built is too much.
      room -= kMostBuilt * expansion.differentiated();
      if (room < 0)
        room = maxOps - keratin::passes::countOps(getOperation());
      if (room < 0) {
        emitGraphError(getOperation(), GraphError::TooLarge)
            << "gradients: the function grows beyond " << int64_t(maxOps) << " ops";
        return signalPassFailure();
      }
    }
  }
};

} // namespace

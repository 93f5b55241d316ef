// Replaces derivatives by the ops that compute them: gradients in reverse mode, one walk, and
// higher orders of elementwise functions in forward mode; tangents in forward mode.
#include "ir/builder/DifferentiablePaths.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/ReverseMode.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/autodiff/ExpandGradients.h"
#include "passes/autodiff/ExpandJvp.h"
#include "passes/autodiff/GivenGradients.h"
#include "passes/autodiff/HigherOrders.h"
#include "passes/simplify/BoundedRewrite.h"
#include "passes/simplify/CommonSubexpressions.h"

namespace keratin::passes {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace mlir;

namespace {

// Replaces an op whose results are gradients with respect to xs, of losses with these cotangents,
// or ones. Returns how many ops were differentiated; a bounded number is built for each.
FailureOr<int64_t> expandBackwards(Operation *op, OpBuilder &builder, ValueRange losses,
                                   ValueRange cotangents, ValueRange xs) {
  ReverseMode walk(builder, op->getLoc(), llvm::to_vector(losses), llvm::to_vector(xs));
  if (failed(walk.prepare()))
    return failure();
  GraphMath g(builder, op->getLoc());
  for (auto [i, loss] : llvm::enumerate(losses))
    if (walk.isActive(loss))
      walk.seed(loss, {cotangents.empty() ? g.oneLike(loss) : cotangents[i], {}});
  if (failed(walk.run()))
    return failure();
  for (auto [x, y] : llvm::zip(xs, op->getResults())) {
    Value gradient = walk.cotangentOf(x).value;
    y.replaceAllUsesWith(gradient ? gradient : g.zeroLike(x));
  }
  op->erase();
  return walk.differentiated();
}

FailureOr<int64_t> expand(GradientsOp op) {
  OpBuilder builder(op);
  return expandBackwards(op, builder, op->getOperands().take_front(1), {}, op.getXs());
}

FailureOr<int64_t> expand(VjpOp op) {
  OpBuilder builder(op);
  return expandBackwards(op, builder, op.getOutputs(), op.getCotangents(), op.getInputs());
}

// Ops that the gradient of one op is made of, and some.
constexpr int64_t kMostBuilt = 64;

struct DifferentiatePass : keratin::passes::impl::DifferentiateBase<DifferentiatePass> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    if (failed(keratin::passes::expandGradients(getOperation(), maxOps)))
      return signalPassFailure();
    keratin::passes::replaceGivenGradients(getOperation());
  }
};

} // namespace

// On a derivative of what depends on another derivative.
static constexpr StringLiteral kHigherOrder = "keratin.higher_order";

static SmallVector<Operation *> derivativesIn(Operation *within) {
  SmallVector<Operation *> all;
  within->walk([&](Operation *op) {
    if (isDerivative(op))
      all.push_back(op);
  });
  return all;
}

static void markHigherOrders(ArrayRef<Operation *> all) {
  if (all.size() < 2)
    return;
  for (Operation *op : all) {
    DifferentiablePaths paths(llvm::to_vector(derivativeOf(op)->losses));
    if (llvm::any_of(paths.ops(), isDerivative))
      op->setAttr(kHigherOrder, UnitAttr::get(op->getContext()));
  }
}

// Replaces the op, and gives how many ops were differentiated.
static FailureOr<int64_t> expandHigherOrder(GradientsOp op) {
  FailureOr<Value> derivative = keratin::passes::differentiateForwards(op);
  if (failed(derivative))
    return failure();
  if (!*derivative)
    return expand(op);
  int64_t differentiated = 1 + DifferentiablePaths(op.getLoss()).ops().size();
  op.getResult(0).replaceAllUsesWith(*derivative);
  op.erase();
  return differentiated;
}

static FailureOr<int64_t> expandAny(Operation *op, bool isHigher) {
  if (auto jvp = dyn_cast<JvpOp>(op))
    return keratin::passes::expandJvp(jvp);
  if (auto vjp = dyn_cast<VjpOp>(op))
    return expand(vjp);
  auto gradients = cast<GradientsOp>(op);
  return isHigher ? expandHigherOrder(gradients) : expand(gradients);
}

LogicalResult keratin::passes::expandGradients(func::FuncOp function, int64_t maxOps,
                                               Operation *within) {
  // In the order of the function: what a later derivative goes through is expanded before it.
  if (!within)
    within = function;
  SmallVector<Operation *> all = derivativesIn(within);
  markHigherOrders(all);
  int64_t ops = countOps(function), room = maxOps - ops, built = 0;
  for (size_t next = 0; next < all.size();) {
    bool isHigher = all[next]->hasAttr(kHigherOrder);
    // Each order has much in common with the one before. Merging takes as long as the function is,
    // so it waits until that has grown by a part.
    if (isHigher && built > ops / 4) {
      eliminateCommonSubexpressions(function);
      ops = countOps(function);
      room = maxOps - ops;
      built = 0;
      all = derivativesIn(within);
      next = 0;
      continue;
    }
    FailureOr<int64_t> differentiated = expandAny(all[next++], isHigher);
    if (failed(differentiated))
      return failure();
    built += *differentiated;
    // Counted only where the most that may have been built is too much.
    room -= kMostBuilt * *differentiated;
    if (room < 0)
      room = maxOps - countOps(function);
    if (room < 0)
      return emitGraphError(function, GraphError::TooLarge)
             << "gradients: the function grows beyond " << maxOps << " ops";
  }
  return success();
}

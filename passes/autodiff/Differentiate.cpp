// Replaces keratin.gradients by the ops that compute it: reverse mode, one walk; higher orders of
// elementwise functions in forward mode.
#include "ir/builder/DifferentiablePaths.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/ReverseMode.h"
#include "ir/dialect/GraphError.h"
#include "passes/Passes.h"
#include "passes/autodiff/ExpandGradients.h"
#include "passes/autodiff/ForwardMode.h"
#include "passes/simplify/BoundedRewrite.h"
#include "passes/simplify/CommonSubexpressions.h"

namespace keratin::passes {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace mlir;

namespace {

// Returns how many ops were differentiated; a bounded number is built for each.
FailureOr<int64_t> expand(GradientsOp op) {
  OpBuilder builder(op);
  SmallVector<Value> xs(op.getXs());
  ReverseMode walk(builder, op.getLoc(), op.getLoss(), xs);
  if (failed(walk.prepare()))
    return failure();
  GraphMath g(builder, op.getLoc());
  if (walk.isActive(op.getLoss()))
    walk.seed(op.getLoss(), {g.oneLike(op.getLoss()), {}});
  if (failed(walk.run()))
    return failure();
  for (auto [x, y] : llvm::zip(op.getXs(), op.getYs())) {
    Value gradient = walk.cotangentOf(x).value;
    y.replaceAllUsesWith(gradient ? gradient : g.zeroLike(x));
  }
  op.erase();
  return walk.differentiated();
}

// Ops that the gradient of one op is made of, and some.
constexpr int64_t kMostBuilt = 64;

struct DifferentiatePass : keratin::passes::impl::DifferentiateBase<DifferentiatePass> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    if (failed(keratin::passes::expandGradients(getOperation(), maxOps)))
      signalPassFailure();
  }
};

} // namespace

// On a gradient whose loss depends on another gradient.
static constexpr StringLiteral kHigherOrder = "keratin.higher_order";

static SmallVector<GradientsOp> gradientsOf(func::FuncOp function) {
  SmallVector<GradientsOp> all;
  function.walk([&](GradientsOp op) { all.push_back(op); });
  return all;
}

static void markHigherOrders(ArrayRef<GradientsOp> all) {
  if (all.size() < 2)
    return;
  for (GradientsOp op : all)
    if (llvm::any_of(DifferentiablePaths(op.getLoss()).ops(), llvm::IsaPred<GradientsOp>))
      op->setAttr(kHigherOrder, UnitAttr::get(op.getContext()));
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

LogicalResult keratin::passes::expandGradients(func::FuncOp function, int64_t maxOps) {
  // In the order of the function: what a later gradient goes through is expanded before it.
  SmallVector<GradientsOp> all = gradientsOf(function);
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
      all = gradientsOf(function);
      next = 0;
      continue;
    }
    GradientsOp op = all[next++];
    FailureOr<int64_t> differentiated = isHigher ? expandHigherOrder(op) : expand(op);
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

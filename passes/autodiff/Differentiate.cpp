// Replaces keratin.gradients by the ops that compute it: reverse mode, one walk.
#include "ir/builder/GraphMath.h"
#include "ir/builder/ReverseMode.h"
#include "ir/dialect/GraphError.h"
#include "passes/Passes.h"
#include "passes/autodiff/ExpandGradients.h"
#include "passes/simplify/BoundedRewrite.h"

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

LogicalResult keratin::passes::expandGradients(func::FuncOp function, int64_t maxOps) {
  // In the order of the function: what a later gradient goes through is expanded before it.
  SmallVector<GradientsOp> all;
  function.walk([&](GradientsOp op) { all.push_back(op); });
  int64_t room = maxOps - countOps(function);
  for (GradientsOp op : all) {
    FailureOr<int64_t> differentiated = expand(op);
    if (failed(differentiated))
      return failure();
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

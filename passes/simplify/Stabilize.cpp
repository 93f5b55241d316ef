#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"
#include "passes/simplify/GradientPins.h"
#include "passes/simplify/Patterns.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_STABILIZE
#include "passes/Passes.h.inc"

namespace {
struct StabilizePass : impl::StabilizeBase<StabilizePass> {
  using StabilizeBase::StabilizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    before = makePatterns(context, RewritePhase::BeforeGradients);
    after = makePatterns(context, RewritePhase::AfterGradients);
    return success();
  }

  void runOnOperation() override {
    GradientPins pins(getOperation());
    rewriteWithin(getOperation(), pins.beforeGradients() ? before : after, maxOps);
  }

private:
  static FrozenRewritePatternSet makePatterns(MLIRContext *context, RewritePhase phase) {
    RewritePatternSet set(context);
    // The form in which the stability rules look for constants and repeated values.
    populateConstantFormPatterns(set);
    populateBroadcastPatterns(set, phase);
    populateStabilityPatterns(set, phase);
    populateSoftmaxPatterns(set, phase);
    return set;
  }

  FrozenRewritePatternSet before, after;
};
} // namespace
} // namespace keratin::passes

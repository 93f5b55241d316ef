#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"
#include "passes/simplify/GradientPins.h"
#include "passes/simplify/Patterns.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_CANONICALIZE
#include "passes/Passes.h.inc"

namespace {
struct CanonicalizePass : impl::CanonicalizeBase<CanonicalizePass> {
  using CanonicalizeBase::CanonicalizeBase;

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
    populateConstantFormPatterns(set);
    populateAlgebraPatterns(set);
    populateBroadcastPatterns(set, phase);
    populateMovementPatterns(set);
    populateReductionPatterns(set);
    populateContractionPatterns(set);
    return set;
  }

  FrozenRewritePatternSet before, after;
};
} // namespace
} // namespace keratin::passes

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
    RewritePatternSet set(context);
    populateConstantFormPatterns(set);
    populateAlgebraPatterns(set);
    populateBroadcastPatterns(set);
    populateMovementPatterns(set);
    populateReductionPatterns(set);
    populateContractionPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GradientPins pins(getOperation());
    rewriteWithin(getOperation(), patterns, maxOps);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
} // namespace keratin::passes

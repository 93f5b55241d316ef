#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_STABILIZE
#include "passes/Passes.h.inc"

namespace {
struct StabilizePass : impl::StabilizeBase<StabilizePass> {
  using StabilizeBase::StabilizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns.emplace(context, [](RewritePatternSet &set, RewritePhase phase) {
      // The form in which the stability rules look for constants and repeated values.
      populateConstantFormPatterns(set);
      populateBroadcastPatterns(set, phase);
      populateStabilityPatterns(set, phase);
      populateSoftmaxPatterns(set, phase);
    });
    return success();
  }

  void runOnOperation() override { patterns->apply(getOperation(), maxOps); }

  std::optional<PhasedPatterns> patterns;
};
} // namespace
} // namespace keratin::passes

#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_STABILIZE
#include "passes/Passes.h.inc"

namespace {
struct StabilizePass : impl::StabilizeBase<StabilizePass> {
  using StabilizeBase::StabilizeBase;

  void runOnOperation() override { patterns.apply(getOperation(), maxOps); }

private:
  static void populate(RewritePatternSet &set, RewritePhase phase) {
    // The form in which the stability rules look for constants and repeated values.
    populateConstantFormPatterns(set);
    populateBroadcastPatterns(set, phase);
    populateStabilityPatterns(set, phase);
    populateSoftmaxPatterns(set, phase);
  }

  PhasedPatterns patterns{populate};
};
} // namespace
} // namespace keratin::passes

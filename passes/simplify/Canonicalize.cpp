#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_CANONICALIZE
#include "passes/Passes.h.inc"

namespace {
struct CanonicalizePass : impl::CanonicalizeBase<CanonicalizePass> {
  using CanonicalizeBase::CanonicalizeBase;

  void runOnOperation() override { patterns.apply(getOperation(), maxOps); }

private:
  static void populate(RewritePatternSet &set, RewritePhase phase) {
    populateConstantFormPatterns(set);
    populateAlgebraPatterns(set);
    populateBroadcastPatterns(set, phase);
    populateMovementPatterns(set);
    populateReshapePatterns(set);
    populateReductionPatterns(set);
    populateContractionPatterns(set);
    populateConvolutionPatterns(set);
  }

  PhasedPatterns patterns{populate};
};
} // namespace
} // namespace keratin::passes

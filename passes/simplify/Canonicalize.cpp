#include "passes/Passes.h"
#include "passes/simplify/BoundedRewrite.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_CANONICALIZE
#include "passes/Passes.h.inc"

namespace {
struct CanonicalizePass : impl::CanonicalizeBase<CanonicalizePass> {
  using CanonicalizeBase::CanonicalizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns.emplace(context, [](RewritePatternSet &set, RewritePhase phase) {
      populateConstantFormPatterns(set);
      populateAlgebraPatterns(set);
      populateBroadcastPatterns(set, phase);
      populateMovementPatterns(set);
      populateReductionPatterns(set);
      populateContractionPatterns(set);
      populateConvolutionPatterns(set);
    });
    return success();
  }

  void runOnOperation() override { patterns->apply(getOperation(), maxOps); }

  std::optional<PhasedPatterns> patterns;
};
} // namespace
} // namespace keratin::passes

#include "passes/Passes.h"
#include "passes/simplify/GradientPins.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_ELIMINATECOMMONSUBEXPRESSIONS
#include "passes/Passes.h.inc"

namespace {
struct EliminateCommonSubexpressionsPass
    : impl::EliminateCommonSubexpressionsBase<EliminateCommonSubexpressionsPass> {
  void runOnOperation() override {
    GradientPins pins(getOperation());
    IRRewriter rewriter(&getContext());
    mlir::eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(), getOperation());
    // Users stand behind what they use, so one walk from the end removes whole dead chains.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }
};
} // namespace
} // namespace keratin::passes

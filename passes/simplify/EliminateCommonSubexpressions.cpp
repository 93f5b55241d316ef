#include "passes/simplify/CommonSubexpressions.h"

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

void eliminateCommonSubexpressions(func::FuncOp function) {
  GradientPins pins(function);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
  // Users stand behind what they use, so one walk from the end removes whole dead chains.
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {
struct EliminateCommonSubexpressionsPass
    : impl::EliminateCommonSubexpressionsBase<EliminateCommonSubexpressionsPass> {
  void runOnOperation() override { eliminateCommonSubexpressions(getOperation()); }
};
} // namespace
} // namespace keratin::passes

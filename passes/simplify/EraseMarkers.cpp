#include "ir/dialect/LocalStatistics.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_ERASEMARKERS
#include "passes/Passes.h.inc"

namespace {
struct EraseMarkersPass : impl::EraseMarkersBase<EraseMarkersPass> {
  void runOnOperation() override {
    WalkResult derivatives = getOperation().walk([](Operation *op) {
      if (!isDerivative(op))
        return WalkResult::advance();
      op->emitError("gradients must be expanded before markers are erased");
      return WalkResult::interrupt();
    });
    if (derivatives.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](Operation *op) {
      if (!isa<StopGradientOp, IdentityOp, DependOp, EnterRankOp, LeaveRankOp, AverageRanksOp>(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
    getOperation()->removeAttr(kLocalStatisticsAttr);
  }
};
} // namespace
} // namespace keratin::passes

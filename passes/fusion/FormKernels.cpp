// Which ops become one kernel: groups of them by FusionPolicy, which KernelWriter makes kernels of.
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/fusion/KernelWriter.h"
#include "passes/fusion/RowUpdates.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"

namespace {

// What is waited for is what the value is made of, where making it costs nothing: it would be put
// into memory for that alone.
void settleDelay(DelayOp delay) {
  Value after = delay.getAfter();
  Operation *maker = after.getDefiningOp();
  while (maker && maker->getNumOperands() == 1 &&
         (isFreeToRepeat(maker) || isWidening(maker) || isa<ReshapeOp>(maker))) {
    after = maker->getOperand(0);
    maker = after.getDefiningOp();
  }
  if (maker && maker->getNumOperands() != 0) {
    delay.getAfterMutable().assign(after);
  } else {
    delay.replaceAllUsesWith(delay.getX());
    delay.erase();
  }
}

struct FormKernelsPass : impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock()) {
      emitGraphError(getOperation()) << "needs a body of one block";
      return signalPassFailure();
    }
    if (failed(formKernels()))
      signalPassFailure();
  }

private:
  // Regions see nothing of what is outside, so that the order of blocks matters to nobody. Ops that
  // define sizes are made anew with the kernels of their block: those of all are found before.
  LogicalResult formKernels() {
    getOperation().walk(settleDelay);
    if (fuse && updateRows)
      checkUpdatedRows(getOperation());
    FailureOr<ComputedSizes> sizes = ComputedSizes::of(getOperation());
    if (failed(sizes))
      return failure();
    std::vector<std::pair<Block *, ComputedSizes>> blocks;
    WalkResult walked = getOperation().walk([&](Block *block) {
      for (Operation &op : *block)
        if (isa<KernelOp>(op)) {
          emitGraphError(&op) << "a kernel stands in the graph already; kernels do not nest";
          return WalkResult::interrupt();
        }
      blocks.emplace_back(block, sizes->in(*block));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    FusionPolicy policy({maxOps, maxTileTensors, maxRecomputed, maxMoves, smallElements, fuseRandom,
                         randomLine, columns});
    for (auto &[block, defined] : blocks) {
      KernelGroups groups(*block, defined, policy, {fuse, updateRows, attention});
      groups.form();
      if (failed(KernelWriter(*block, groups).run()))
        return failure();
    }
    return success();
  }
};

} // namespace
} // namespace keratin::passes

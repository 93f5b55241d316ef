// Maps that were asked for as ops on all elements.
#include "passes/Passes.h"
#include "passes/autodiff/ExpandGradients.h"
#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepBatcher.h"
#include "passes/loops/StepVariation.h"
#include "passes/simplify/BoundedRewrite.h"
#include "passes/simplify/GradientPins.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/VectorizedMap.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_VECTORIZE
#include "passes/Passes.h.inc"

namespace {

// The first marked scan with none inside it.
ScanOp nextMap(func::FuncOp function) {
  ScanOp found;
  function.walk([&](ScanOp scan) {
    found = scan;
    return scan->hasAttr(kVectorizedAttr) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found && found->hasAttr(kVectorizedAttr) ? found : ScanOp();
}

// Why the map stays a loop; empty if it need not.
StringRef whyWhole(ScanOp scan) {
  if (scan.getNumStates() != 0)
    return "it hands states from element to element";
  auto areCountable = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      return stackType(getTensorType(value), scan.getSteps()).has_value();
    });
  };
  WalkResult walk = scan.getBody().walk([&](Block *block) {
    bool fits = areCountable(block->getArguments());
    for (Operation &op : *block)
      fits &= areCountable(op.getResults());
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? "the values of all elements would be too many to count" : "";
}

void vectorize(ScanOp scan) {
  Block &body = scan.getBody().front();
  OpBuilder builder(scan);
  GraphMath g(builder, scan.getLoc());
  SmallVector<Value> varying(scan.getElementArguments());
  varying.push_back(scan.getStepNumber());
  StepVariation variation(body, varying);
  StepBatcher batcher(builder, scan.getSteps(), &variation);
  auto type = getTensorType({scan.getSteps()}, builder.getI64Type());
  batcher.map(scan.getStepNumber(), {g.iota(type, 0), /*varies=*/true});
  for (auto [argument, sequence] : llvm::zip(scan.getElementArguments(), scan.getSequences()))
    batcher.map(argument, {sequence, /*varies=*/true});
  for (auto [argument, capture] : llvm::zip(scan.getCaptureArguments(), scan.getCaptures()))
    batcher.map(argument, {capture});
  batcher.batchBlock(body);
  for (auto [result, value] : llvm::zip(scan.getStacks(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(batcher.forAllSteps(value, g));
  scan.erase();
}

struct VectorizePass : impl::VectorizeBase<VectorizePass> {
  using VectorizeBase::VectorizeBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool changed = false;
    while (ScanOp scan = nextMap(function)) {
      changed = true;
      scan->removeAttr(kVectorizedAttr);
      if (isOpTriviallyDead(scan)) {
        scan.erase();
        continue;
      }
      // Those of what the body computes; they are no business of its elements.
      if (failed(expandGradients(function, maxOps, scan)))
        return signalPassFailure();
      if (StringRef why = whyWhole(scan); !why.empty()) {
        scan->setAttr(kLoopedAttr, StringAttr::get(&getContext(), why));
        continue;
      }
      GradientPins pins(function);
      vectorize(scan);
      if (countOps(function) > maxOps) {
        emitGraphError(function, GraphError::TooLarge)
            << "vectorized_map: the function grows beyond " << int64_t(maxOps) << " ops";
        return signalPassFailure();
      }
    }
    if (changed)
      eraseDeadOps(function);
  }
};

} // namespace
} // namespace keratin::passes

#include "passes/loops/CheapValues.h"

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Elements of a constant that may stand in several bodies.
static constexpr int64_t kSmallConstant = 16;
// Loops and branches that a value may be handed through on the way to its users.
static constexpr int kMaxNesting = 8;

// The argument of a loop's body for one of its captures; null for what is no capture.
static BlockArgument captureArgument(OpOperand &use) {
  auto loop = dyn_cast<LoopOpInterface>(use.getOwner());
  unsigned first = loop ? loop.getInits().size() + loop.getSequences().size() : 0;
  if (!loop || use.getOperandNumber() < first)
    return {};
  return loop.getCaptureArguments()[use.getOperandNumber() - first];
}

static bool usersFuse(Value value, int nesting) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto branch = dyn_cast<IfOp>(user))
      return use.getOperandNumber() > 0 && nesting < kMaxNesting &&
             llvm::all_of(
                 branch->getRegions(),
                 [&](Region &region) {
                   return usersFuse(region.getArgument(use.getOperandNumber() - 1), nesting + 1);
                 });
    if (BlockArgument argument = captureArgument(use))
      return nesting < kMaxNesting && usersFuse(argument, nesting + 1);
    return isa<ElementwiseOpInterface, IndexingOpInterface, ReductionOpInterface>(user);
  });
}

bool usersFuse(Value value) { return usersFuse(value, 0); }

bool isCheapInside(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ||
           constant.getValue().getNumElements() <= kSmallConstant;
  return op && isa<IndexingOpInterface>(op) && costsNothing(op) && usersFuse(value);
}

bool isCheapArithmetic(Operation *op) { return isa<ElementwiseOpInterface>(op) && !isCostly(op); }

bool canFailInside(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return canFail(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace keratin::passes

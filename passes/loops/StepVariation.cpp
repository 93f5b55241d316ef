#include "passes/loops/StepVariation.h"

#include "ir/dialect/GivenGradients.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// An effect of the op itself. That which defines a size has one, so that it stays where it is, and
// is no such thing.
static bool hasEffect(Operation *op) {
  return op->getNumRegions() == 0 && !isMemoryEffectFree(op) && !symbolDefinedBy(op);
}

StepVariation::StepVariation(Block &body, ValueRange varyingArguments) {
  markAll(varyingArguments);
  // What states hand on may be found varying behind what reads them.
  do {
    changed = false;
    visit(body);
  } while (changed);
}

bool StepVariation::hasVaryingSize(Operation *op) const {
  bool found = false;
  if (!varyingSizes.empty())
    forEachSymbol(op, [&](int64_t symbol) { found |= varyingSizes.contains(symbol); });
  return found;
}

bool StepVariation::isDoneForEach(Operation *op) const {
  if (hasVaryingSize(op))
    return true;
  if (isa<DimOp>(op))
    return false;
  if (llvm::any_of(op->getOperands(), [&](Value operand) { return varies(operand); }))
    return true;
  return op
      ->walk([](Operation *inner) {
        return hasEffect(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void StepVariation::markLike(ValueRange values, ValueRange others) {
  for (auto [value, other] : llvm::zip(values, others))
    if (varies(other))
      mark(value);
}

void StepVariation::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    visitSize(&op);
    if (hasVaryingSize(&op))
      markAll(op.getResults());
    if (auto loop = dyn_cast<LoopOpInterface>(op))
      visit(loop);
    else if (auto branch = dyn_cast<IfOp>(op))
      visit(branch);
    else if (auto checkpoint = dyn_cast<CheckpointOp>(op))
      visit(checkpoint);
    else if (auto custom = dyn_cast<CustomGradientOp>(op))
      visit(custom);
    else if (isDoneForEach(&op))
      markAll(op.getResults());
  }
}

// What an op defines.
void StepVariation::visitSize(Operation *op) {
  std::optional<int64_t> symbol = symbolDefinedBy(op);
  if (!symbol)
    return;
  Value size;
  if (auto loop = dyn_cast<WhileOp>(op))
    size = loop.getStateArguments()[0]; // the condition
  else if (auto truncate = dyn_cast<TruncateOp>(op))
    size = truncate.getSize();
  else
    size = cast<DefineSizeOp>(op).getSize();
  if (varies(size))
    changed |= varyingSizes.insert(*symbol).second;
}

void StepVariation::visit(LoopOpInterface loop) {
  markLike(loop.getStateArguments(), loop.getInits());
  markLike(loop.getElementArguments(), loop.getSequences());
  markLike(loop.getCaptureArguments(), loop.getCaptures());
  Block &body = loop.getBody().front();
  visit(body);
  ValueRange yielded = body.getTerminator()->getOperands();
  markLike(loop.getStateArguments(), yielded.take_front(loop.getNumStates()));
  if (auto unknown = dyn_cast<WhileOp>(*loop); unknown && varies(loop.getStateArguments()[0])) {
    // It ends for some before it does for others, who go on.
    markAll(loop.getStateArguments());
    markAll(loop->getResults());
  }
  markLike(loop.getLastStates(), loop.getStateArguments());
  markLike(loop.getStacks(), yielded.drop_front(loop.getNumStates()));
}

void StepVariation::visit(IfOp branch) {
  for (Region *region : {&branch.getThenBody(), &branch.getElseBody()}) {
    Block &body = region->front();
    markLike(body.getArguments(), branch.getCaptures());
    visit(body);
    markLike(branch.getYs(), body.getTerminator()->getOperands());
  }
  if (varies(branch.getCondition()))
    markAll(branch.getYs());
}

void StepVariation::visit(CheckpointOp checkpoint) {
  Block &body = checkpoint.getBody().front();
  markLike(body.getArguments(), checkpoint.getInputs());
  visit(body);
  markLike(checkpoint.getYs(), body.getTerminator()->getOperands());
}

// Each step has cotangents of its own, whatever is the same in all; what is has one tangent.
void StepVariation::visit(CustomGradientOp op) {
  if (!isDoneForEach(op))
    return;
  markAll(op.getYs());
  Block &body = op.getBody().front();
  const size_t given = body.getNumArguments() - op.getCaptures().size();
  if (op.getForward())
    markLike(body.getArguments().take_front(given), op.getInputs());
  else
    markAll(body.getArguments().take_front(given));
  markLike(body.getArguments().drop_front(given), op.getCaptures());
  for (size_t i = 0, e = capturedResults(op).size(); i < e; ++i)
    mark(body.getArgument(given + i));
  visit(body);
}

} // namespace keratin::passes

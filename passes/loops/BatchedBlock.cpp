// All ops of a block for all steps at once, and which of them stay loops.
#include "passes/loops/CheapValues.h"
#include "passes/loops/StepBatcher.h"
#include "passes/loops/StepVariation.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

//===-- What stays a loop ---------------------------------------------------------------------===//

// Whether something in the region must not be done unless it is asked for: what may fail, print or
// never end.
static bool mustBeWanted(Region &region) {
  return region
      .walk([](Operation *op) {
        auto loop = dyn_cast<WhileOp>(op);
        bool hasEffect = op->getNumRegions() == 0 && !isMemoryEffectFree(op);
        bool isEndless = loop && !loop.getAtMost();
        return canFail(op) || hasEffect || isEndless || symbolDefinedBy(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

StringRef StepBatcher::whyLooped(WhileOp op) const {
  if (!variation->varies(op.getStateArguments()[0]))
    return "";
  if (op.getLength())
    return "its stacks have a length of their own for each element";
  // Who is done does further steps in vain.
  if (mustBeWanted(op.getBody()))
    return "a step may fail, print or never end";
  return "";
}

StringRef StepBatcher::whyLooped(IfOp op) const {
  if (!varies(op.getCondition()))
    return "";
  if (mustBeWanted(op.getThenBody()) || mustBeWanted(op.getElseBody()))
    return "a branch may fail, print or never end";
  return "";
}

// Empty for an op that make() makes.
StringRef StepBatcher::whyLooped(Operation *op) const {
  if (auto loop = dyn_cast<WhileOp>(op))
    return whyLooped(loop);
  if (auto branch = dyn_cast<IfOp>(op))
    return whyLooped(branch);
  if (isa<RandomBitsOp>(op))
    return "each element draws numbers of its own";
  if (isa<PrintOp>(op))
    return "each element prints";
  return isMappable(op) ? "" : "it has no form for all elements";
}

// Ops that have sizes which differ from step to step, with all that stands between them.
DenseSet<Operation *> StepBatcher::sizedByStep(Block &block) const {
  DenseSet<Operation *> mentioning, following, leading;
  for (Operation &op : block.without_terminator())
    if (variation->hasVaryingSize(&op))
      mentioning.insert(&op);
  if (mentioning.empty())
    return {};
  for (Operation &op : block.without_terminator())
    if (mentioning.contains(&op) || llvm::any_of(op.getOperands(), [&](Value operand) {
          return following.contains(operand.getDefiningOp());
        }))
      following.insert(&op);
  DenseSet<Operation *> all;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (mentioning.contains(&op) ||
        llvm::any_of(op.getUsers(), [&](Operation *user) { return leading.contains(user); })) {
      leading.insert(&op);
      if (following.contains(&op))
        all.insert(&op);
    }
  return all;
}

//===-- Making --------------------------------------------------------------------------------===//

// What is the same in each step. If it may fail, only where there is a step.
void StepBatcher::makeOnce(Operation *op) {
  IRMapping mapping;
  auto mapOperands = [&](ValueRange operands) {
    for (auto [inside, operand] : llvm::zip(op->getOperands(), operands))
      mapping.map(inside, operand);
  };
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand).value);
  ValueRange made;
  bool hasStep = steps.isConstant() && steps.constantValue() > 0;
  if (hasStep || !canFailInside(op) || symbolDefinedBy(op)) {
    mapOperands(operands);
    made = builder.clone(*op, mapping)->getResults();
  } else {
    GraphMath g(builder, op->getLoc());
    Type type = builder.getI64Type();
    Value count = g.count(g.splat(0, getTensorType({steps}, type)), {0}, type);
    made = buildIf(
               g, g.greater(count, g.zeroLike(count)), operands,
               [&](GraphMath &inner, ValueRange captures) -> SmallVector<Value> {
                 mapOperands(captures);
                 return inner.builder().clone(*op, mapping)->getResults();
               },
               [&](GraphMath &inner, ValueRange) {
                 SmallVector<Value> zeros;
                 for (Type type : op->getResultTypes())
                   zeros.push_back(inner.splat(0, cast<RankedTensorType>(type)));
                 return zeros;
               })
               ->getResults();
  }
  for (auto [inside, value] : llvm::zip(op->getResults(), made))
    known[inside] = {value};
}

// One loop for these ops, which reads and stacks what the others have to do with.
void StepBatcher::makeLoop(ArrayRef<Operation *> ops, StringRef why) {
  llvm::SetVector<Value> sequences, captures, stacked;
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  GraphMath g(builder, ops.front()->getLoc());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()))
        (varies(operand) ? sequences : captures).insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        stacked.insert(result);
  }
  auto outside = [&](ArrayRef<Value> values) {
    SmallVector<Value> result;
    for (Value value : values)
      result.push_back(lookup(value).value);
    return result;
  };
  auto step = [&](GraphMath &inner, LoopStep &step) {
    IRMapping mapping;
    for (auto [value, element] : llvm::zip(sequences, step.elements))
      mapping.map(value, element);
    for (auto [value, captured] : llvm::zip(captures, step.captures))
      mapping.map(value, captured);
    for (Operation *op : ops)
      inner.builder().clone(*op, mapping);
    for (Value value : stacked)
      step.stacked.push_back(mapping.lookup(value));
  };
  SmallVector<Value> elements = outside(sequences.getArrayRef()),
                     captured = outside(captures.getArrayRef());
  ScanOp loop = buildScan(g, steps, {{}, elements, captured}, step);
  loop->setAttr(kLoopedAttr, builder.getStringAttr(why));
  for (auto [inside, stack] : llvm::zip(stacked, loop.getStacks()))
    known[inside] = {stack, /*varies=*/true};
}

void StepBatcher::makeFor(Operation *op) {
  if (isa<DimOp>(op))
    batch(op);
  else if (!variation->isDoneForEach(op))
    makeOnce(op);
  else if (StringRef why = whyLooped(op); !why.empty())
    makeLoop(op, why);
  else
    batch(op);
}

void StepBatcher::batchBlock(Block &block) {
  DenseSet<Operation *> sized = sizedByStep(block), waiting(sized);
  SmallVector<Operation *> loop, later;
  for (Operation &op : block.without_terminator()) {
    if (sized.contains(&op)) {
      loop.push_back(&op);
    } else if (llvm::any_of(op.getOperands(), [&](Value operand) {
                 return waiting.contains(operand.getDefiningOp());
               })) {
      waiting.insert(&op);
      later.push_back(&op);
    } else {
      makeFor(&op);
    }
  }
  if (!loop.empty())
    makeLoop(loop, "sizes differ between elements");
  for (Operation *op : later)
    makeFor(op);
}

} // namespace keratin::passes

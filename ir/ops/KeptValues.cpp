#include "ir/ops/KeptValues.h"

#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

Value keratin::ir::withoutEffects(Value value) {
  while (isa_and_nonnull<PrintOp, DependOp, RequireOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

void keratin::ir::dropEffects(Block &block) {
  block.walk([](Operation *op) {
    for (Value result : op->getResults())
      if (Value plain = withoutEffects(result); plain != result)
        result.replaceAllUsesWith(plain);
  });
  block.walk([](PrintOp print) { print.erase(); });
}

// Whether computing it again costs less than a trip to memory.
static bool isCheap(Operation *op) {
  return costsNothing(op) ||
         (isa<ElementwiseOpInterface, IndexingOpInterface, RandomBitsOp>(op) && !isCostly(op));
}

namespace {

class KeptValues {
public:
  KeptValues(Block &block, Operation *end, ValueRange states, ValueRange captures)
      : block(block), end(end), states(states.begin(), states.end()),
        invariant(captures.begin(), captures.end()), sizes(block) {}

  llvm::SetVector<Value> run();

private:
  // What is missing to compute a value: nothing, one value that would have to be kept, or several.
  struct Missing {
    enum { None, One, Several } count = None;
    Value value;
  };

  Missing missingFor(Value value) const;
  Missing missingFor(Operation *op) const;
  void keepFor(Value value);
  void need(Operation *op);
  // Whether steps have one type of it, as a stack of it needs.
  bool canBeKept(Value value) const { return !sizes.mentionedIn(value.getType()); }
  bool isNeeded(Value value) const { return needed.contains(value); }

  Block &block;
  Operation *end;
  DenseSet<Value> states, invariant;
  LocalSizes sizes;
  DenseSet<Value> needed; // by the ops of the gradient, and by those that are done again for them
  DenseSet<Operation *> doneAgain; // at any cost
  DenseMap<Value, Missing> missing;
  llvm::SetVector<Value> kept;
};

} // namespace

KeptValues::Missing KeptValues::missingFor(Value value) const {
  value = withoutEffects(value);
  if (kept.contains(value))
    return {};
  if (states.contains(value))
    return {Missing::One, value};
  Missing found = missing.lookup(value);
  return found.count == Missing::One && kept.contains(found.value) ? Missing() : found;
}

KeptValues::Missing KeptValues::missingFor(Operation *op) const {
  Missing sum;
  for (Value operand : op->getOperands()) {
    Missing part = missingFor(operand);
    if (part.count == Missing::None)
      continue;
    bool isSame =
        part.count == Missing::One && sum.count == Missing::One && part.value == sum.value;
    if (sum.count == Missing::None)
      sum = part;
    else if (!isSame)
      sum = {Missing::Several, {}};
  }
  return sum;
}

// Makes a value available that is missing more than what is kept: by the one value that is missing,
// or else by itself; never by what only repeats elements.
void KeptValues::keepFor(Value value) {
  for (;;) {
    value = withoutEffects(value);
    Missing part = missingFor(value);
    if (part.count == Missing::None)
      return;
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (part.count == Missing::One || !broadcast) {
      kept.insert(part.count == Missing::One ? part.value : value);
      return;
    }
    value = broadcast.getX();
  }
}

// What the op reads is needed. What has a size that only this step knows cannot be kept: it is made
// again, from the ops that define its sizes on.
void KeptValues::need(Operation *user) {
  SmallVector<Operation *> work{user};
  auto doAgain = [&](Operation *op) {
    if (op->isBeforeInBlock(end) && doneAgain.insert(op).second)
      work.push_back(op);
  };
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands()) {
      Value value = withoutEffects(operand);
      needed.insert(value);
      if (!canBeKept(value))
        doAgain(value.getDefiningOp());
    }
    for (int64_t symbol : sizes.symbolsIn(op))
      llvm::for_each(sizes.definitionsOf(symbol), doAgain);
  }
}

llvm::SetVector<Value> KeptValues::run() {
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode())
    need(op);

  for (Operation &op : llvm::make_range(block.begin(), end->getIterator()))
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) && !sizes.mentionedBy(&op) &&
        llvm::all_of(op.getOperands(),
                     [&](Value x) { return invariant.contains(withoutEffects(x)); }))
      invariant.insert(op.result_begin(), op.result_end());

  // First what has to be kept whatever else is, so that the rest can rely on it.
  for (BlockArgument argument : block.getArguments())
    if (states.contains(argument) && isNeeded(argument))
      kept.insert(argument);
  for (Operation &op : llvm::make_range(block.begin(), end->getIterator()))
    for (Value result : op.getResults())
      if (isNeeded(result) && !isCheap(&op) && !invariant.contains(result) &&
          !doneAgain.contains(&op))
        kept.insert(result);

  for (Operation &op : llvm::make_range(block.begin(), end->getIterator()))
    for (Value result : op.getResults()) {
      if (invariant.contains(result) || withoutEffects(result) != result || doneAgain.contains(&op))
        continue;
      if (!canBeKept(result))
        missing[result] = {Missing::Several, {}};
      else if (!isCheap(&op) || sizes.mentionedBy(&op))
        missing[result] = {Missing::One, result};
      else
        missing[result] = missingFor(&op);
      if (isNeeded(result))
        keepFor(result);
    }
  return kept;
}

llvm::SetVector<Value> keratin::ir::findKeptValues(Block &block, Operation *end, ValueRange states,
                                                   ValueRange captures) {
  return KeptValues(block, end, states, captures).run();
}

llvm::SetVector<Value> keratin::ir::findCheckpoints(Block &block, Operation *end,
                                                    ValueRange states) {
  DenseSet<Value> isState(states.begin(), states.end());
  LocalSizes sizes(block);
  SmallVector<Value> work;
  auto addInputs = [&](Operation *op) {
    work.append(op->operand_begin(), op->operand_end());
    for (int64_t symbol : sizes.symbolsIn(op))
      for (Operation *definition : sizes.definitionsOf(symbol))
        work.append(definition->operand_begin(), definition->operand_end());
  };
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode())
    addInputs(op);
  llvm::SetVector<Value> kept;
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = withoutEffects(work.pop_back_val());
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op && isState.contains(value))
      kept.insert(value);
    else if (op && op->isBeforeInBlock(end))
      addInputs(op);
  }
  return kept;
}

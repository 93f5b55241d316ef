#include "passes/loops/AfterLoop.h"

#include "ir/interfaces/OpProperties.h"
#include "passes/loops/CheapValues.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// What costs no more behind the loop than reading it from a stack.
static bool isCheap(Operation *op) {
  return isCheapArithmetic(op) || movesAll(op) || costsNothing(op) || isa<SliceOp>(op);
}

AfterLoop::AfterLoop(ScanEditor &scan, llvm::function_ref<bool(unsigned)> stays)
    : scan(scan), steps(scan.op().getSteps()), builder(scan.op()), batcher(builder, steps) {
  builder.setInsertionPointAfter(scan.op());
  GraphMath g(builder, scan.op().getLoc());
  batcher.map(scan.stepNumber(), {g.iota(getTensorType({steps}, builder.getI64Type()), 0), true});
  for (const ScanEditor::Input &input : scan.sequences)
    batcher.map(input.argument, {input.operand, true});
  for (const ScanEditor::Input &input : scan.captures) {
    batcher.map(input.argument, {input.operand});
    invariant.insert(input.argument);
  }
  for (auto [i, stack] : llvm::enumerate(scan.stacks))
    if (stays(i) && !batcher.lookup(stack.element))
      batcher.map(stack.element, {stack.result, true});
  auto varying = [&](Value x) { return varies(x); };
  for (BlockArgument argument : scan.body().getArguments())
    if (batcher.lookup(argument))
      atHand.insert(argument);
  for (Operation &op : scan.body().without_terminator()) {
    if (!isMemoryEffectFree(&op))
      continue;
    if (isa<DimOp>(op) ||
        llvm::all_of(op.getOperands(), [&](Value x) { return invariant.contains(x); }))
      invariant.insert(op.result_begin(), op.result_end());
    bool isMade = isCheap(&op) && canBatch(&op, steps, varying) &&
                  llvm::all_of(op.getOperands(), [&](Value x) { return isAtHand(x); });
    for (Value result : op.getResults())
      if (isMade || batcher.lookup(result))
        atHand.insert(result);
  }
}

std::optional<AfterLoop::Sources> AfterLoop::sourcesOf(ValueRange values) const {
  Sources sources;
  DenseSet<Value> seen;
  SmallVector<Value> work(values.begin(), values.end());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (batcher.lookup(value) || !seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    // What makes no less of what it reads is done behind the loop rather than stacked.
    bool isMade = op && (isAtHand(value) || sunk.contains(op) ||
                         (movesAll(op) && canBatch(op, steps, [&](Value x) { return varies(x); })));
    if (!isMade) {
      if (!stackType(getTensorType(value), steps))
        return std::nullopt;
      sources.stacked.insert(value);
      continue;
    }
    sources.made.push_back(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  llvm::sort(sources.made, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sources;
}

SteppedValue AfterLoop::make(Value value) {
  Sources sources = *sourcesOf(value);
  for (Value stacked : sources.stacked) {
    unsigned index = *scan.stack(stacked);
    if (Value result = scan.stacks[index].result) {
      batcher.map(stacked, {result, true});
      continue;
    }
    auto placeholder = builder.create<VariableOp>(
        stacked.getLoc(), *stackType(getTensorType(stacked), steps), -1, "a stack to come");
    scan.stacks[index].result = placeholder;
    placeholders.push_back(placeholder);
    batcher.map(stacked, {placeholder, true});
  }
  for (Operation *op : sources.made)
    batcher.batch(op);
  return batcher.lookup(value);
}

Value AfterLoop::makeSum(Operation *contraction) {
  for (Value operand : contraction->getOperands())
    make(operand);
  return batcher.sumOfContractions(contraction);
}

ScanOp AfterLoop::finish() {
  auto result = cast<ScanOp>(*scan.finish());
  for (Operation *placeholder : placeholders)
    placeholder->erase();
  return result;
}

} // namespace keratin::passes

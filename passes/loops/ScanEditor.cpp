#include "passes/loops/ScanEditor.h"

#include "ir/interfaces/ComputedSizes.h"

#include "ir/ops/LoopGradients.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

std::optional<RankedTensorType> stackType(RankedTensorType element, const DimExpr &steps) {
  Shape shape = getShape(element);
  shape.insert(shape.begin(), steps);
  if (!elementCount(shape))
    return std::nullopt;
  return getTensorType(shape, element.getElementType());
}

RankedTensorType elementType(RankedTensorType sequence) {
  Shape shape = getShape(sequence);
  shape.erase(shape.begin());
  return getTensorType(shape, sequence.getElementType());
}

void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void eraseDeadOps(Operation *function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

ScanEditor::ScanEditor(LoopOpInterface loop) : loop(loop) {
  auto yield = cast<YieldOp>(body().getTerminator());
  unsigned numStates = loop.getNumStates();
  for (auto [init, argument, next, last] : llvm::zip(loop.getInits(), loop.getStateArguments(),
                                                     yield.getValues(), loop.getLastStates()))
    states.push_back({init, argument, next, last});
  for (auto [operand, argument] : llvm::zip(loop.getSequences(), loop.getElementArguments()))
    sequences.push_back({operand, argument});
  for (auto [operand, argument] : llvm::zip(loop.getCaptures(), loop.getCaptureArguments()))
    captures.push_back({operand, argument});
  for (auto [element, result] :
       llvm::zip(yield.getValues().drop_front(numStates), loop.getStacks()))
    stacks.push_back({element, result});
}

BlockArgument ScanEditor::input(SmallVector<Input> &inputs, Value operand, Type type) {
  for (const Input &input : inputs)
    if (input.operand == operand)
      return input.argument;
  BlockArgument argument = body().addArgument(type, operand.getLoc());
  inputs.push_back({operand, argument});
  return argument;
}

BlockArgument ScanEditor::sequence(Value operand) {
  return input(sequences, operand, elementType(getTensorType(operand)));
}

BlockArgument ScanEditor::capture(Value operand) {
  return input(captures, operand, operand.getType());
}

std::optional<unsigned> ScanEditor::stack(Value element) {
  for (auto [i, stack] : llvm::enumerate(stacks))
    if (stack.element == element)
      return i;
  if (!stackType(getTensorType(element), loop.getSteps()))
    return std::nullopt;
  stacks.push_back({element, nullptr});
  return stacks.size() - 1;
}

void ScanEditor::replace(Value from, Value to) {
  from.replaceAllUsesWith(to);
  for (State &state : states)
    if (state.next == from)
      state.next = to;
  for (Stack &stack : stacks)
    if (stack.element == from)
      stack.element = to;
}

unsigned ScanEditor::addState(Value init) {
  BlockArgument argument = body().addArgument(init.getType(), init.getLoc());
  states.push_back({init, argument, nullptr, nullptr});
  return states.size() - 1;
}

LoopOpInterface ScanEditor::finish() {
  Block &old = body();
  SmallVector<Value> yielded;
  SmallVector<Type> types;
  for (const State &state : states) {
    yielded.push_back(state.next);
    types.push_back(state.init.getType());
  }
  for (const Stack &stack : stacks) {
    yielded.push_back(stack.element);
    types.push_back(*stackType(getTensorType(stack.element), loop.getSteps()));
  }
  cast<YieldOp>(old.getTerminator()).getValuesMutable().assign(yielded);
  eraseDeadOps(old);
  auto isUnread = [](const Input &input) { return input.argument.use_empty(); };
  llvm::erase_if(sequences, isUnread);
  llvm::erase_if(captures, isUnread);

  // Arguments of a block can be appended and erased only; so a new block gets them in order.
  auto *block = new Block();
  auto move = [&](BlockArgument argument) {
    argument.replaceAllUsesWith(block->addArgument(argument.getType(), argument.getLoc()));
  };
  SmallVector<Value> inits, sequenceOperands, captureOperands;
  move(stepNumber());
  for (const State &state : states) {
    move(state.argument);
    inits.push_back(state.init);
  }
  for (const Input &input : sequences) {
    move(input.argument);
    sequenceOperands.push_back(input.operand);
  }
  for (const Input &input : captures) {
    move(input.argument);
    captureOperands.push_back(input.operand);
  }
  block->getOperations().splice(block->end(), old.getOperations());

  OpBuilder builder(loop);
  LoopOpInterface result;
  if (auto scan = dyn_cast<ScanOp>(*loop)) {
    result = builder.create<ScanOp>(scan.getLoc(), types, scan.getLengthAttr(), scan.getReverse(),
                                    inits, sequenceOperands, captureOperands);
  } else {
    auto original = cast<WhileOp>(*loop);
    types.insert(types.begin() + states.size(), original.getStepCount().getType());
    auto made = builder.create<WhileOp>(original.getLoc(), types, original.getLengthAttr(),
                                        original.getAtMostAttr(), inits, captureOperands);
    original.getStepCount().replaceAllUsesWith(made.getStepCount());
    result = made;
  }
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  result.getBody().push_back(block);
  for (auto [state, last] : llvm::zip(states, result.getLastStates()))
    if (state.last)
      state.last.replaceAllUsesWith(last);
  for (auto [stack, fresh] : llvm::zip(stacks, result.getStacks()))
    if (stack.result)
      stack.result.replaceAllUsesWith(fresh);
  loop.erase();
  return result;
}

SmallVector<ScanOp> innermostFirst(Operation *function) {
  SmallVector<ScanOp> scans;
  function->walk([&](ScanOp scan) { scans.push_back(scan); });
  return scans;
}

SmallVector<LoopOpInterface> innermostLoops(Operation *function) {
  SmallVector<LoopOpInterface> loops;
  function->walk([&](LoopOpInterface loop) { loops.push_back(loop); });
  return loops;
}

SmallVector<ScanOp> innermostToBatch(Operation *function) {
  SmallVector<ScanOp> scans = innermostFirst(function);
  llvm::erase_if(scans, [](ScanOp scan) {
    return scan->hasAttr(kCheckpointsAttr) || !LocalSizes(scan.getBody().front()).empty();
  });
  return scans;
}

DenseSet<Operation *> withSources(ArrayRef<Operation *> ops) {
  DenseSet<Operation *> known;
  SmallVector<Operation *> work(ops);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (known.insert(op).second)
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp())
          work.push_back(source);
  }
  return known;
}

} // namespace keratin::passes

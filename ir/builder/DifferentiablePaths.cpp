#include "ir/builder/DifferentiablePaths.h"

#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

static bool isFloating(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

bool keratin::ir::isDifferentiableOperand(OpOperand &operand) {
  if (!isFloating(operand.get()))
    return false;
  auto op = dyn_cast<DifferentiableOpInterface>(operand.getOwner());
  return !op || op.isDifferentiableOperand(operand.getOperandNumber());
}

// An own stack: graphs are deep.
DifferentiablePaths::DifferentiablePaths(ArrayRef<Value> losses, Bodies bodies) {
  for (Value loss : losses)
    reach(loss);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto result = dyn_cast<OpResult>(value)) {
      if (bodies == Bodies::Closed || !walkIntoBody(result))
        walkOp(result.getOwner());
    } else if (bodies == Bodies::Open) {
      walkOutOfBody(cast<BlockArgument>(value));
    }
  }
}

void DifferentiablePaths::reach(Value value) {
  if (isFloating(value) && values.insert(value).second)
    pending.push_back(value);
}

void DifferentiablePaths::walkOp(Operation *op) {
  if (!seen.insert(op).second)
    return;
  visited.push_back(op);
  for (OpOperand &operand : op->getOpOperands())
    if (ir::isDifferentiableOperand(operand))
      reach(operand.get());
}

static Value yielded(Region &body, unsigned number) {
  return body.front().getTerminator()->getOperand(number);
}

// False if the op has no body.
bool DifferentiablePaths::walkIntoBody(OpResult result) {
  Operation *op = result.getOwner();
  if (auto branch = dyn_cast<IfOp>(op)) {
    reach(yielded(branch.getThenBody(), result.getResultNumber()));
    reach(yielded(branch.getElseBody(), result.getResultNumber()));
    return true;
  }
  auto loop = dyn_cast<LoopOpInterface>(op);
  if (!loop)
    return false;
  unsigned count = loop.getBody().front().getTerminator()->getNumOperands();
  for (unsigned i = 0; i < count; ++i)
    if (loop.getResultOf(i) == result) {
      reach(yielded(loop.getBody(), i));
      // Without a step the last state is the first.
      if (i < loop.getNumStates())
        reach(loop.getStateArguments()[i]);
    }
  return true;
}

void DifferentiablePaths::walkOutOfBody(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto branch = dyn_cast<IfOp>(parent)) {
    reach(branch.getCaptures()[number]);
  } else if (auto loop = dyn_cast<LoopOpInterface>(parent)) {
    // The step's number, which is no float, comes first; the rest is as the operands are.
    reach(loop->getOperand(number - 1));
    if (number <= loop.getNumStates())
      reach(yielded(loop.getBody(), number - 1));
  }
}

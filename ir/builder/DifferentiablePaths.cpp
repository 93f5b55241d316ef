#include "ir/builder/DifferentiablePaths.h"

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

static bool isFloating(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType, ComplexType>(type.getElementType());
}

bool keratin::ir::isDifferentiableOperand(OpOperand &operand) {
  if (!isFloating(operand.get()))
    return false;
  // Of complex numbers the derivatives are taken once they are pairs: what is done to both parts.
  if (isa<ComplexOp>(operand.getOwner()))
    return true;
  if (isa<ComplexType>(getElementType(operand.get())))
    return !isa<StopGradientOp, UpdateOp, DimOp>(operand.getOwner()) &&
           (operand.getOperandNumber() == 0 || !isa<DependOp, DelayOp>(operand.getOwner()));
  auto op = dyn_cast<DifferentiableOpInterface>(operand.getOwner());
  return !op || op.isDifferentiableOperand(operand.getOperandNumber());
}

// An own stack: graphs are deep.
DifferentiablePaths::DifferentiablePaths(ArrayRef<Value> losses, Bodies bodies) {
  for (Value loss : losses)
    reach(loss);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (bodies == Bodies::Open && forEachSource(value, [&](Value source) { reach(source); }))
      continue;
    if (Operation *op = value.getDefiningOp())
      walkOp(op);
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

LogicalResult OpsBetween::find(Block *block, ArrayRef<Value> losses) {
  paths.emplace(losses);
  SmallVector<Operation *> ops(paths->ops());
  if (llvm::any_of(ops, [&](Operation *op) { return op->getBlock() != block; }))
    return failure();
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  findAmong(ops);
  return success();
}

void OpsBetween::findAmong(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
          return isDifferentiableOperand(operand) && isActive(operand.get());
        })) {
      active.insert(op);
      order.push_back(op);
    }
}

std::optional<Derivative> keratin::ir::derivativeOf(Operation *op) {
  if (auto gradients = dyn_cast<GradientsOp>(op))
    return Derivative{op->getOperands().take_front(1), gradients.getXs()};
  if (auto jvp = dyn_cast<JvpOp>(op))
    return Derivative{jvp.getOutputs(), jvp.getInputs()};
  if (auto vjp = dyn_cast<VjpOp>(op))
    return Derivative{vjp.getOutputs(), vjp.getInputs()};
  return std::nullopt;
}

bool keratin::ir::hasDerivatives(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isDerivative(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static Value yielded(Region &body, unsigned number) {
  return body.front().getTerminator()->getOperand(number);
}

// Of a loop or a branch.
static void forEachYielded(OpResult result, llvm::function_ref<void(Value)> reach) {
  if (auto branch = dyn_cast<IfOp>(result.getOwner())) {
    reach(yielded(branch.getThenBody(), result.getResultNumber()));
    reach(yielded(branch.getElseBody(), result.getResultNumber()));
    return;
  }
  auto loop = cast<LoopOpInterface>(result.getOwner());
  unsigned count = loop.getBody().front().getTerminator()->getNumOperands();
  for (unsigned i = 0; i < count; ++i)
    if (loop.getResultOf(i) == result) {
      reach(yielded(loop.getBody(), i));
      // Without a step the last state is the first.
      if (i < loop.getNumStates())
        reach(loop.getStateArguments()[i]);
    }
}

bool keratin::ir::forEachSource(Value value, llvm::function_ref<void(Value)> reach) {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (!isa<IfOp, LoopOpInterface>(result.getOwner()))
      return false;
    forEachYielded(result, reach);
    return true;
  }
  auto argument = cast<BlockArgument>(value);
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
  return true;
}

void keratin::ir::forEachTarget(OpOperand &use, llvm::function_ref<void(Value)> reach) {
  if (!isDifferentiableOperand(use))
    return;
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto yield = dyn_cast<YieldOp>(user)) {
    auto loop = dyn_cast<LoopOpInterface>(yield->getParentOp());
    reach(loop ? Value(loop.getResultOf(number)) : yield->getParentOp()->getResult(number));
    if (loop && number < loop.getNumStates())
      reach(loop.getStateArguments()[number]);
  } else if (auto branch = dyn_cast<IfOp>(user)) {
    // The condition, which is no float, comes first.
    reach(branch.getThenBody().getArgument(number - 1));
    reach(branch.getElseBody().getArgument(number - 1));
  } else if (auto loop = dyn_cast<LoopOpInterface>(user)) {
    reach(loop.getBody().getArgument(number + 1));
    if (number < loop.getNumStates())
      reach(loop.getResultOf(number));
  } else {
    for (Value result : user->getResults())
      reach(result);
  }
}

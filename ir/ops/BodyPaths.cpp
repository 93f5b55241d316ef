#include "ir/ops/BodyPaths.h"

#include "ir/builder/DifferentiablePaths.h"

using namespace keratin::ir;
using namespace mlir;

BodyPaths::BodyPaths(LoopOpInterface loop, ArrayRef<bool> matters, ArrayRef<bool> wanted) {
  findActive(loop, wanted);
  findReached(loop, matters);
}

void BodyPaths::activate(Value value) {
  if (isa<FloatType>(getElementType(value)) && active.insert(value).second)
    pending.push_back(value);
}

void BodyPaths::reach(Value value) {
  if (isa<FloatType>(getElementType(value)) && reached.insert(value).second)
    pending.push_back(value);
}

void BodyPaths::findActive(LoopOpInterface loop, ArrayRef<bool> wanted) {
  Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [argument, isWanted] : llvm::zip(body.getArguments().drop_front(), wanted))
    if (isWanted)
      activate(argument);
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses())
      if (use.getOwner() != yield)
        forEachTarget(use, [&](Value value) { activate(value); });
      else if (use.getOperandNumber() < loop.getNumStates())
        activate(loop.getStateArguments()[use.getOperandNumber()]);
}

void BodyPaths::findReached(LoopOpInterface loop, ArrayRef<bool> matters) {
  Block &body = loop.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  unsigned states = loop.getNumStates();
  for (auto [i, value] : llvm::enumerate(yielded)) {
    if (!matters[i])
      continue;
    reach(value);
    // Without a step, the last state is the first one, whatever a step would make of it.
    if (i < states)
      reach(loop.getStateArguments()[i]);
  }
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body) {
      unsigned number = argument.getArgNumber();
      if (number >= 1 && number <= states)
        reach(yielded[number - 1]);
    } else if (!forEachSource(value, [&](Value source) { reach(source); })) {
      for (OpOperand &operand : value.getDefiningOp()->getOpOperands())
        if (isDifferentiableOperand(operand))
          reach(operand.get());
    }
  }
}

#include "ir/builder/DifferentiablePaths.h"

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseSet.h"

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

DifferentiablePaths::DifferentiablePaths(ArrayRef<Value> losses) {
  DenseSet<Operation *> seen;
  SmallVector<Operation *> pending;
  auto visit = [&](Value value) {
    values.insert(value);
    if (Operation *op = value.getDefiningOp(); op && seen.insert(op).second)
      pending.push_back(op);
  };
  for (Value loss : losses)
    if (isFloating(loss))
      visit(loss);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    visited.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (ir::isDifferentiableOperand(operand))
        visit(operand.get());
  }
}

#include "passes/memory/KernelCost.h"

#include "ir/interfaces/OpCost.h"
#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

static std::optional<DimExpr> sum(const std::optional<DimExpr> &a,
                                  const std::optional<DimExpr> &b) {
  return a && b ? add(*a, *b) : std::nullopt;
}

KernelCost &KernelCost::operator+=(const KernelCost &other) {
  operations = sum(operations, other.operations);
  bytesRead = sum(bytesRead, other.bytesRead);
  bytesWritten = sum(bytesWritten, other.bytesWritten);
  return *this;
}

KernelCost keratin::passes::costOf(Operation *op) {
  KernelCost cost;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<ReshapeOp>(op))
    return cost;
  cost.operations = operationCount(op);
  llvm::SmallSetVector<Value, 4> read;
  for (Value operand : op->getOperands())
    read.insert(rootOf(operand));
  for (Value root : read)
    cost.bytesRead = sum(cost.bytesRead, bytesOf(root));
  for (Value result : op->getResults())
    cost.bytesWritten = sum(cost.bytesWritten, bytesOf(result));
  return cost;
}

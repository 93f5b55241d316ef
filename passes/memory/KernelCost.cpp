#include "passes/memory/KernelCost.h"

#include "ir/interfaces/OpCost.h"
#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

KernelCost &KernelCost::operator+=(const KernelCost &other) {
  operations = sum(operations, other.operations);
  bytesRead = sum(bytesRead, other.bytesRead);
  bytesWritten = sum(bytesWritten, other.bytesWritten);
  return *this;
}

namespace keratin::passes {

static KernelCost times(const KernelCost &a, const DimExpr &b) {
  return {ir::times(a.operations, b), ir::times(a.bytesRead, b), ir::times(a.bytesWritten, b)};
}

static KernelCost larger(const KernelCost &a, const KernelCost &b) {
  return {ir::larger(a.operations, b.operations), ir::larger(a.bytesRead, b.bytesRead),
          ir::larger(a.bytesWritten, b.bytesWritten)};
}

} // namespace keratin::passes

static KernelCost costOfBlock(Block &block) {
  KernelCost cost;
  for (Operation &op : block.without_terminator())
    cost += costOf(&op);
  return cost;
}

KernelCost keratin::passes::costOf(Operation *op) {
  if (std::optional<KernelCost> regions = costOfRegions<KernelCost>(op, costOfBlock))
    return *regions;
  KernelCost cost;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      isView(op) || isa<DefineSizeOp>(op))
    return cost;
  cost.operations = operationCount(op);
  llvm::SmallSetVector<Value, 4> read;
  for (Value operand : op->getOperands())
    read.insert(rootOf(operand));
  for (Value root : read)
    cost.bytesRead = sum(cost.bytesRead, byteCount(root));
  for (Value result : op->getResults())
    cost.bytesWritten = sum(cost.bytesWritten, byteCount(result));
  return cost;
}

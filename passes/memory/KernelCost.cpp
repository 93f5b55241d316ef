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

static std::optional<DimExpr> times(const std::optional<DimExpr> &a, const DimExpr &b) {
  return a ? mul(*a, b) : std::nullopt;
}

static std::optional<DimExpr> larger(const std::optional<DimExpr> &a,
                                     const std::optional<DimExpr> &b) {
  return a && b ? max(*a, *b) : std::nullopt;
}

static KernelCost costOfBlock(Block &block) {
  KernelCost cost;
  for (Operation &op : block.without_terminator())
    cost += costOf(&op);
  return cost;
}

KernelCost keratin::passes::costOf(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op)) {
    KernelCost step = costOfBlock(scan.getBody().front());
    return {times(step.operations, scan.getSteps()), times(step.bytesRead, scan.getSteps()),
            times(step.bytesWritten, scan.getSteps())};
  }
  // Nobody knows of how many steps: what one of them costs.
  if (auto loop = dyn_cast<WhileOp>(op))
    return costOfBlock(loop.getBody().front());
  if (auto branches = dyn_cast<IfOp>(op)) {
    KernelCost a = costOfBlock(branches.getThenBody().front());
    KernelCost b = costOfBlock(branches.getElseBody().front());
    return {larger(a.operations, b.operations), larger(a.bytesRead, b.bytesRead),
            larger(a.bytesWritten, b.bytesWritten)};
  }
  KernelCost cost;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      isView(op) || isa<DefineSizeOp>(op))
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

#include "passes/memory/KernelCost.h"

#include "ir/interfaces/Attention.h"
#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

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

namespace {

// How often a kernel passes over its inputs: what is reduced is passed over once for each stage,
// and the reductions of a stage need the results of those before it.
class Passes {
public:
  explicit Passes(KernelOp kernel) : body(kernel.getBody().front()) {
    // Attention keeps at hand what it has computed once.
    const bool isOnePass = attentionOf(kernel).has_value();
    for (Operation &op : body.without_terminator()) {
      unsigned stage = 0;
      for (Value operand : op.getOperands())
        stage = std::max(stage, stageOf.lookup(operand));
      bool isReduction = isa<ReductionOpInterface>(op) && !isOnePass;
      for (Value result : op.getResults())
        stageOf[result] = stage + isReduction;
      if (isReduction || isContraction(&op))
        for (Value operand : op.getOperands())
          ends.push_back({operand, stage});
    }
    for (Value made : body.getTerminator()->getOperands())
      ends.push_back({made, stageOf.lookup(made)});
    for (auto [value, stage] : ends)
      read(value, stage);
  }

  std::optional<DimExpr> bytesOf(BlockArgument input) const {
    auto stages = stagesOf.find(input);
    std::optional<DimExpr> once = partOf(input);
    return once ? mul(*once, stages == stagesOf.end() ? 1 : int64_t(stages->second.size())) : once;
  }

private:
  // In this stage the value is computed from what it is made of, but for results of reductions.
  void read(Value end, unsigned stage) {
    SmallVector<Value> work{end};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      Operation *maker = value.getDefiningOp();
      if (!maker)
        stagesOf[value].insert(stage);
      else if (!isa<ReductionOpInterface>(maker) && !isContraction(maker))
        llvm::append_range(work, maker->getOperands());
    }
  }

  // Of all that an input holds, at most what is taken of it.
  static std::optional<DimExpr> partOf(BlockArgument input) {
    std::optional<DimExpr> whole = byteCount(input), part = DimExpr(0);
    for (OpOperand &use : input.getUses()) {
      if (isa<DimOp>(use.getOwner())) // asks for the size alone
        continue;
      if (!isa<SliceOp, DynamicSliceOp, GatherOp>(use.getOwner()) || use.getOperandNumber() != 0)
        return whole;
      part = sum(part, byteCount(use.getOwner()->getResult(0)));
    }
    return whole && part ? min(*whole, *part) : whole;
  }

  Block &body;
  llvm::DenseMap<Value, unsigned> stageOf; // in which it can be computed
  SmallVector<std::pair<Value, unsigned>> ends;
  llvm::DenseMap<Value, llvm::SmallSet<unsigned, 4>> stagesOf; // in which an input is read
};

} // namespace

KernelCost keratin::passes::costOf(Operation *op) {
  if (std::optional<KernelCost> regions = costOfRegions<KernelCost>(op, costOfBlock))
    return *regions;
  KernelCost cost;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      isView(op) || isa<DefineSizeOp>(op))
    return cost;
  cost.operations = operationCount(op);
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    Passes passes(kernel);
    for (BlockArgument input : kernel.getBody().getArguments())
      cost.bytesRead = sum(cost.bytesRead, passes.bytesOf(input));
  } else if (!isa<DimOp>(op)) {
    llvm::SmallSetVector<Value, 4> read(op->operand_begin(), op->operand_end());
    for (Value value : read)
      cost.bytesRead = sum(cost.bytesRead, byteCount(value));
  }
  for (Value result : op->getResults())
    cost.bytesWritten = sum(cost.bytesWritten, byteCount(result));
  return cost;
}

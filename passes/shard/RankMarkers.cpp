#include "passes/shard/RankMarkers.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// The value that is a rank's own.
static Value ownOf(Operation *marker) {
  return isa<EnterRankOp>(marker) ? marker->getResult(0) : marker->getOperand(0);
}

RankMarkers::RankMarkers(func::FuncOp function, const SymbolsByAxis &sizes) {
  SmallVector<Operation *> markers;
  function.walk([&](Operation *op) {
    if (isa<EnterRankOp, LeaveRankOp>(op))
      markers.push_back(op);
  });
  for (Operation *marker : markers)
    together.insert(ownOf(marker).getAsOpaquePointer());
  do { // a step of a loop goes on with what the one before has made
    hasChanged = false;
    function.walk([&](Operation *op) { follow(op); });
  } while (hasChanged);
  auto leaderOf = [&](Operation *marker) {
    return together.getLeaderValue(ownOf(marker).getAsOpaquePointer());
  };
  llvm::DenseMap<void *, Axes> found;
  for (Operation *marker : markers)
    for (const auto &[axis, symbols] : sizes)
      if (isa<EnterRankOp>(marker) &&
          llvm::any_of(getShape(marker->getOperand(0)),
                       [&](const DimExpr &size) { return isOf(size, symbols); }))
        found[leaderOf(marker)].insert(axis);
  for (Operation *marker : markers)
    axes[marker] = found.lookup(leaderOf(marker));
}

bool RankMarkers::areAlong(Operation *marker, StringAttr axis) const {
  const auto found = axes.find(marker);
  return found != axes.end() && found->second.contains(axis);
}

bool RankMarkers::areAlongOthers(Operation *marker, StringAttr axis) const {
  const auto found = axes.find(marker);
  return found != axes.end() &&
         llvm::any_of(found->second, [&](StringAttr each) { return each != axis; });
}

void RankMarkers::flow(Value from, Value to) {
  if (!isOwn(from) || together.isEquivalent(from.getAsOpaquePointer(), to.getAsOpaquePointer()))
    return;
  together.unionSets(from.getAsOpaquePointer(), to.getAsOpaquePointer());
  hasChanged = true;
}

void RankMarkers::follow(Operation *op) {
  if (auto loop = dyn_cast<LoopOpInterface>(op))
    return followLoop(loop);
  if (auto branches = dyn_cast<IfOp>(op))
    return followBranches(branches);
  if (isa<EnterRankOp, LeaveRankOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return;
  Value last;
  for (Value operand : op->getOperands()) {
    if (!isOwn(operand))
      continue;
    if (last)
      flow(last, operand);
    last = operand;
  }
  for (Value result : op->getResults())
    if (last)
      flow(last, result);
}

void RankMarkers::followLoop(LoopOpInterface op) {
  for (auto [from, to] : llvm::zip_equal(op.getInits(), op.getStateArguments()))
    flow(from, to);
  for (auto [from, to] : llvm::zip_equal(op.getSequences(), op.getElementArguments()))
    flow(from, to);
  for (auto [from, to] : llvm::zip_equal(op.getCaptures(), op.getCaptureArguments()))
    flow(from, to);
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [from, to] : llvm::zip_first(op.getStateArguments(), yield->getOperands()))
    flow(to, from);
  for (OpOperand &yielded : yield->getOpOperands()) {
    const unsigned number = yielded.getOperandNumber();
    flow(yielded.get(), op.getResultOf(number));
    if (number < op.getInits().size()) // of no steps
      flow(op.getInits()[number], op.getResultOf(number));
  }
}

void RankMarkers::followBranches(IfOp op) {
  for (Value result : op->getResults())
    flow(op.getCondition(), result);
  for (Region *region : {&op.getThenBody(), &op.getElseBody()}) {
    for (auto [from, to] : llvm::zip_equal(op.getCaptures(), region->getArguments()))
      flow(from, to);
    for (auto [from, to] :
         llvm::zip_equal(region->front().getTerminator()->getOperands(), op->getResults()))
      flow(from, to);
  }
}

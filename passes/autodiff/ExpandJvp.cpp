#include "passes/autodiff/ExpandJvp.h"

#include "ir/builder/ForwardMode.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ComputedSizes.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

// What the values are computed by from `first` on, in the order of the block; nullopt if one of
// these ops is among those given, or has to stay where it is.
static std::optional<SmallVector<Operation *>> movableOps(ValueRange values, Operation *first,
                                                          ArrayRef<Operation *> given) {
  Block *block = first->getBlock();
  LocalSizes sizes(*block);
  llvm::DenseSet<Operation *> fixed(given.begin(), given.end());
  llvm::SetVector<Operation *> needed;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == block && !op->isBeforeInBlock(first))
      needed.insert(op);
  };
  llvm::for_each(values, visit);
  for (size_t i = 0; i < needed.size(); ++i) {
    Operation *op = needed[i];
    if (fixed.contains(op) || !isMemoryEffectFree(op) || sizes.mentionedBy(op))
      return std::nullopt;
    llvm::for_each(op->getOperands(), visit);
  }
  SmallVector<Operation *> ops(needed.begin(), needed.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

static ForwardMode::Place placeOf(JvpOp op, ArrayRef<Operation *> ops) {
  if (ops.empty())
    return ForwardMode::Place::AtBuilder;
  std::optional<SmallVector<Operation *>> movable = movableOps(op.getTangents(), ops.front(), ops);
  if (!movable)
    return ForwardMode::Place::AtBuilder;
  for (Operation *moved : *movable)
    moved->moveBefore(ops.front());
  return ForwardMode::Place::BesideValues;
}

FailureOr<int64_t> keratin::passes::expandJvp(JvpOp op) {
  OpBuilder builder(op);
  SmallVector<Value> inputs(op.getInputs()), outputs(op.getOutputs());
  ForwardMode walk(builder, op.getLoc(), inputs);
  if (failed(walk.prepare(outputs)))
    return emitGraphError(op)
           << "jvp: an output depends on an op outside the block of its derivative";
  ForwardMode::Place place = placeOf(op, walk.ops());
  if (place == ForwardMode::Place::BesideValues)
    builder.setInsertionPoint(walk.ops().front());
  for (auto [input, tangent] : llvm::zip(op.getInputs(), op.getTangents()))
    walk.seed(input, {tangent, {}});
  if (failed(walk.run(place)))
    return failure();
  GraphMath g(builder, op.getLoc());
  builder.setInsertionPoint(op);
  // Loops and branches on the way have been replaced, so outputs may be other values now.
  for (auto [output, y] : llvm::zip(op.getOutputs(), op.getYs())) {
    Value tangent = walk.tangentOf(output).value;
    y.replaceAllUsesWith(tangent ? tangent : g.zeroLike(output));
  }
  op.erase();
  return walk.differentiated() + 1;
}

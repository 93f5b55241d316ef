#include "passes/verify/NumberUse.h"

#include "ir/builder/GraphMath.h"

#include <numeric>

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// Whether the op looks at its operand only to see what kind of number it is.
static bool onlyAsks(Operation *op) {
  auto compare = dyn_cast<CompareOp>(op);
  return isa<IsFiniteOp>(op) || (compare && compare.getA() == compare.getB());
}

NumberUse::NumberUse(Block &block, ValueRange handedOn)
    : builder(block.getTerminator()), last(block.getTerminator()->getPrevNode()) {
  SmallVector<Operation *> ops;
  bool leavesAside = false;
  for (Operation &op : block) {
    ops.push_back(&op);
    leavesAside |= isa<SelectOp>(op);
  }
  if (!leavesAside)
    return;
  for (Value value : handedOn)
    addUse(value, Value());
  for (Operation *op : llvm::reverse(ops))
    readBy(op);
}

void NumberUse::addUse(Value value, Value mask) {
  auto [known, isFirst] = masks.try_emplace(value, mask);
  if (isFirst || known->second == mask)
    return;
  bool everywhere = !known->second || !mask;
  known->second =
      everywhere ? Value() : GraphMath(builder, value.getLoc()).or_(known->second, mask);
}

// The same condition for the elements of an operand that an element of the result is made of, or
// for more of them.
static Value spread(GraphMath &g, Operation *op, Value mask, Value operand) {
  const Shape shape = getShape(operand);
  if (shape == getShape(mask) && isa<ElementwiseOpInterface>(op))
    return mask;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return g.broadcastAlong(mask, shape, reduction.getReducedAxes());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return g.reshape(mask, shape);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> inverse(transpose.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      inverse[from] = to;
    return g.transpose(mask, inverse);
  }
  SmallVector<int64_t> axes(getShape(mask).size());
  std::iota(axes.begin(), axes.end(), 0);
  return g.broadcastScalar(g.reduceAny(mask, axes), shape);
}

void NumberUse::readBy(Operation *op) {
  if (onlyAsks(op))
    return;
  Value mask;
  if (op->getNumResults() == 1 && op->getNumRegions() == 0)
    mask = masks.lookup(op->getResult(0));
  if (auto delay = dyn_cast<DelayOp>(op))
    return addUse(delay.getX(), mask);
  GraphMath g(builder, op->getLoc());
  if (auto select = dyn_cast<SelectOp>(op)) {
    Value taken = select.getCondition(), left = g.not_(taken);
    addUse(taken, mask);
    addUse(select.getA(), mask ? g.and_(mask, taken) : taken);
    addUse(select.getB(), mask ? g.and_(mask, left) : left);
    return;
  }
  for (Value operand : op->getOperands())
    addUse(operand, mask ? spread(g, op, mask, operand) : Value());
}

void NumberUse::eraseUnread() {
  Block *block = builder.getInsertionBlock();
  for (Operation *op = block->getTerminator()->getPrevNode(); op && op != last;) {
    Operation *before = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
    op = before;
  }
}

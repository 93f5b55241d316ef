#include "passes/fusion/FusionPolicy.h"

#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

static std::optional<int64_t> knownElements(Value value) {
  std::optional<DimExpr> count = elementCount(getShape(value));
  return count && count->isConstant() ? std::optional(count->constantValue()) : std::nullopt;
}

// Whether most of it is read in another order, by a gather or a transposition.
static bool isReordered(ConcatenateOp op, int64_t elements) {
  SmallVector<Operation *> users(op->getUsers());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (isa<TransposeOp>(user))
      return true;
    if (auto gather = dyn_cast<GatherOp>(user);
        gather && gather.getX() == op.getY() &&
        knownElements(gather.getY()).value_or(0) >= elements / 2)
      return true;
    if (isa<ReshapeOp>(user))
      llvm::append_range(users, user->getUsers());
  }
  return false;
}

bool keratin::passes::isCopied(ConcatenateOp op) {
  constexpr int64_t manyOperands = 9, manyInPlace = 8, manyReordered = 3,
                    longRun = 16; // elements, on average
  const int64_t operands = int64_t(op.getXs().size());
  const std::optional<int64_t> elements = knownElements(op.getY());
  if (operands < manyReordered || !elements)
    return false;
  int64_t rows = 1;
  for (const DimExpr &size : ArrayRef(getShape(op.getY())).take_front(op.getAxis()))
    rows *= size.constantValue();
  if (*elements < longRun * operands * rows)
    return false;
  // What lies one behind the other is mostly made there.
  return operands >= (rows == 1 ? manyInPlace : manyOperands) || isReordered(op, *elements);
}

bool FusionPolicy::isFusible(Operation *op) const {
  if (auto concatenate = dyn_cast<ConcatenateOp>(op); concatenate && isCopied(concatenate))
    return false;
  return isa<ElementwiseOpInterface, IndexingOpInterface, ReductionOpInterface>(op) ||
         isTiled(op) || isFreeToRepeat(op) || (limits.random && isa<RandomBitsOp>(op));
}

static bool isScalar(Value value) { return squeezed(getShape(value)).empty(); }

// A part that is read as it lies is found at a distance that is known; so is one element.
static bool isMove(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op);
      slice && llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; }))
    return false;
  return isa<IndexingOpInterface>(op) && !isFreeToRepeat(op);
}

bool FusionPolicy::isElement(Operation *op) {
  return isa<SliceOp>(op) && isScalar(op->getResult(0));
}

int64_t FusionPolicy::countOps(ArrayRef<Operation *> ops) {
  return llvm::count_if(ops, [](Operation *op) {
    return !isa<ReshapeOp>(op) &&
           (op->getNumResults() != 1 ||
            !isScalar(isa<BroadcastOp>(op) ? op->getOperand(0) : op->getResult(0)));
  });
}

static bool isRecomputed(const IterationSpace &space, Operation *op) {
  return isa<ElementwiseOpInterface>(op) && !isWidening(op) &&
         space.domains.lookup(op->getResult(0)) == Domain::External && !isScalar(op->getResult(0));
}

// Four words come of one block of bits, far from each other: whoever walks all elements once makes
// a block once. A tile or a row would make it for each of its words, which takes longer than
// reading them, unless its lines are such that those who walk them can share a block. What is read
// at several places would make it as often.
bool FusionPolicy::suitsRandomBits(const IterationSpace &space, ArrayRef<Operation *> ops) const {
  bool isWalkedOnce = !space.hasReductions() && llvm::none_of(ops, isTiled);
  auto suits = [&](Operation *op) {
    if (space.domains.lookup(op->getResult(0)) != Domain::Full)
      return false;
    Shape shape = squeezed(getShape(op->getResult(0)));
    return isWalkedOnce || (limits.randomLine && !shape.empty() && shape.back().isConstant() &&
                            shape.back().constantValue() % limits.randomLine == 0);
  };
  return llvm::all_of(ops, [&](Operation *op) { return !isa<RandomBitsOp>(op) || suits(op); });
}

// What is neither full nor per row is good for a few cheap ops, not more; a scalar is computed once
// a kernel. An index out of a chain of moves makes every access a gather.
bool FusionPolicy::isCheap(const Nest &nest) const {
  return nest.recomputed <= limits.recomputed && nest.moves <= limits.moves;
}

Nest FusionPolicy::nestOf(Operation *op) {
  Nest nest;
  nest.ops = countOps(op);
  nest.moves = isMove(op);
  if ((nest.moves || isa<ElementwiseOpInterface, RandomBitsOp>(op)) && op->getNumResults() == 1)
    nest.walked = squeezed(getShape(op->getResult(0)));
  return nest;
}

std::optional<Nest> FusionPolicy::nestOf(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                                         int64_t owned) const {
  std::optional<IterationSpace> space = analyzeIterationSpace(ops, outputs);
  if (!space)
    return std::nullopt;
  bool hasTiles = llvm::any_of(ops, isTiled);
  Nest nest;
  if (!hasTiles && !space->hasReductions())
    nest.walked = space->shape;
  nest.ops = owned;
  nest.recomputed = llvm::count_if(ops, [&](Operation *op) { return isRecomputed(*space, op); });
  nest.moves = llvm::count_if(ops, isMove);
  if (!isCheap(nest) || !suitsRandomBits(*space, ops) || !suitsColumns(*space) ||
      (hasTiles && !suitsTile(*space, ops, outputs)))
    return std::nullopt;
  return nest;
}

// Columns beside rows save a pass over what the caches do not hold, for sums in memory that each
// row reads and writes. Short rows would wait for what the last one wrote; of long ones the caches
// do not hold the sums.
bool FusionPolicy::suitsColumns(const IterationSpace &space) const {
  constexpr int64_t fewestColumns = 64, mostColumns = 16384, fewestElements = 1 << 17;
  if (space.columnReductions.empty())
    return true;
  auto isBetween = [](const DimExpr &size, int64_t least, int64_t most) {
    return !size.isConstant() || (size.constantValue() >= least && size.constantValue() <= most);
  };
  return limits.columns && isBetween(space.columns(), fewestColumns, mostColumns) &&
         isBetween(product(space.shape).value_or(DimExpr(INT64_MAX)), fewestElements, INT64_MAX);
}

std::optional<Nest> FusionPolicy::joined(const Nest &a, const Nest &b) const {
  Nest nest{a.walked, a.ops + b.ops, a.recomputed + b.recomputed, a.moves + b.moves};
  return isCheap(nest) ? std::optional(std::move(nest)) : std::nullopt;
}

// What follows from a contraction's tile is done a few columns of some rows at a time: rows are far
// apart in memory, and those of several tensors stand at the same place of their pages, so a load
// waits for a store to another tensor (4 KiB aliasing). With few tensors of the full shape this
// costs less than a pass of its own over the result; an optimiser's update of two moments costs
// three times as much here as by itself.
bool FusionPolicy::suitsTile(const IterationSpace &space, ArrayRef<Operation *> ops,
                             ArrayRef<Value> outputs) const {
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  llvm::DenseSet<Value> tensors;
  for (Value output : outputs) {
    if (squeezed(getShape(output)) != space.shape)
      return false;
    tensors.insert(output);
  }
  for (Operation *op : ops)
    if (!isTiled(op) && !isWidening(op))
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getDefiningOp()) && squeezed(getShape(operand)) == space.shape)
          tensors.insert(operand);
  return int64_t(tensors.size()) <= limits.tileTensors;
}

bool FusionPolicy::isSmall(const Shape &shape) const {
  std::optional<DimExpr> count = product(shape);
  return count && count->isConstant() && count->constantValue() <= limits.smallElements;
}

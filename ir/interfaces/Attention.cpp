#include "ir/interfaces/Attention.h"

#include "ir/interfaces/AttentionGradient.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/interfaces/TensorCoreAttention.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

// Widths of queries and of values at most: longer ones leave no room in the cache.
static constexpr int64_t kMostHeadWidth = 512;
// So few rows do not pay for the order that keys are brought into.
static constexpr int64_t kFewRows = 8;
// Ops between scores and logits at most.
static constexpr size_t kMostOps = 32;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

namespace {

class AttentionMatcher {
public:
  AttentionMatcher(DotGeneralOp mix, bool mayShare) : mayShare(mayShare) { found.mix = mix; }

  std::optional<Attention> run() {
    if (!matchSoftmax() || !matchScores() || !areShapesGood() || !isPrivate())
      return std::nullopt;
    found.inside.assign(inside.begin(), inside.end());
    llvm::sort(found.inside, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return std::move(found);
  }

private:
  bool isInBlock(Operation *op) { return op->getBlock() == found.mix->getBlock(); }
  // The op that makes the value.
  template <typename OpT> OpT take(Value value) {
    auto op = value.getDefiningOp<OpT>();
    if (!op || !isInBlock(op))
      return {};
    inside.insert(op);
    return op;
  }

  static bool isRounding(Operation *op) {
    auto cast = dyn_cast<CastOp>(op);
    return cast && isHalf(getElementType(cast.getY())) && getElementType(cast.getX()).isF32();
  }

  // What the value repeats along the last axis of `shape`.
  template <typename OpT> OpT takeRow(Value value, const Shape &shape) {
    auto broadcast = take<BroadcastOp>(value);
    if (!broadcast || getShape(broadcast.getY()) != shape)
      return {};
    Shape row(shape.begin(), shape.end() - 1), kept = row;
    kept.push_back(1);
    Shape from = getShape(broadcast.getX());
    if (from != row && from != kept)
      return {};
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      if (dim != int64_t(i))
        return {};
    Value source = broadcast.getX();
    while (auto reshape = source.getDefiningOp<ReshapeOp>()) {
      if (!isUnitReshape(reshape))
        return {};
      take<ReshapeOp>(source);
      source = reshape.getX();
    }
    auto reduction = take<OpT>(source);
    bool isAlongRows = reduction && getShape(reduction.getX()) == shape &&
                       reduction.getAxes() == ArrayRef<int64_t>{int64_t(shape.size()) - 1};
    return isAlongRows ? reduction : OpT();
  }

  // exp(logits - max(logits)) / sum(...), perhaps in another shape. What rounds weights must see
  // them whole, which only their sum, at the end, makes them.
  bool matchSoftmax() {
    Value value = found.mix.getA();
    while (Operation *op = value.getDefiningOp()) {
      const bool rounds = !found.roundsWeights && isRounding(op);
      if (!isInBlock(op) || !(keepsRows(op) || rounds))
        break;
      found.roundsWeights |= rounds;
      inside.insert(op);
      value = op->getOperand(0);
    }
    auto div = take<DivOp>(value);
    found.exp = div ? take<ExpOp>(div.getA()) : ExpOp();
    auto sub = found.exp ? take<SubOp>(found.exp.getX()) : SubOp();
    if (!sub)
      return false;
    found.logits = sub.getA();
    Shape shape = getShape(found.logits);
    if (shape.empty())
      return false;
    found.sum = takeRow<ReduceSumOp>(div.getB(), shape);
    found.max = takeRow<ReduceMaxOp>(sub.getB(), shape);
    return found.sum && found.sum.getX() == found.exp.getY() && found.max &&
           found.max.getX() == found.logits;
  }

  // The first product that the logits follow from, and all on the way.
  bool matchScores() {
    llvm::SmallSetVector<Operation *, 8> above;
    auto visit = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || !isInBlock(op) || op->getNumResults() != 1)
        return;
      if (isa<DotGeneralOp>(op) || keepsRows(op) ||
          (isa<ElementwiseOpInterface>(op) && !canFail(op)))
        above.insert(op);
    };
    visit(found.logits);
    for (size_t i = 0; i < above.size() && above.size() <= kMostOps; ++i) {
      if (auto dot = dyn_cast<DotGeneralOp>(above[i])) {
        if (!found.scores || dot->isBeforeInBlock(found.scores))
          found.scores = dot;
        continue;
      }
      for (Value operand : above[i]->getOperands())
        visit(operand);
    }
    if (!found.scores || above.size() > kMostOps)
      return false;
    SmallVector<Operation *> order(above.begin(), above.end());
    llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    inside.insert(found.scores);
    for (Operation *op : order)
      if (!isa<DotGeneralOp>(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
            return inside.contains(operand.getDefiningOp());
          }))
        inside.insert(op);
    return inside.contains(found.logits.getDefiningOp());
  }

  static bool isWide(Value value) { return getElementType(value).isF64(); }

  bool areShapesGood() {
    std::optional<ContractionShape> scores = getContractionShape(found.scores);
    std::optional<ContractionShape> mix = getContractionShape(found.mix);
    if (!scores || !mix)
      return false;
    found.scoresShape = *scores;
    found.mixShape = *mix;
    // The same rows, one after the other in both.
    if (scores->nDims != 1 || scores->n != getShape(found.logits).back() || scores->n != mix->k ||
        scores->m != mix->m || scores->batch != mix->batch || found.mix.getAContract().size() != 1)
      return false;
    Shape weights = getShape(found.mix.getA());
    if (found.mix.getAContract().front() != int64_t(weights.size()) - 1)
      return false;
    if ((mix->m != DimExpr(1) && mix->a.row != mix->k) ||
        (mix->batch != DimExpr(1) && std::optional(mix->a.batch) != mul(mix->m, mix->k)))
      return false;
    auto fits = [](const DimExpr &width) {
      return width.isConstant() && width.constantValue() >= 1 &&
             width.constantValue() <= kMostHeadWidth;
    };
    if (!fits(scores->k) || !fits(mix->n) ||
        (mix->m.isConstant() && mix->m.constantValue() <= kFewRows))
      return false;
    // All sums are made in the same type.
    if (!isa<FloatType>(getElementType(found.scores.getY())))
      return false;
    for (Value value : {Value(found.scores.getY()), found.logits, Value(found.exp.getY())})
      if (isWide(value) != isWide(found.mix.getY()))
        return false;
    return true;
  }

  // Nobody else reads what would be in memory no more.
  bool isPrivate() {
    for (Operation *op : inside)
      for (Operation *user : op->getUsers()) {
        if (user == found.mix || inside.contains(user))
          continue;
        if (op != found.max && op != found.sum && !mayShare)
          return false;
      }
    Operation *values = found.mix.getB().getDefiningOp();
    return !inside.contains(values);
  }

  const bool mayShare;
  Attention found;
  llvm::SmallSetVector<Operation *, 16> inside;
};

} // namespace

bool Attention::isForTensorCores(AttentionKinds kinds) const {
  constexpr int64_t widest = 128; // of sums in registers
  Type type = getElementType(DotGeneralOp(mix).getB());
  return areOfTensorCores({scores, mix}, kinds) &&
         areWidthsOfTensorCores({scoresShape.k, mixShape.n}, type, widest) &&
         areWalksShort(mixShape.batch, mixShape.m, mixShape.k);
}

bool Attention::isAmong(AttentionKinds kinds) const {
  return (has(kinds, AttentionKinds::Exact) && !roundsWeights) || isForTensorCores(kinds);
}

std::optional<Attention> keratin::ir::attentionOf(DotGeneralOp mix, bool mayShare) {
  return AttentionMatcher(mix, mayShare).run();
}

std::optional<Attention> keratin::ir::attentionOf(ArrayRef<Operation *> ops) {
  // The product with values comes last.
  for (Operation *op : llvm::reverse(ops))
    if (auto dot = dyn_cast<DotGeneralOp>(op))
      return attentionOf(dot);
  return std::nullopt;
}

std::optional<Attention> keratin::ir::attentionOf(KernelOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return attentionOf(ops);
}

SmallVector<Operation *> Attention::opsBehind(ArrayRef<Operation *> ops,
                                              ArrayRef<Value> values) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  llvm::SmallSetVector<Operation *, 16> needed;
  auto need = [&](ValueRange read) {
    for (Value value : read)
      if (Operation *op = value.getDefiningOp(); op && all.contains(op))
        needed.insert(op);
  };
  needed.insert(DotGeneralOp(mix));
  need(values);
  for (size_t i = 1; i < needed.size(); ++i)
    if (!isInside(needed[i]))
      need(needed[i]->getOperands());
  SmallVector<Operation *> behind;
  for (Operation *op : ops)
    if (needed.contains(op) && !isInside(op))
      behind.push_back(op);
  return behind;
}

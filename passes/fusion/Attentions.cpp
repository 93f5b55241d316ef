#include "passes/fusion/Attentions.h"

#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// Ops of a mask that are done for each score.
static constexpr size_t kMostRemade = 16;

Attentions::Attentions(Block &block, AttentionKinds kinds,
                       std::vector<AttentionGradientOps> gradients) {
  SmallVector<Operation *> mixes;
  // Its last op is no product that attention would be found at.
  for (const AttentionGradientOps &ops : gradients)
    inside.insert(ops.begin(), ops.end());
  for (auto mix : block.getOps<DotGeneralOp>()) {
    if (inside.contains(mix))
      continue;
    std::optional<Attention> found = attentionOf(mix);
    // Scores may be made by attention themselves.
    if (!found || !found->isAmong(kinds) || byMix.contains(found->scores))
      continue;
    inside.insert(found->inside.begin(), found->inside.end());
    byMix.try_emplace(mix, std::move(*found));
    mixes.push_back(mix);
  }
  Ops candidates;
  for (Operation *mix : mixes)
    findRemade(byMix.find(mix)->second.inside, candidates);
  for (const AttentionGradientOps &ops : gradients)
    findRemade(ops, candidates);
  // Users before what they need.
  SmallVector<Operation *> order(candidates.takeVector());
  llvm::sort(order, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : order)
    if (isNeededHereAlone(op))
      remade.insert(op);
  for (AttentionGradientOps &ops : gradients) {
    inside.erase(ops.back());
    Operation *last = ops.back();
    byLast.try_emplace(last, std::move(ops));
  }
}

void Attentions::findRemade(ArrayRef<Operation *> ops, Ops &candidates) const {
  for (Operation *op : ops)
    for (Value operand : op->getOperands()) {
      Ops made;
      size_t dims = squeezed(getShape(operand)).size();
      if (!inside.contains(operand.getDefiningOp()) && !isa<DotGeneralOp>(op) &&
          canRemake(operand, dims, made))
        candidates.insert(made.begin(), made.end());
    }
}

// Whether the value, of so many dimensions, is made of values of fewer by cheap ops alone.
bool Attentions::canRemake(Value value, size_t dims, Ops &ops) const {
  Operation *op = value.getDefiningOp();
  bool isMoved = op && isFreeToRepeat(op);
  bool isComputed = op && isa<ElementwiseOpInterface>(op) && !isCostly(op) && !canFail(op) &&
                    !inside.contains(op) && op->getNumResults() == 1;
  if (ops.size() <= kMostRemade && (isMoved || isComputed)) {
    const size_t before = ops.size();
    if (isComputed)
      ops.insert(op);
    if (llvm::all_of(op->getOperands(),
                     [&](Value operand) { return canRemake(operand, dims, ops); }))
      return ops.size() <= kMostRemade;
    while (ops.size() > before)
      ops.pop_back();
  }
  return squeezed(getShape(value)).size() < dims;
}

bool Attentions::isNeededHereAlone(Operation *op) const {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return inside.contains(user) || remade.contains(user) ||
           (isFreeToRepeat(user) && !user->use_empty() && isNeededHereAlone(user));
  });
}

const AttentionGradientOps *Attentions::gradientsEndingAt(Operation *op) const {
  auto found = byLast.find(op);
  return found == byLast.end() ? nullptr : &found->second;
}

const Attention *Attentions::of(Operation *mix) const {
  auto found = byMix.find(mix);
  return found == byMix.end() ? nullptr : &found->second;
}

const Attention *Attentions::among(ArrayRef<Operation *> ops) const {
  if (!byMix.empty())
    for (Operation *op : ops)
      if (const Attention *attention = of(op))
        return attention;
  return nullptr;
}

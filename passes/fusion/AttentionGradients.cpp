#include "passes/fusion/AttentionGradients.h"

#include "ir/interfaces/AttentionGradient.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// So few scores stay near a processor until gradients read them: to make them again would take
// longer. On a device they would take several launches more.
static constexpr int64_t kFewScores = 128 * 128;

namespace {

class Separation {
public:
  Separation(Block &block, const Attention &attention, AttentionKinds kinds, size_t mostOps)
      : block(block), attention(attention), kinds(kinds), mostOps(mostOps),
        keys(getShape(attention.logits).back()) {}

  // Nothing is changed where it finds none.
  bool find(const ComputedSizes &sizes) {
    std::optional<DimExpr> scores = mul(attention.scoresShape.m, keys);
    if (has(kinds, AttentionKinds::Exact) && scores && scores->isConstant() &&
        scores->constantValue() <= kFewScores)
      return false;
    if (!followReaders() || gradient.empty() || !followMakers() || !isPrivate() || !findOrder())
      return false;
    findCopied();
    SmallVector<Operation *> all(copied);
    llvm::append_range(all, gradient);
    llvm::sort(all, isBefore);
    std::optional<AttentionGradient> found = attentionGradientOf(all);
    return all.size() <= mostOps && found && found->isAmong(kinds) &&
           (sizes.empty() ||
            llvm::all_of(all, [&](Operation *op) { return sizes.mentionedBy(op).empty(); }));
  }
  AttentionGradientOps separate();

private:
  using Ops = llvm::SmallSetVector<Operation *, 16>;
  using Visited = llvm::SmallPtrSet<Operation *, 16>;
  static bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

  bool hasMatrix(Operation *op) const {
    Shape shape = getShape(op->getResult(0));
    return shape.size() > 1 && shape.back() == keys;
  }
  bool isElementwise(Operation *op) const {
    return op->getBlock() == &block && op->getNumResults() == 1 &&
           (keepsRows(op) || (isa<ElementwiseOpInterface>(op) && !canFail(op)));
  }
  // Numbers of rows under another name; attention keeps these in memory, and whoever reads them
  // makes the name for itself.
  bool isNameOfRows(Operation *op) const {
    return isa<ReshapeOp>(op) && attention.isInside(op) && !hasMatrix(op);
  }

  bool followReaders();
  bool followMakers();
  bool reachesProduct(Value value, Ops &chain, Visited &followed);
  bool isPrivate();
  bool findOrder();
  void findCopied();

  Block &block;
  const Attention &attention;
  const AttentionKinds kinds;
  const size_t mostOps;
  const DimExpr keys;
  Ops gradient;
  llvm::DenseSet<Operation *> sums; // of them, the last
  SmallVector<Operation *> copied;  // of attention
  SmallVector<Operation *> later;   // must come behind gradients
  Operation *end = nullptr;         // where all of them stand before
};

// From what is read of attention to sums over queries or keys.
bool Separation::followReaders() {
  SmallVector<Operation *> work;
  for (Operation *op : attention.inside)
    if (!attention.isOfRows(op->getResult(0)) && !isNameOfRows(op))
      work.push_back(op);
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (user == attention.mix || attention.isInside(user) || gradient.contains(user))
        continue;
      if (auto dot = dyn_cast<DotGeneralOp>(user)) {
        if (dot->getBlock() != &block)
          return false;
        sums.insert(user);
      } else if (!isElementwise(user) || gradient.size() > mostOps) {
        return false;
      } else {
        work.push_back(user);
      }
      gradient.insert(user);
    }
  }
  return true;
}

// Up from there to other products of queries and keys.
bool Separation::followMakers() {
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (isa<DotGeneralOp>(gradient[i]))
      continue;
    for (Value operand : SmallVector<Value>(gradient[i]->getOperands())) {
      Ops chain;
      Visited followed;
      if (reachesProduct(operand, chain, followed))
        gradient.insert(chain.begin(), chain.end());
    }
    if (gradient.size() > mostOps)
      return false;
  }
  return true;
}

bool Separation::reachesProduct(Value value, Ops &chain, Visited &followed) {
  constexpr size_t mostOnTheWay = 16;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block || attention.isInside(op) || gradient.contains(op) ||
      chain.size() > mostOnTheWay || op->getNumResults() != 1 || !hasMatrix(op))
    return false;
  if (chain.contains(op))
    return true;
  if (isa<DotGeneralOp>(op))
    return chain.insert(op);
  // Each is followed once, and not far.
  constexpr size_t mostFollowed = 1024;
  if (!isElementwise(op) || followed.size() == mostFollowed || !followed.insert(op).second)
    return false;
  bool reaches = false;
  for (Value operand : op->getOperands())
    if (reachesProduct(operand, chain, followed))
      reaches = true;
  if (reaches)
    chain.insert(op);
  return reaches;
}

bool Separation::isPrivate() {
  return llvm::all_of(gradient, [&](Operation *op) {
    return sums.contains(op) ||
           llvm::all_of(op->getUsers(), [&](Operation *user) { return gradient.contains(user); });
  });
}

// Gradients come behind attention, and what follows from their sums behind all of them; neither
// gradients nor attention do.
bool Separation::findOrder() {
  Operation *first = nullptr, *mix = DotGeneralOp(attention.mix), *last = mix;
  for (Operation *op : gradient) {
    if (sums.contains(op) && (!first || isBefore(op, first)))
      first = op;
    if (isBefore(last, op))
      last = op;
  }
  if (!first)
    return false;
  end = last->getNextNode();
  llvm::DenseSet<Operation *> behind;
  for (Operation *op = first; op != end; op = op->getNextNode()) {
    bool follows = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return maker && (behind.contains(maker) || sums.contains(maker));
    });
    if (!follows)
      continue;
    if (gradient.contains(op) || op == mix)
      return false;
    behind.insert(op);
    later.push_back(op);
  }
  return true;
}

// What gradients need of attention but the numbers of rows.
void Separation::findCopied() {
  Ops needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && attention.isInside(maker) && !attention.isOfRows(operand))
        needed.insert(maker);
  };
  for (Operation *op : gradient)
    need(op);
  for (size_t i = 0; i < needed.size(); ++i)
    need(needed[i]);
  copied.assign(needed.begin(), needed.end());
  llvm::sort(copied, isBefore);
}

AttentionGradientOps Separation::separate() {
  SmallVector<Operation *> order(gradient.begin(), gradient.end());
  llvm::sort(order, isBefore);
  for (Operation *op : order)
    op->moveBefore(end);
  for (Operation *op : later)
    op->moveBefore(end);
  OpBuilder builder(order.front());
  IRMapping copies;
  AttentionGradientOps ops;
  for (Operation *op : copied) {
    Operation *copy = builder.clone(*op, copies);
    ops.push_back(copy);
  }
  for (Operation *op : order) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(copies.lookupOrDefault(operand.get()));
    ops.push_back(op);
  }
  // Others that read numbers of rows.
  for (Operation *op : attention.inside)
    if (isNameOfRows(op)) {
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op);
      op->getResult(0).replaceUsesWithIf(
          copy->getResult(0), [&](OpOperand &use) { return !attention.isInside(use.getOwner()); });
      if (copy->use_empty())
        copy->erase();
    }
  return ops;
}

} // namespace

std::vector<AttentionGradientOps>
keratin::passes::separateAttentionGradients(Block &block, AttentionKinds kinds,
                                            const ComputedSizes &sizes, size_t mostOps) {
  SmallVector<DotGeneralOp> mixes(block.getOps<DotGeneralOp>());
  std::vector<AttentionGradientOps> found;
  for (DotGeneralOp mix : mixes) {
    std::optional<Attention> attention = attentionOf(mix, /*mayShare=*/true);
    if (!attention || !attention->isAmong(kinds))
      continue;
    Separation separation(block, *attention, kinds, mostOps);
    if (separation.find(sizes))
      found.push_back(separation.separate());
  }
  return found;
}

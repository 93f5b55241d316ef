#include "passes/shard/Bucket.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

int64_t keratin::passes::bytesOf(Value value) {
  std::optional<DimExpr> bytes = byteCount(value);
  std::optional<int64_t> known =
      bytes ? bytes->evaluate([](int64_t) { return std::optional<int64_t>(32); }) : std::nullopt;
  return known.value_or(INT64_MAX);
}

bool Bucket::waits(Operation &op) const {
  if (users.contains(&op))
    return true;
  return op
      .walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp(); maker && waiting.contains(maker))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool Bucket::isReadyFor(const Need &need) {
  if (members.empty())
    return true;
  Operation *maker = need.share.getDefiningOp();
  for (; last != maker; last = last->getNextNode())
    if (waits(*last)) {
      if (!isMemoryEffectFree(last))
        return false;
      waiting.insert(last);
    }
  return !waits(*maker);
}

void Bucket::add(const Need &need) {
  if (members.empty())
    last = need.share.getDefiningOp();
  members.push_back(need);
  sum += need.bytes;
  for (OpOperand *use : need.uses)
    users.insert(body.findAncestorOpInBlock(*use->getOwner()));
}

void Bucket::moveWaiting() {
  Operation *behind = members.back().share.getDefiningOp();
  for (Operation *op : waiting) {
    if (behind->isBeforeInBlock(op))
      continue;
    op->moveAfter(behind);
    behind = op;
  }
}

void Bucket::clear() {
  members.clear();
  users.clear();
  waiting.clear();
  sum = 0;
}

// How many ops of the block stand one behind the other up to each, at most. What can be seen from
// outside, and sizes that are defined, stay in front of what stands behind them.
static std::vector<std::vector<Operation *>> levelsOf(Block &body) {
  std::vector<std::vector<Operation *>> levels(1);
  llvm::DenseMap<Operation *, size_t> levelOf;
  size_t least = 0;
  for (Operation &op : body.without_terminator()) {
    size_t level = least;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == &body)
          level = std::max(level, levelOf.lookup(maker) + 1);
    });
    if (!isMemoryEffectFree(&op))
      least = level;
    levelOf[&op] = level;
    if (level >= levels.size())
      levels.resize(level + 1);
    levels[level].push_back(&op);
  }
  return levels;
}

void keratin::passes::sortByPlace(MutableArrayRef<Need> needs) {
  llvm::sort(needs, [](const Need &a, const Need &b) {
    Operation *first = a.share.getDefiningOp(), *second = b.share.getDefiningOp();
    return first != second ? first->isBeforeInBlock(second)
                           : cast<OpResult>(a.share).getResultNumber() <
                                 cast<OpResult>(b.share).getResultNumber();
  });
}

void keratin::passes::makeEarly(Block &body, MutableArrayRef<Need> needs) {
  for (const std::vector<Operation *> &level : levelsOf(body))
    for (Operation *op : level)
      op->moveBefore(body.getTerminator());
  sortByPlace(needs);
}

// The first of those that are the last bucket, if nothing else ends it.
static const Need *firstOfLast(ArrayRef<Need> needs, int64_t bytes) {
  const Need *first = needs.end();
  while (first != needs.begin() && first[-1].bytes <= bytes)
    bytes -= (--first)->bytes;
  return first;
}

void keratin::passes::sendInBuckets(Block &body, ArrayRef<Need> needs, BucketLimits limits,
                                    function_ref<void(ArrayRef<Need>)> send) {
  Bucket bucket(body);
  auto close = [&] {
    if (bucket.needs().empty())
      return;
    bucket.moveWaiting();
    send(bucket.needs());
    bucket.clear();
  };
  const Need *last = firstOfLast(needs, limits.lastBytes);
  for (const Need &need : needs) {
    if (!bucket.needs().empty() &&
        (&need == last || need.bytes > limits.bytes - bucket.bytes() ||
         getElementType(need.share) != getElementType(bucket.needs().front().share) ||
         !bucket.isReadyFor(need)))
      close();
    bucket.add(need);
  }
  close();
}

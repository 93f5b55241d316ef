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

void keratin::passes::sendInBuckets(Block &body, ArrayRef<Need> needs, int64_t bucketBytes,
                                    function_ref<void(ArrayRef<Need>)> send) {
  Bucket bucket(body);
  auto close = [&] {
    if (bucket.needs().empty())
      return;
    bucket.moveWaiting();
    send(bucket.needs());
    bucket.clear();
  };
  for (const Need &need : needs) {
    if (!bucket.needs().empty() &&
        (need.bytes > bucketBytes - bucket.bytes() ||
         getElementType(need.share) != getElementType(bucket.needs().front().share) ||
         !bucket.isReadyFor(need)))
      close();
    bucket.add(need);
  }
  close();
}

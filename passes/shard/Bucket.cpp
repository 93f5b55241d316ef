#include "passes/shard/Bucket.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::passes;
using namespace mlir;

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

void Bucket::add(const Need &need, int64_t bytes) {
  if (members.empty())
    last = need.share.getDefiningOp();
  members.push_back(need);
  sum += bytes;
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

#include "codegen/cpu/SideBySide.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace keratin::codegen;
using namespace mlir;

Operation *SideBySide::lastOp() const {
  auto point = b.getInsertionPoint();
  return point == block->begin() ? nullptr : &*std::prev(point);
}

// Whether nothing behind a pointer changes, of ops that take one.
static bool onlyReads(Operation *op) {
  return isa<LLVM::GEPOp, LLVM::LoadOp, LLVM::MaskedLoadOp, LLVM::Prefetch>(op);
}

namespace {

// Ops that wait for their turn, and what each has to wait for.
class Waiting {
public:
  Waiting(Operation *first, Operation *end) {
    for (Operation *op = first; op != end; op = op->getNextNode())
      add(op);
  }

  bool isReady(Operation *op) const {
    return llvm::none_of(needs.at(op),
                         [&](Operation *other) { return other != op && left.contains(other); });
  }
  void remove(Operation *op) { left.erase(op); }

private:
  void add(Operation *op) {
    SmallVector<Operation *> &needed = needs[op];
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (Operation *maker = operand.getDefiningOp(); maker && left.contains(maker))
          needed.push_back(maker);
        if (!isa<LLVM::LLVMPointerType>(operand.getType()))
          continue;
        Uses &uses = usesOf[operand];
        const bool changes = !onlyReads(inner);
        if (uses.isChanged || changes)
          needed.append(uses.ops);
        uses.isChanged |= changes;
        uses.ops.push_back(op);
      }
    });
    left.insert(op);
  }

  struct Uses {
    bool isChanged = false;
    SmallVector<Operation *> ops;
  };
  llvm::DenseMap<Value, Uses> usesOf;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> needs;
  llvm::DenseSet<Operation *> left;
};

} // namespace

void SideBySide::takeTurns() {
  assert(b.getInsertionBlock() == block && "parts are straight");
  if (begins.size() < 2 || begins.front() == lastOp())
    return;
  auto behind = [&](Operation *op) { return op ? op->getNextNode() : &block->front(); };
  Operation *const end = behind(lastOp());
  Waiting waiting(behind(begins.front()), end);
  SmallVector<SmallVector<Operation *>> parts(begins.size());
  for (size_t i = 0; i < begins.size(); ++i) {
    Operation *stop = i + 1 < begins.size() ? behind(begins[i + 1]) : end;
    for (Operation *op = behind(begins[i]); op != stop; op = op->getNextNode())
      parts[i].push_back(op);
  }
  // In a round each part whose next op need not wait places it. The first part that has any left
  // never waits for those behind it.
  SmallVector<size_t> placed(parts.size());
  for (bool isDone = false; !isDone;) {
    isDone = true;
    for (auto [part, at] : llvm::zip(parts, placed)) {
      if (at == part.size())
        continue;
      isDone = false;
      if (!waiting.isReady(part[at]))
        continue;
      waiting.remove(part[at]);
      part[at]->moveBefore(block, b.getInsertionPoint());
      ++at;
    }
  }
}

#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/AfterLoop.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SINKSTACKS
#include "passes/Passes.h.inc"

namespace {

// Elements that may be stacked anew for each one that the loop no longer makes.
constexpr int64_t kMostStacked = 2;
// A round finds what the loop has to compute for that of the one before; two are the rule.
constexpr int kMaxSinkRounds = 8;

class StackSinking {
public:
  explicit StackSinking(ScanOp op) : scan(op), sinks(scan.stacks.size(), true) {}
  void run();

private:
  void addNeeded(ValueRange values);
  void addWhatStays();
  void findSunk(AfterLoop &after);
  static bool pays(const AfterLoop &after, Value element);
  bool dropOthers(const AfterLoop &after);
  void sink(AfterLoop &after);

  ScanEditor scan;
  SmallVector<bool> sinks; // by stack
  DenseSet<Value> needed;  // values of the body that the loop computes in any case
};

void StackSinking::addNeeded(ValueRange values) {
  SmallVector<Value> work(values.begin(), values.end());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (needed.insert(value).second)
      if (Operation *op = value.getDefiningOp())
        work.append(op->operand_begin(), op->operand_end());
  }
}

// For states, effects, and stacks that stay.
void StackSinking::addWhatStays() {
  for (const ScanEditor::State &state : scan.states)
    addNeeded(state.next);
  for (auto [sink, stack] : llvm::zip(sinks, scan.stacks))
    if (!sink)
      addNeeded(stack.element);
  for (Operation &op : scan.body().without_terminator())
    if (!isMemoryEffectFree(&op))
      addNeeded(op.getOperands());
}

// Contractions with what is the same at each step, and what follows from them.
void StackSinking::findSunk(AfterLoop &after) {
  auto varies = [&](Value x) { return after.varies(x); };
  for (Operation &op : scan.body().without_terminator()) {
    bool isRoot = isContraction(&op) && varies(op.getOperand(0)) != varies(op.getOperand(1));
    bool follows = llvm::any_of(op.getOperands(), [&](Value x) {
      return x.getDefiningOp() && after.sunk.contains(x.getDefiningOp());
    });
    if ((isRoot || follows) && canBatch(&op, scan.op().getSteps(), varies) &&
        !needed.contains(op.getResult(0)))
      after.sunk.insert(&op);
  }
}

// What is stacked for it costs memory, if less time than what leaves the loop.
bool StackSinking::pays(const AfterLoop &after, Value element) {
  Operation *op = element.getDefiningOp();
  std::optional<AfterLoop::Sources> sources;
  if (op && after.sunk.contains(op))
    sources = after.sourcesOf(element);
  if (!sources)
    return false;
  auto addElements = [](std::optional<DimExpr> sum, Value value) {
    std::optional<DimExpr> count = elementCount(getShape(value));
    return sum && count ? add(*sum, *count) : std::nullopt;
  };
  std::optional<DimExpr> before(0), behind(0);
  for (Operation *made : sources->made)
    if (isContraction(made) || made == op)
      before = addElements(before, made->getResult(0));
  for (Value stacked : sources->stacked)
    behind = addElements(behind, stacked);
  std::optional<DimExpr> most = before ? mul(*before, kMostStacked) : std::nullopt;
  std::optional<DimExpr> room = most && behind ? sub(*most, *behind) : std::nullopt;
  return room && room->lowerBound() && *room->lowerBound() >= 0;
}

// Whether stacks were found that stay after all, or values that the loop needs for others.
bool StackSinking::dropOthers(const AfterLoop &after) {
  bool changed = false;
  for (auto [sink, stack] : llvm::zip(sinks, scan.stacks)) {
    if (!sink)
      continue;
    if (!pays(after, stack.element)) {
      sink = false;
      changed = true;
      continue;
    }
    std::optional<AfterLoop::Sources> sources = after.sourcesOf(stack.element);
    addNeeded(sources->stacked.getArrayRef());
  }
  return changed ||
         llvm::any_of(after.sunk, [&](Operation *op) { return needed.contains(op->getResult(0)); });
}

void StackSinking::sink(AfterLoop &after) {
  for (size_t i = 0; i < sinks.size(); ++i)
    if (sinks[i])
      scan.stacks[i].result.replaceAllUsesWith(after.make(scan.stacks[i].element).value);
  for (size_t i = sinks.size(); i-- > 0;)
    if (sinks[i])
      scan.stacks.erase(scan.stacks.begin() + i);
  after.finish();
}

void StackSinking::run() {
  for (int round = 0; round < kMaxSinkRounds && llvm::is_contained(sinks, true); ++round) {
    AfterLoop after(scan, [&](unsigned i) { return !sinks[i]; });
    addWhatStays();
    findSunk(after);
    if (!dropOthers(after))
      return sink(after);
  }
}

struct SinkStacksPass : impl::SinkStacksBase<SinkStacksPass> {
  void runOnOperation() override {
    // Outer loops last: what leaves an inner one may leave them, too.
    for (ScanOp scan : innermostToBatch(getOperation()))
      StackSinking(scan).run();
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes

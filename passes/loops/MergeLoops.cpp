#include "passes/Passes.h"
#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepValues.h"

#include "ir/interfaces/ComputedSizes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_MERGELOOPS
#include "passes/Passes.h.inc"

namespace {

// Loops of one block that are compared with each other. A gradient adds two or three to each.
constexpr size_t kMostCompared = 128;

bool isSubset(OperandRange a, OperandRange b) {
  DenseSet<Value> all(b.begin(), b.end());
  return llvm::all_of(a, [&](Value x) { return all.contains(x); });
}

// What can be seen from outside of whether one may be a part of the other.
bool mayBePart(ScanOp part, ScanOp whole) {
  return part != whole && part.getSteps() == whole.getSteps() &&
         part.getReverse() == whole.getReverse() && isSubset(part.getInits(), whole.getInits()) &&
         isSubset(part.getSequences(), whole.getSequences()) &&
         isSubset(part.getCaptures(), whole.getCaptures());
}

// The values of the whole's body that equal what the part yields; none if one is missing. A state
// is carried only if it equals one of the whole's.
std::optional<SmallVector<Value>> findPart(ScanOp part, ScanOp whole, const StepValues &values) {
  Block *home = &whole.getBody().front();
  SmallVector<Value> found;
  for (Value state : part.getStateArguments())
    found.push_back(values.leader(state));
  Operation *yield = part.getBody().front().getTerminator();
  for (Value element : yield->getOperands().drop_front(part.getNumStates()))
    found.push_back(values.leader(element));
  for (Value value : found)
    if (value.getParentBlock() != home)
      return std::nullopt;
  return found;
}

// Moves op before another one of its block, and with it what it is computed from. False, and
// nothing is moved, if it is computed from that one, or from what cannot be moved.
bool moveBefore(Operation *op, Operation *place) {
  if (op->isBeforeInBlock(place))
    return true;
  SetVector<Operation *> needed;
  needed.insert(op);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] == place || !isMemoryEffectFree(needed[i]))
      return false;
    for (Value operand : needed[i]->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (definition && !definition->isBeforeInBlock(place))
        needed.insert(definition);
    }
  }
  // A size that is known only behind what defines it may stand in any type.
  for (Operation *other = place; other != op; other = other->getNextNode())
    if (symbolDefinedBy(other))
      return false;
  SmallVector<Operation *> order = needed.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *moved : order)
    moved->moveBefore(place);
  return true;
}

bool mergePart(ScanOp part, ScanOp whole) {
  StepValues values({whole, part});
  std::optional<SmallVector<Value>> found = findPart(part, whole, values);
  if (!found || !moveBefore(whole, part))
    return false;
  ScanEditor editor(whole);
  SmallVector<unsigned> places;
  ArrayRef<Value> states = ArrayRef(*found).take_front(part.getNumStates());
  for (Value state : states)
    places.push_back(cast<BlockArgument>(state).getArgNumber() - 1);
  for (Value element : ArrayRef(*found).drop_front(part.getNumStates())) {
    auto stacked = llvm::find_if(editor.stacks, [&](const ScanEditor::Stack &stack) {
      return values.leader(stack.element) == element;
    });
    // The part stacked values of this type, so there is one.
    places.push_back(editor.states.size() + (stacked != editor.stacks.end()
                                                 ? stacked - editor.stacks.begin()
                                                 : *editor.stack(element)));
  }
  whole = cast<ScanOp>(*editor.finish());
  for (auto [result, place] : llvm::zip(part.getResults(), places))
    result.replaceAllUsesWith(whole.getResult(place));
  part.erase();
  return true;
}

bool mergeOnePair(Block &block) {
  SmallVector<ScanOp> scans;
  for (Operation &op : block)
    if (auto scan = dyn_cast<ScanOp>(op); scan && isMemoryEffectFree(scan))
      scans.push_back(scan);
  if (scans.size() > kMostCompared)
    return false;
  for (ScanOp part : scans)
    for (ScanOp whole : scans)
      if (mayBePart(part, whole) && mergePart(part, whole))
        return true;
  return false;
}

// States that are equal at every step are one, and so are stacks of equal values.
void mergeStates(ScanOp scan) {
  StepValues values(scan);
  ScanEditor editor(scan);
  DenseMap<Value, Value> lastOf, stackOf;
  bool changed = false;
  llvm::erase_if(editor.states, [&](ScanEditor::State &state) {
    Value leader = values.leader(state.argument);
    Value kept = lastOf.try_emplace(leader, state.last).first->second;
    if (kept == state.last)
      return false;
    state.last.replaceAllUsesWith(kept);
    state.argument.replaceAllUsesWith(leader);
    return changed = true;
  });
  llvm::erase_if(editor.stacks, [&](ScanEditor::Stack &stack) {
    Value kept = stackOf.try_emplace(values.leader(stack.element), stack.result).first->second;
    if (kept == stack.result)
      return false;
    stack.result.replaceAllUsesWith(kept);
    return changed = true;
  });
  if (!changed)
    return;
  // What is handed on is named by its leader too: the argument of a dropped state is gone.
  for (ScanEditor::State &state : editor.states)
    state.next = values.leader(state.next);
  for (ScanEditor::Stack &stack : editor.stacks)
    stack.element = values.leader(stack.element);
  editor.finish();
}

struct MergeLoopsPass : impl::MergeLoopsBase<MergeLoopsPass> {
  void runOnOperation() override {
    // Inner loops first: bodies are compared op by op.
    for (ScanOp scan : innermostFirst(getOperation()))
      mergeStates(scan);
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      while (mergeOnePair(*block)) {
      }
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes

#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"
#include "passes/loops/ScanEditor.h"
#include "passes/simplify/GradientPins.h"
#include "passes/simplify/Matchers.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/VectorizedMap.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SIMPLIFYLOOPS
#include "passes/Passes.h.inc"

namespace {

// A round sees what the one before left in nested loops; two are the rule.
constexpr int kMaxRounds = 8;

// States that a loop of this kind cannot be without: the condition of a keratin.while.
size_t fixedStates(ScanEditor &scan) { return isa<WhileOp>(*scan.op()) ? 1 : 0; }

// The values of the body that a result in use or an effect depends on, from step to step.
DenseSet<Value> liveValues(ScanEditor &scan) {
  SmallVector<Value> work;
  for (auto [i, state] : llvm::enumerate(scan.states))
    if (i < fixedStates(scan) || !state.last.use_empty())
      work.push_back(state.next);
  for (const ScanEditor::Stack &stack : scan.stacks)
    if (!stack.result.use_empty())
      work.push_back(stack.element);
  for (Operation &op : scan.body().without_terminator())
    if (!isMemoryEffectFree(&op))
      work.append(op.operand_begin(), op.operand_end());
  DenseMap<Value, Value> nextOf;
  for (const ScanEditor::State &state : scan.states)
    nextOf[state.argument] = state.next;
  DenseSet<Value> live;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!live.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp())
      work.append(op->operand_begin(), op->operand_end());
    else if (Value next = nextOf.lookup(value))
      work.push_back(next);
  }
  return live;
}

bool dropDead(ScanEditor &scan) {
  DenseSet<Value> live = liveValues(scan);
  size_t before = scan.states.size() + scan.stacks.size();
  auto dropped = std::remove_if(scan.states.begin() + fixedStates(scan), scan.states.end(),
                                [&](const ScanEditor::State &state) {
                                  return state.last.use_empty() && !live.contains(state.argument);
                                });
  scan.states.erase(dropped, scan.states.end());
  llvm::erase_if(scan.stacks,
                 [](const ScanEditor::Stack &stack) { return stack.result.use_empty(); });
  // Ops that only dropped states needed go when the scan is finished.
  return scan.states.size() + scan.stacks.size() != before;
}

bool dropUnreadInputs(ScanEditor &scan) {
  auto isUnread = [](const ScanEditor::Input &input) { return input.argument.use_empty(); };
  return llvm::any_of(scan.sequences, isUnread) || llvm::any_of(scan.captures, isUnread);
}

bool mergeEqualInputs(ScanEditor &scan, SmallVector<ScanEditor::Input> &inputs) {
  bool changed = false;
  DenseMap<Value, BlockArgument> first;
  for (const ScanEditor::Input &input : inputs) {
    BlockArgument kept = first.try_emplace(input.operand, input.argument).first->second;
    if (kept == input.argument || input.argument.use_empty())
      continue;
    scan.replace(input.argument, kept);
    changed = true;
  }
  return changed;
}

// A state that keeps its first value is a capture: what steps hand on is itself, or the number that
// it began with.
bool captureConstantStates(ScanEditor &scan) {
  size_t before = scan.states.size();
  for (size_t i = fixedStates(scan); i < scan.states.size();) {
    ScanEditor::State state = scan.states[i];
    Attribute first = getSplat(state.init);
    if (state.next != state.argument && (!first || getSplat(state.next) != first)) {
      ++i;
      continue;
    }
    scan.states.erase(scan.states.begin() + i);
    state.last.replaceAllUsesWith(state.init);
    scan.replace(state.argument, scan.capture(state.init));
  }
  return scan.states.size() != before;
}

// What is cheap is made inside, of captures of its own.
bool cloneCheapCaptures(ScanEditor &scan) {
  bool changed = false;
  for (size_t i = 0; i < scan.captures.size(); ++i) {
    auto [operand, argument] = scan.captures[i];
    // Broadcasts are looked at from inside: outside they may have other users.
    if (argument.use_empty() || !isCheapInside(operand) ||
        (operand.getDefiningOp<BroadcastOp>() && !usersFuse(argument)))
      continue;
    // At the beginning, since what was made before may read it.
    OpBuilder builder = OpBuilder::atBlockBegin(&scan.body());
    Operation *clone = builder.clone(*operand.getDefiningOp());
    for (OpOperand &use : clone->getOpOperands())
      use.set(scan.capture(use.get()));
    scan.replace(argument, clone->getResult(0));
    changed = true;
  }
  return changed;
}

// The element of a sequence that is a broadcast or counts its places.
Value buildElement(ScanEditor &scan, OpBuilder &builder, const ScanEditor::Input &input) {
  GraphMath g(builder, input.operand.getLoc());
  RankedTensorType type = getTensorType(input.argument);
  if (auto iota = input.operand.getDefiningOp<IotaOp>()) {
    if (iota.getAxis() > 0)
      return g.iota(type, iota.getAxis() - 1);
    return g.broadcastScalar(g.cast(scan.stepNumber(), type.getElementType()), getShape(type));
  }
  auto broadcast = input.operand.getDefiningOp<BroadcastOp>();
  if (!broadcast || !usersFuse(input.argument))
    return {};
  ArrayRef<int64_t> dims = broadcast.getDims();
  Value x = broadcast.getX();
  // Repeated along the places, or the same repetition of each element of a smaller sequence.
  if (dims.empty() || dims.front() != 0) {
    x = scan.capture(x);
  } else if (getShape(x).front() == scan.op().getSteps()) {
    x = scan.sequence(x);
    dims = dims.drop_front();
  } else {
    Shape shape = getShape(x);
    shape.erase(shape.begin());
    x = g.reshape(scan.capture(x), shape);
    dims = dims.drop_front();
  }
  SmallVector<int64_t> inner;
  for (int64_t dim : dims)
    inner.push_back(dim - 1);
  return g.broadcast(x, getShape(type), inner);
}

bool replaceRegularSequences(ScanEditor &scan) {
  bool changed = false;
  for (size_t i = 0; i < scan.sequences.size(); ++i) {
    ScanEditor::Input input = scan.sequences[i];
    if (input.argument.use_empty())
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&scan.body());
    if (Value element = buildElement(scan, builder, input)) {
      scan.replace(input.argument, element);
      changed = true;
    }
  }
  return changed;
}

// The stack as a value that exists without the loop; null if there is none.
Value buildStack(ScanEditor &scan, OpBuilder &builder, const ScanEditor::Stack &stack) {
  GraphMath g(builder, stack.result.getLoc());
  Shape shape = getShape(stack.result);
  if (stack.element == scan.stepNumber())
    return g.iota(getTensorType(stack.result), 0);
  for (const ScanEditor::Input &input : scan.sequences)
    if (stack.element == input.argument)
      return input.operand;
  for (const ScanEditor::Input &input : scan.captures)
    if (stack.element == input.argument) {
      SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(1, shape.size()));
      return g.broadcast(input.operand, shape, dims);
    }
  if (Attribute splat = getSplat(stack.element)) {
    auto scalar = RankedTensorType::get({}, getElementType(stack.element));
    Value value = builder.create<ConstantOp>(stack.result.getLoc(), scalar,
                                             DenseElementsAttr::get(scalar, splat));
    return g.broadcastScalar(value, shape);
  }
  return {};
}

bool replaceKnownStacks(ScanEditor &scan) {
  bool changed = false;
  OpBuilder builder(scan.op());
  DenseMap<Value, Value> first;
  llvm::erase_if(scan.stacks, [&](ScanEditor::Stack &stack) {
    // Before a loop of unknown length there is nothing of its size.
    Value same = isa<WhileOp>(*scan.op()) ? Value() : buildStack(scan, builder, stack);
    if (!same) {
      same = first.try_emplace(stack.element, stack.result).first->second;
      if (same == stack.result)
        return false;
    }
    stack.result.replaceAllUsesWith(same);
    changed = true;
    return true;
  });
  return changed;
}

// A slice that takes the last step's element of a stack, and so says that there is a last step.
bool takesLast(OpOperand &use, LoopOpInterface loop) {
  auto slice = dyn_cast<SliceOp>(use.getOwner());
  if (!slice || getShape(slice).front() != DimExpr(1))
    return false;
  auto scan = dyn_cast<ScanOp>(*loop);
  std::optional<DimExpr> last = scan && scan.getReverse() ? DimExpr(0) : sub(loop.getSteps(), 1);
  return last && slice.getStarts().getDims().front() == *last;
}

// Pairs of a stack's result and the state that holds its last element.
using LastElements = SmallVector<std::pair<unsigned, unsigned>>;

LastElements findLastElements(ScanEditor &scan) {
  LastElements found;
  if (scan.op()->hasAttr(kVectorizedAttr)) // soon no loop
    return found;
  OpBuilder builder(scan.op());
  for (auto [i, stack] : llvm::enumerate(scan.stacks)) {
    if (stack.result.use_empty() || !llvm::all_of(stack.result.getUses(), [&](OpOperand &use) {
          return takesLast(use, scan.op());
        }))
      continue;
    Value element = stack.element;
    auto state = llvm::find_if(
        scan.states, [&](const ScanEditor::State &state) { return state.next == element; });
    unsigned index = state - scan.states.begin();
    if (state == scan.states.end()) {
      GraphMath g(builder, stack.result.getLoc());
      index = scan.addState(g.splat(0.0, getTensorType(element)));
      scan.states[index].next = element;
    }
    found.push_back({i, index});
  }
  return found;
}

void readLastElements(LoopOpInterface scan, const LastElements &found) {
  for (auto [stack, state] : found)
    for (Operation *user : llvm::make_early_inc_range(scan.getStacks()[stack].getUsers())) {
      auto slice = cast<SliceOp>(user);
      OpBuilder builder(slice);
      GraphMath g(builder, slice.getLoc());
      Value last = scan.getLastStates()[state];
      Shape row = getShape(last), starts = slice.getStarts().getDims();
      row.insert(row.begin(), DimExpr(1));
      starts[0] = DimExpr(0);
      slice.replaceAllUsesWith(
          g.slice(g.reshape(last, row), starts, getShape(slice), slice.getStrides()));
      slice.erase();
    }
}

bool simplify(LoopOpInterface op) {
  ScanEditor scan(op);
  bool changed = dropDead(scan);
  changed |= mergeEqualInputs(scan, scan.sequences);
  changed |= mergeEqualInputs(scan, scan.captures);
  changed |= captureConstantStates(scan);
  changed |= replaceRegularSequences(scan);
  changed |= cloneCheapCaptures(scan);
  changed |= replaceKnownStacks(scan);
  changed |= dropUnreadInputs(scan);
  LastElements last = findLastElements(scan);
  if (!changed && last.empty())
    return false;
  readLastElements(scan.finish(), last);
  return true;
}

// A loop of one step is its body, one of none is what it begins with.
bool unrollTrivial(ScanOp scan) {
  if (!scan.getSteps().isConstant() || scan.getSteps().constantValue() > 1)
    return false;
  OpBuilder builder(scan);
  GraphMath g(builder, scan.getLoc());
  if (scan.getSteps() == DimExpr(0)) {
    // An effect in the body may be a value that is pinned for gradients: it must stay.
    if (!isMemoryEffectFree(scan))
      return false;
    scan.getLastStates().replaceAllUsesWith(scan.getInits());
    for (Value stack : scan.getStacks())
      stack.replaceAllUsesWith(g.splat(0.0, getTensorType(stack)));
    scan.erase();
    return true;
  }
  scan.getStepNumber().replaceAllUsesWith(g.integerScalar(0, builder.getI64Type()));
  for (auto [argument, init] : llvm::zip(scan.getStateArguments(), scan.getInits()))
    argument.replaceAllUsesWith(init);
  for (auto [argument, operand] : llvm::zip(scan.getCaptureArguments(), scan.getCaptures()))
    argument.replaceAllUsesWith(operand);
  for (auto [argument, sequence] : llvm::zip(scan.getElementArguments(), scan.getSequences()))
    argument.replaceAllUsesWith(g.reshape(sequence, getShape(argument)));
  Block &body = scan.getBody().front();
  SmallVector<Value> yielded(body.getTerminator()->getOperands());
  auto ops = body.without_terminator();
  scan->getBlock()->getOperations().splice(scan->getIterator(), body.getOperations(), ops.begin(),
                                           ops.end());
  for (auto [value, result] : llvm::zip(yielded, scan.getResults()))
    result.replaceAllUsesWith(g.reshape(value, getShape(result)));
  scan.erase();
  return true;
}

struct SimplifyLoopsPass : impl::SimplifyLoopsBase<SimplifyLoopsPass> {
  void runOnOperation() override {
    GradientPins pins(getOperation());
    bool changed = true;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
      changed = false;
      // Inner loops first: what they no longer read may be dead in the loop around them.
      for (LoopOpInterface loop : innermostLoops(getOperation())) {
        auto scan = dyn_cast<ScanOp>(*loop);
        changed |= (scan && unrollTrivial(scan)) || simplify(loop);
      }
    }
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes

#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/AfterLoop.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SINKACCUMULATORS
#include "passes/Passes.h.inc"

namespace {

// An addend of each step that can be summed behind the loop: `ops`, outermost first, of the sum of
// `innermost`. Each op is linear in one operand, and its others are the same at each step.
struct Addend {
  SmallVector<Operation *> ops;
  Value innermost;
};

class AccumulatorSinking {
public:
  explicit AccumulatorSinking(ScanOp op) : scan(op), after(scan, [](unsigned) { return true; }) {}
  // The scan without what was moved; null if nothing was.
  ScanOp run();

private:
  SmallVector<Value> addendsOf(const ScanEditor::State &state) const;
  std::optional<Addend> match(Value addend) const;
  OpOperand *linearOperand(Operation *op) const;
  bool isSummedBehind(Value value) const;
  Value build(const Addend &addend);

  ScanEditor scan;
  AfterLoop after;
};

// The state's next value is the state plus these; none if it is used in another way.
SmallVector<Value> AccumulatorSinking::addendsOf(const ScanEditor::State &state) const {
  SmallVector<Value> addends, work{state.next};
  if (!state.next.hasOneUse() || !state.argument.hasOneUse() || state.next == state.argument)
    return {};
  bool found = false;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == state.argument) {
      found = true;
      continue;
    }
    auto add = value.getDefiningOp<AddOp>();
    if (add && value.hasOneUse()) {
      work.push_back(add.getB());
      work.push_back(add.getA());
    } else {
      addends.push_back(value);
    }
  }
  return found ? addends : SmallVector<Value>();
}

// The operand that the op may be given a sum of instead, if the op does not vary otherwise.
OpOperand *AccumulatorSinking::linearOperand(Operation *op) const {
  SmallVector<OpOperand *, 2> linear, varying;
  for (OpOperand &operand : op->getOpOperands())
    if (isLinearIn(op, operand.getOperandNumber())) {
      linear.push_back(&operand);
      if (after.varies(operand.get()))
        varying.push_back(&operand);
    }
  if (linear.size() == 1)
    return linear.front();
  return varying.size() == 1 ? varying.front() : nullptr;
}

// Contractions make rows of all steps out of what they read, and scattering touches the rows of
// the result that it names instead of all of them at each step: they pay for stacks. What is at
// hand is read once instead of being added to an accumulator.
bool AccumulatorSinking::isSummedBehind(Value value) const {
  if (after.isAtHand(value))
    return after.varies(value);
  Operation *op = value.getDefiningOp();
  if (op && isContraction(op))
    return after.varies(op->getOperand(0)) && after.varies(op->getOperand(1)) &&
           after.sourcesOf(op->getOperands());
  auto scatter = dyn_cast_or_null<ScatterAddOp>(op);
  return scatter && after.varies(scatter.getIndices()) && after.varies(scatter.getUpdates()) &&
         after.sourcesOf(op->getOperands());
}

std::optional<Addend> AccumulatorSinking::match(Value value) const {
  Addend addend;
  while (!isSummedBehind(value)) {
    Operation *op = value.getDefiningOp();
    OpOperand *operand = op ? linearOperand(op) : nullptr;
    if (!operand)
      return std::nullopt;
    for (Value other : op->getOperands())
      if (other != operand->get() && !after.isAtHand(other))
        return std::nullopt;
    addend.ops.push_back(op);
    value = operand->get();
  }
  addend.innermost = value;
  return addend;
}

Value AccumulatorSinking::build(const Addend &addend) {
  Operation *op = addend.innermost.getDefiningOp();
  OpBuilder &builder = after.getBuilder();
  GraphMath g(builder, addend.innermost.getLoc());
  Value sum;
  if (after.isAtHand(addend.innermost)) {
    sum = g.reduceSum(after.make(addend.innermost).value, {0});
  } else if (auto scatter = dyn_cast<ScatterAddOp>(op)) {
    Value indices = after.make(scatter.getIndices()).value;
    sum = g.scatterAdd(indices, after.make(scatter.getUpdates()).value,
                       getShape(scatter.getResult()));
  } else {
    sum = after.makeSum(op);
  }
  for (Operation *outer : llvm::reverse(addend.ops)) {
    OpOperand *operand = linearOperand(outer);
    IRMapping mapping;
    for (Value other : outer->getOperands())
      if (other != operand->get())
        mapping.map(other, after.make(other).value);
    mapping.map(operand->get(), sum);
    sum = builder.clone(*outer, mapping)->getResult(0);
  }
  return sum;
}

ScanOp AccumulatorSinking::run() {
  bool changed = false;
  for (ScanEditor::State &state : scan.states) {
    SmallVector<Value> kept;
    SmallVector<Addend> moved;
    for (Value addend : addendsOf(state)) {
      if (std::optional<Addend> matched = match(addend))
        moved.push_back(*matched);
      else
        kept.push_back(addend);
    }
    if (moved.empty())
      continue;
    changed = true;
    GraphMath g(after.getBuilder(), state.last.getLoc());
    Value total = state.last;
    SmallPtrSet<Operation *, 4> added;
    for (const Addend &addend : moved) {
      total = g.add(total, build(addend));
      added.insert(total.getDefiningOp());
    }
    state.last.replaceAllUsesExcept(total, added);
    OpBuilder inside(scan.body().getTerminator());
    GraphMath body(inside, state.next.getLoc());
    state.next = state.argument;
    for (Value addend : kept)
      state.next = body.add(state.next, addend);
  }
  return changed ? after.finish() : ScanOp();
}

struct SinkAccumulatorsPass : impl::SinkAccumulatorsBase<SinkAccumulatorsPass> {
  void runOnOperation() override {
    // What the first run has stacked for contractions may be what others sum.
    for (ScanOp scan : innermostToBatch(getOperation()))
      if (ScanOp changed = AccumulatorSinking(scan).run())
        AccumulatorSinking(changed).run();
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes

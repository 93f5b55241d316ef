#include "ir/builder/LoopBuilder.h"
#include "ir/ops/LoopGradients.h"
#include "passes/Passes.h"
#include "passes/autodiff/ExpandGradients.h"
#include "passes/loops/LoopSegments.h"
#include "passes/loops/ScanEditor.h"
#include "passes/memory/KernelProgram.h"
#include "passes/memory/PlannedBuffers.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_CHECKPOINTLOOPS
#include "passes/Passes.h.inc"

namespace {

//===-- What gradients keep -------------------------------------------------------------------===//

// While a copy is differentiated: the number of a loop.
constexpr char kNumberAttr[] = "keratin.loop_number";

// For sizes that are not known what plans count them as; few enough to be added up.
int64_t bytesWith(const SymbolValues &sizes, Value value) {
  std::optional<DimExpr> bytes = byteCount(value);
  return std::clamp<int64_t>(bytes ? evaluate(*bytes, sizes).value_or(0) : 0, 0, int64_t(1) << 40);
}

// What the gradients would keep of each loop; of those that are not differentiated, nothing. Taken
// from a copy in which they are expanded. nullopt if they cannot be. Loops inside come first.
std::optional<std::vector<LoopMemory>> measure(func::FuncOp function, ArrayRef<ScanOp> loops,
                                               int64_t maxOps) {
  OpBuilder builder(function.getContext());
  for (auto [number, loop] : llvm::enumerate(loops))
    loop->setAttr(kNumberAttr, builder.getI64IntegerAttr(number));
  OwningOpRef<func::FuncOp> copy = function.clone();
  for (ScanOp loop : loops)
    loop->removeAttr(kNumberAttr);
  // Whoever expands them for good says what is wrong.
  ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) { return success(); });
  if (failed(expandGradients(*copy, maxOps)))
    return std::nullopt;

  const SymbolValues sizes = symbolValues(function, {});
  std::vector<LoopMemory> memory(loops.size());
  for (ScanOp loop : innermostFirst(*copy)) {
    auto number = loop->getAttrOfType<IntegerAttr>(kNumberAttr);
    if (!number)
      continue;
    ScanOp original = loops[number.getInt()];
    LoopMemory &found = memory[number.getInt()];
    // A loop within a branch is there once more, in the branch's gradient.
    int64_t kept = 0, states = 0;
    const OperandRange yields = loop.getBody().front().getTerminator()->getOperands();
    // A loop of tangents has the number as well, and may have fewer results.
    for (Value value :
         yields.drop_front(std::min<size_t>(original->getNumResults(), yields.size())))
      kept += bytesWith(sizes, value);
    for (Value state : loop.getInits())
      states += bytesWith(sizes, state);
    if (loop.getSteps().isConstant())
      found.steps = loop.getSteps().constantValue();
    found.stepBytes = std::max(found.stepBytes, kept);
    found.stateBytes = std::max(found.stateBytes, states);
  }
  // What a loop inside keeps of all its steps has been counted as kept of each step around it,
  // unless the gradient stands in that step.
  const std::vector<LoopMemory> withInside = memory;
  DenseMap<Operation *, int64_t> numbers;
  for (auto [number, loop] : llvm::enumerate(loops))
    numbers[loop] = number;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    auto around = loop->getParentOfType<ScanOp>();
    if (!around)
      continue;
    int64_t place = numbers.lookup(around), all;
    const LoopMemory &inside = withInside[number];
    if (__builtin_mul_overflow(inside.steps.value_or(kDefaultSize), inside.stepBytes, &all) ||
        all > memory[place].stepBytes)
      continue;
    memory[number].around = place;
    memory[place].stepBytes -= all;
  }
  return memory;
}

//===-- Dividing a loop -----------------------------------------------------------------------===//

// What goes into a part of a loop's steps.
struct PartInputs {
  SmallVector<Value> inits, sequences, captures;
  Value before; // how many steps have lower numbers than the part's; null: nobody asks
};

// Some of the loop's steps as a loop.
ScanOp buildPart(GraphMath &math, ScanOp scan, const DimExpr &length, const PartInputs &inputs) {
  SmallVector<Value> captures(inputs.captures);
  if (inputs.before)
    captures.push_back(inputs.before);
  Block &body = scan.getBody().front();
  auto build = [&](GraphMath &g, LoopStep &step) {
    IRMapping mapping;
    mapping.map(scan.getStepNumber(),
                inputs.before ? g.add(step.captures.back(), step.number) : step.number);
    mapping.map(ValueRange(scan.getStateArguments()), step.states);
    mapping.map(ValueRange(scan.getElementArguments()), step.elements);
    mapping.map(ValueRange(scan.getCaptureArguments()),
                step.captures.take_front(scan.getCaptures().size()));
    for (Operation &op : body.without_terminator())
      g.builder().clone(op, mapping);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      (i < scan.getNumStates() ? step.next : step.stacked)
          .push_back(mapping.lookupOrDefault(value));
  };
  return buildScan(math, length,
                   {inputs.inits, inputs.sequences, captures, bool(scan.getReverse())}, build);
}

class LoopDivision {
public:
  LoopDivision(ScanOp scan, ArrayRef<int64_t> segments)
      : scan(scan), segments(segments), builder(scan), g(builder, scan.getLoc()) {}
  // Replaces the loop; leaves it whole if a size cannot be written down.
  void run();

private:
  Value rows(Value x, const DimExpr &first, const DimExpr &count);
  Value rowCount(const DimExpr &count);
  bool isNumbered() { return !scan.getStepNumber().use_empty(); }
  void buildSegments(ValueRange inits);
  void buildRest(ValueRange inits);

  ScanOp scan;
  ArrayRef<int64_t> segments;
  OpBuilder builder;
  GraphMath g;
  DimExpr count, whole, left; // segments; steps in them; steps behind them
  ScanOp outer, inner, rest;
};

Value LoopDivision::rows(Value x, const DimExpr &first, const DimExpr &count) {
  Shape starts(getTensorType(x).getRank()), sizes = getShape(x);
  starts[0] = first;
  sizes[0] = count;
  return g.slice(x, starts, sizes, SmallVector<int64_t>(starts.size(), 1));
}

Value LoopDivision::rowCount(const DimExpr &count) {
  Type i64 = builder.getI64Type();
  return count.isConstant() ? g.integerScalar(count.constantValue(), i64)
                            : g.count(g.iota(getTensorType({count}, i64), 0), {0}, i64);
}

void LoopDivision::buildSegments(ValueRange inits) {
  const DimExpr length(segments.front());
  SmallVector<Value> sequences;
  for (Value sequence : scan.getSequences()) {
    Shape shape = getShape(sequence);
    shape[0] = length;
    shape.insert(shape.begin(), count);
    sequences.push_back(g.reshape(rows(sequence, 0, whole), shape));
  }
  auto build = [&](GraphMath &math, LoopStep &step) {
    PartInputs inputs{llvm::to_vector(step.states), llvm::to_vector(step.elements),
                      llvm::to_vector(step.captures), nullptr};
    if (isNumbered())
      inputs.before =
          math.mul(step.number, math.integerScalar(segments.front(), math.builder().getI64Type()));
    inner = buildPart(math, scan, length, inputs);
    step.next.append(inner.getLastStates().begin(), inner.getLastStates().end());
    step.stacked.append(inner.getStacks().begin(), inner.getStacks().end());
  };
  SmallVector<Value> captures(scan.getCaptures());
  outer = buildScan(g, count, {inits, sequences, captures, bool(scan.getReverse())}, build);
  outer->setAttr(kCheckpointsAttr, builder.getUnitAttr());
}

void LoopDivision::buildRest(ValueRange inits) {
  PartInputs inputs{llvm::to_vector(inits), {}, llvm::to_vector(scan.getCaptures()), nullptr};
  for (Value sequence : scan.getSequences())
    inputs.sequences.push_back(rows(sequence, whole, left));
  if (isNumbered())
    inputs.before = rowCount(whole);
  rest = buildPart(g, scan, left, inputs);
}

void LoopDivision::run() {
  DimExpr steps = scan.getSteps();
  auto wholeCount = floordiv(steps, segments.front());
  auto wholeSteps = wholeCount ? mul(*wholeCount, segments.front()) : std::nullopt;
  auto stepsLeft = wholeSteps ? sub(steps, *wholeSteps) : std::nullopt;
  if (!stepsLeft || *wholeCount == DimExpr(0))
    return;
  count = *wholeCount, whole = *wholeSteps, left = *stepsLeft;

  bool hasRest = left != DimExpr(0);
  if (!hasRest) {
    buildSegments(scan.getInits());
  } else if (scan.getReverse()) {
    buildRest(scan.getInits());
    buildSegments(rest.getLastStates());
  } else {
    buildSegments(scan.getInits());
    buildRest(outer.getLastStates());
  }
  ScanOp last = hasRest && !scan.getReverse() ? rest : outer;
  SmallVector<Value> results(last.getLastStates());
  for (auto [i, stack] : llvm::enumerate(scan.getStacks())) {
    Shape shape = getShape(stack);
    shape[0] = whole;
    Value joined = g.reshape(outer.getStacks()[i], shape);
    if (hasRest)
      joined = g.concatenate({joined, rest.getStacks()[i]}, 0);
    results.push_back(joined);
  }
  scan->replaceAllUsesWith(results);
  scan.erase();

  // Segments may be shorter still, and so may be what is left over.
  if (segments.size() > 1) {
    LoopDivision(inner, segments.drop_front()).run();
    if (hasRest)
      LoopDivision(rest, segments.drop_front()).run();
  }
}

struct CheckpointLoopsPass : impl::CheckpointLoopsBase<CheckpointLoopsPass> {
  using CheckpointLoopsBase::CheckpointLoopsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<ScanOp> loops = innermostFirst(function);
    if (loops.empty())
      return;
    auto memory = measure(function, loops, maxOps);
    if (!memory)
      return;
    // Those inside first: what is around them holds copies of them.
    for (auto [loop, segments] : llvm::zip(loops, divideWithin(*memory, keptBytes)))
      if (!segments.empty())
        LoopDivision(loop, segments).run();
  }
};

} // namespace
} // namespace keratin::passes

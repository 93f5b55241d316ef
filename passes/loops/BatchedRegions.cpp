// Loops, branches and other bodies of a step, for all steps of the loop around them at once.
#include "passes/loops/StepBatcher.h"
#include "passes/loops/StepMoves.h"
#include "passes/loops/StepVariation.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/dialect/GivenGradients.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

SteppedValues StepBatcher::batchNested(OpBuilder &inner, Block &block,
                                       ArrayRef<SteppedValue> arguments) const {
  StepBatcher batcher(inner, steps, variation);
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    batcher.map(argument, value);
  batcher.batchBlock(block);
  SteppedValues yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(batcher.lookup(value));
  return yielded;
}

Value StepBatcher::asExpected(SteppedValue value, Value inside, GraphMath &g) const {
  return variation->varies(inside) ? repeated(value, g) : value.value;
}

// With attributes that are a loop's own, like those of checkpoints.
static void copyAttributes(Operation *from, Operation *to) {
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
}

//===-- Loops ---------------------------------------------------------------------------------===//

// States are those of all steps side by side; in sequences and stacks the loop's own steps come
// first.
SteppedValues StepBatcher::makeOwn(ScanOp op, GraphMath &g) {
  Block &body = op.getBody().front();
  auto isOfStep = [&](Value inside) { return variation->varies(inside); };
  SmallVector<Value> inits, sequences, captures;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getStateArguments()))
    inits.push_back(asExpected(lookup(init), argument, g));
  for (Value sequence : op.getSequences()) {
    auto [value, varies] = lookup(sequence);
    sequences.push_back(varies ? moveFirst(g, value, 1) : value);
  }
  for (Value capture : op.getCaptures())
    captures.push_back(lookup(capture).value);

  SmallVector<bool> areOfStep; // the stacks' elements
  auto step = [&](GraphMath &inner, LoopStep &step) {
    SteppedValues arguments{{step.number}};
    for (auto [state, argument] : llvm::zip(step.states, op.getStateArguments()))
      arguments.push_back({state, isOfStep(argument)});
    for (auto [element, sequence] : llvm::zip(step.elements, op.getSequences()))
      arguments.push_back({element, varies(sequence)});
    for (auto [captured, capture] : llvm::zip(step.captures, op.getCaptures()))
      arguments.push_back({captured, varies(capture)});
    SteppedValues yielded = batchNested(inner.builder(), body, arguments);
    for (auto [value, argument] : llvm::zip(yielded, op.getStateArguments()))
      step.next.push_back(asExpected(value, argument, inner));
    for (SteppedValue element : ArrayRef(yielded).drop_front(op.getNumStates())) {
      step.stacked.push_back(element.value);
      areOfStep.push_back(element.varies);
    }
  };
  ScanOp made = buildScan(g, op.getSteps(), {inits, sequences, captures, op.getReverse()}, step);
  copyAttributes(op, made);
  SteppedValues results;
  for (auto [last, argument] : llvm::zip(made.getLastStates(), op.getStateArguments()))
    results.push_back({last, isOfStep(argument)});
  for (auto [stack, varies] : llvm::zip(made.getStacks(), areOfStep))
    results.push_back({varies ? moveToFront(g, stack, 1) : stack, varies});
  return results;
}

SteppedValues StepBatcher::makeOwn(WhileOp op, GraphMath &g) {
  return variation->varies(op.getStateArguments()[0]) ? makeUntilAllAreDone(op, g)
                                                      : makeSideBySide(op, g);
}

// As many steps for all: as a scan.
SteppedValues StepBatcher::makeSideBySide(WhileOp op, GraphMath &g) {
  Block &body = op.getBody().front();
  SmallVector<Value> inits, captures;
  SmallVector<Type> types;
  auto block = std::make_unique<Block>();
  SteppedValues arguments{{block->addArgument(op.getStepNumber().getType(), op.getLoc())}};
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getStateArguments())) {
    inits.push_back(asExpected(lookup(init), argument, g));
    types.push_back(inits.back().getType());
    arguments.push_back(
        {block->addArgument(types.back(), op.getLoc()), variation->varies(argument)});
  }
  for (Value capture : op.getCaptures()) {
    auto [value, varies] = lookup(capture);
    captures.push_back(value);
    arguments.push_back({block->addArgument(value.getType(), op.getLoc()), varies});
  }
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(block.get());
  GraphMath math(inner, op.getLoc());
  SteppedValues yielded = batchNested(inner, body, arguments);
  SmallVector<Value> values;
  for (auto [value, argument] : llvm::zip(yielded, op.getStateArguments()))
    values.push_back(asExpected(value, argument, math));
  types.push_back(op.getStepCount().getType());
  ArrayRef<SteppedValue> stacked = ArrayRef(yielded).drop_front(op.getNumStates());
  for (SteppedValue element : stacked) {
    values.push_back(element.value);
    Shape shape = getShape(element.value);
    shape.insert(shape.begin(), op.getSteps());
    types.push_back(getTensorType(shape, getElementType(element.value)));
  }
  inner.create<YieldOp>(op.getLoc(), values);

  auto made = builder.create<WhileOp>(op.getLoc(), types, op.getLengthAttr(), op.getAtMostAttr(),
                                      inits, captures);
  made.getBody().push_back(block.release());
  copyAttributes(op, made);
  SteppedValues results;
  for (auto [last, argument] : llvm::zip(made.getLastStates(), op.getStateArguments()))
    results.push_back({last, variation->varies(argument)});
  results.push_back({made.getStepCount()});
  for (auto [stack, element] : llvm::zip(made.getStacks(), stacked))
    results.push_back({element.varies ? moveToFront(g, stack, 1) : stack, element.varies});
  return results;
}

// The first state is whether anyone goes on, the next ones are who does, and how often each has
// done a step. Who is done keeps what states he has.
SteppedValues StepBatcher::makeUntilAllAreDone(WhileOp op, GraphMath &g) {
  Value goesOn = forAllSteps(op.getInits().front(), g);
  Value counts = g.splat(0, getTensorType({steps}, builder.getI64Type()));
  SmallVector<Value> inits{g.reduceAny(goesOn, {0}), goesOn, counts}, captures;
  for (Value init : op.getInits().drop_front())
    inits.push_back(forAllSteps(init, g));
  for (Value capture : op.getCaptures())
    captures.push_back(lookup(capture).value);

  auto step = [&](GraphMath &inner, LoopStep &step) {
    Value active = step.states[1];
    SteppedValues arguments{{step.number}, {active, /*varies=*/true}};
    for (Value state : step.states.drop_front(3))
      arguments.push_back({state, /*varies=*/true});
    for (auto [captured, capture] : llvm::zip(step.captures, op.getCaptures()))
      arguments.push_back({captured, varies(capture)});
    SteppedValues yielded = batchNested(inner.builder(), op.getBody().front(), arguments);
    Value next = inner.and_(active, repeated(yielded.front(), inner));
    Value one = inner.cast(active, inner.builder().getI64Type());
    step.next = {inner.reduceAny(next, {0}), next, inner.add(step.states[2], one)};
    for (auto [old, value] : llvm::zip(step.states.drop_front(3), ArrayRef(yielded).drop_front()))
      step.next.push_back(
          inner.select(inner.broadcast(active, getShape(old), {0}), repeated(value, inner), old));
  };
  WhileOp made = buildWhile(g, op.getBound(), {inits, {}, captures}, step);
  copyAttributes(op, made);
  SteppedValues results{{made.getResult(1), /*varies=*/true}};
  for (Value last : made.getLastStates().drop_front(3))
    results.push_back({last, /*varies=*/true});
  results.push_back({made.getResult(2), /*varies=*/true});
  return results;
}

//===-- Branches ------------------------------------------------------------------------------===//

SteppedValues StepBatcher::makeOwn(IfOp op, GraphMath &g) {
  if (varies(op.getCondition()))
    return selectBranches(op, g);
  SmallVector<Value> captures;
  for (Value capture : op.getCaptures())
    captures.push_back(lookup(capture).value);
  auto branch = [&](Region &region) {
    return [&](GraphMath &inner, ValueRange captured) {
      SteppedValues arguments;
      for (auto [value, capture] : llvm::zip(captured, op.getCaptures()))
        arguments.push_back({value, varies(capture)});
      SmallVector<Value> values;
      for (auto [value, result] :
           llvm::zip(batchNested(inner.builder(), region.front(), arguments), op.getYs()))
        values.push_back(asExpected(value, result, inner));
      return values;
    };
  };
  IfOp made = buildIf(g, lookup(op.getCondition()).value, captures, branch(op.getThenBody()),
                      branch(op.getElseBody()));
  copyAttributes(op, made);
  SteppedValues results;
  for (auto [value, result] : llvm::zip(made.getYs(), op.getYs()))
    results.push_back({value, variation->varies(result)});
  return results;
}

// Each step takes its own: both are done for all.
SteppedValues StepBatcher::selectBranches(IfOp op, GraphMath &g) {
  SteppedValues captures;
  for (Value capture : op.getCaptures())
    captures.push_back(lookup(capture));
  SteppedValues first = batchNested(builder, op.getThenBody().front(), captures),
                second = batchNested(builder, op.getElseBody().front(), captures), results;
  Value condition = lookup(op.getCondition()).value;
  for (auto [x, y] : llvm::zip(first, second)) {
    Value one = repeated(x, g), other = repeated(y, g);
    results.push_back({g.select(g.broadcast(condition, getShape(one), {0}), one, other),
                       /*varies=*/true});
  }
  return results;
}

//===-- Gradients that are given --------------------------------------------------------------===//

static SteppedValue addArgument(Block &block, SteppedValue value, Location location) {
  return {block.addArgument(value.value.getType(), location), value.varies};
}

SteppedValues StepBatcher::makeOwn(CheckpointOp op, GraphMath &) {
  auto block = std::make_unique<Block>();
  SmallVector<Value> inputs;
  SteppedValues arguments;
  for (Value input : op.getInputs()) {
    inputs.push_back(lookup(input).value);
    arguments.push_back(addArgument(*block, lookup(input), op.getLoc()));
  }
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(block.get());
  SteppedValues yielded = batchNested(inner, op.getBody().front(), arguments), results;
  SmallVector<Value> values =
      llvm::map_to_vector(yielded, [](SteppedValue value) { return value.value; });
  inner.create<YieldOp>(op.getLoc(), values);
  auto made = builder.create<CheckpointOp>(op.getLoc(), TypeRange(ValueRange(values)), inputs);
  made.getBody().push_back(block.release());
  copyAttributes(op, made);
  for (auto [y, value] : llvm::zip(made.getYs(), yielded))
    results.push_back({y, value.varies});
  return results;
}

// All outputs are an element's own, so that each has its cotangents or tangents. What is the same
// for all elements gets the sum of what each gives it, and has one tangent.
SteppedValues StepBatcher::makeOwn(CustomGradientOp op, GraphMath &g) {
  auto block = std::make_unique<Block>();
  SmallVector<Value> outputs, inputs, captures;
  SteppedValues arguments;
  for (Value output : op.getOutputs()) {
    outputs.push_back(forAllSteps(output, g));
    if (isa<FloatType>(getElementType(output)) && !op.getForward())
      arguments.push_back(addArgument(*block, {outputs.back(), /*varies=*/true}, op.getLoc()));
  }
  for (Value input : op.getInputs()) {
    inputs.push_back(lookup(input).value);
    if (op.getForward())
      arguments.push_back(addArgument(*block, lookup(input), op.getLoc()));
  }
  ArrayRef<int64_t> results = capturedResults(op);
  for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
    bool isResult = i < results.size();
    SteppedValue value =
        isResult ? SteppedValue{outputs[results[i]], /*varies=*/true} : lookup(capture);
    captures.push_back(value.value);
    arguments.push_back(addArgument(*block, value, op.getLoc()));
  }
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(block.get());
  GraphMath math(inner, op.getLoc());
  SmallVector<Value> derivatives;
  for (auto [i, derivative] :
       llvm::enumerate(batchNested(inner, op.getBody().front(), arguments))) {
    Value each = repeated(derivative, math);
    derivatives.push_back(op.getForward() || varies(op.getInputs()[i]) ? each
                                                                       : math.reduceSum(each, {0}));
  }
  inner.create<YieldOp>(op.getLoc(), derivatives);
  auto made = builder.create<CustomGradientOp>(op.getLoc(), TypeRange(ValueRange(outputs)), outputs,
                                               inputs, captures, op.getForwardAttr());
  made.getBody().push_back(block.release());
  copyAttributes(op, made);
  SteppedValues all;
  for (Value y : made.getYs())
    all.push_back({y, /*varies=*/true});
  return all;
}

} // namespace keratin::passes

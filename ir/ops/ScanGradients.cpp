// The gradient of a loop: a loop in the other direction, over what the first one kept.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/ops/BodyPaths.h"
#include "ir/ops/KeptValues.h"
#include "ir/ops/LoopGradients.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace {

// Where cotangents of a body's values are zeros by choice.
class BodyZeros {
public:
  // Cotangents are those of what the body yields.
  BodyZeros(LoopOpInterface loop, const BodyPaths &paths, ArrayRef<Cotangent> cotangents);

  // Of the states before a step, for those of the states after the last one.
  ArrayRef<ChosenZeros> ofStates() const { return zerosOfStates; }
  ChosenZeros of(Value value) const {
    return zeros.lookup(value).settle(value, [&](Value part) { return zeros.contains(part); });
  }

private:
  void walkBody(LoopOpInterface loop, const BodyPaths &paths, ArrayRef<Cotangent> cotangents);
  void add(Value value, ChosenZeros part);

  SmallVector<ChosenZeros> zerosOfStates;
  DenseMap<Value, ChosenZeros> zeros;
};

} // namespace

void BodyZeros::add(Value value, ChosenZeros part) {
  auto [sum, isFirst] = zeros.try_emplace(value, part);
  if (!isFirst)
    sum->second = sum->second + part;
}

void BodyZeros::walkBody(LoopOpInterface loop, const BodyPaths &paths,
                         ArrayRef<Cotangent> cotangents) {
  Block &body = loop.getBody().front();
  unsigned states = loop.getNumStates();
  zeros.clear();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (!paths.isOnPath(value))
      continue;
    if (i >= states && cotangents[i].value)
      add(value, cotangents[i].zeros);
    else if (i < states && paths.isOnPath(loop.getStateArguments()[i]))
      add(value, zerosOfStates[i]);
  }
  for (Operation &op : llvm::reverse(body)) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return zeros.contains(result); }))
      continue;
    ChosenZeros ofResults;
    for (Value result : op.getResults())
      ofResults = ofResults | of(result);
    for (OpOperand &operand : op.getOpOperands())
      if (isDifferentiableOperand(operand) && paths.isOnPath(operand.get()))
        add(operand.get(), ofResults.through(&op));
  }
}

// What holds in one step of the gradient holds for the states of the next one.
BodyZeros::BodyZeros(LoopOpInterface loop, const BodyPaths &paths, ArrayRef<Cotangent> cotangents) {
  for (unsigned i = 0, e = loop.getNumStates(); i < e; ++i)
    zerosOfStates.push_back(cotangents[i].value ? cotangents[i].zeros
                                                : ChosenZeros{false, /*atStart=*/true});
  // Each round can only add; a body whose states hand zeros on one by one is not worth more.
  constexpr int kMostRounds = 4;
  for (int round = 0;; ++round) {
    walkBody(loop, paths, cotangents);
    bool changed = false;
    for (auto [argument, before] : llvm::zip(loop.getStateArguments(), zerosOfStates)) {
      ChosenZeros after = of(argument);
      after.byChoice |= before.byChoice || round == kMostRounds;
      after.atStart |= before.atStart;
      changed |= !(after == before);
      before = after;
    }
    if (!changed)
      return;
  }
}

//===-- Building the two loops ----------------------------------------------------------------===//

static DimExpr newSymbol(Operation *op) {
  return DimExpr::symbol(firstUnusedSymbol(op->getParentOfType<FunctionOpInterface>()));
}

namespace {

class LoopGradient {
public:
  // Cotangents are those of what the body yields.
  LoopGradient(LoopOpInterface forward, OpBuilder &builder, ArrayRef<Cotangent> cotangents,
               ArrayRef<bool> wanted)
      : forward(forward), builder(builder), cotangents(cotangents), wanted(wanted),
        paths(forward, reachedBy(cotangents), wanted), zeros(forward, paths, cotangents),
        g(builder, gradientLocation(forward)), states(forward.getNumStates()),
        sequences(forward.getSequences().size()), region(forward) {}

  FailureOr<RegionGradients> build();

private:
  // A part of the loop of the gradient: what it is given from outside, and the body's argument.
  struct Part {
    Value outside;
    BlockArgument inside;
  };
  struct NextState {
    Part part;
    Value next;
    unsigned operand; // of the loop that is differentiated
  };
  struct Stack {
    Value element;
    unsigned operand;
  };

  void cloneBody();
  LogicalResult differentiateBody();
  LogicalResult keepValues();
  FailureOr<LoopOpInterface> extend(ArrayRef<Value> kept);
  void dropForwardOps();
  ScanOp buildLoop();
  RegionGradients takeGradients(ScanOp loop);
  static SmallVector<bool> reachedBy(ArrayRef<Cotangent> cotangents) {
    return llvm::map_to_vector(cotangents, [](const Cotangent &c) { return bool(c.value); });
  }
  BlockArgument addArgument(Type type) { return body->addArgument(type, g.location()); }

  LoopOpInterface forward;
  DimExpr steps; // known once the body's gradient has its symbols
  OpBuilder &builder;
  ArrayRef<Cotangent> cotangents;
  ArrayRef<bool> wanted;
  BodyPaths paths;
  BodyZeros zeros;
  GraphMath g;
  unsigned states, sequences;

  // The step's ops, `end`, and the ops of its gradient. `end` yields what the step does.
  HeldRegion region;
  Block *body = nullptr;
  YieldOp end;
  LoopOpInterface extended;
  SmallVector<NextState> nextStates;
  SmallVector<Part> elements; // of sequences: cotangents of stacks, then what is kept
  SmallVector<Stack> stacks;
  int64_t differentiated = 0;
};

} // namespace

// Clones the ops of a block to the end of another one with the same first arguments.
static YieldOp cloneInto(Block &to, Block &from, Operation *end) {
  IRMapping mapping;
  for (auto [old, argument] : llvm::zip(from.getArguments(), to.getArguments()))
    mapping.map(old, argument);
  OpBuilder builder(end->getContext());
  builder.setInsertionPointToEnd(&to);
  for (Operation &op : llvm::make_range(from.begin(), end->getIterator()))
    builder.clone(op, mapping);
  return cast<YieldOp>(builder.clone(*end, mapping));
}

void LoopGradient::cloneBody() {
  Block &original = forward.getBody().front();
  body = new Block;
  region->push_back(body);
  for (BlockArgument argument : original.getArguments())
    body->addArgument(argument.getType(), argument.getLoc());
  end = cloneInto(*body, original, original.getTerminator());
}

LogicalResult LoopGradient::differentiateBody() {
  Block &original = forward.getBody().front();
  SmallVector<Value> losses, independent;
  for (auto [value, old] : llvm::zip(end.getValues(), original.getTerminator()->getOperands()))
    if (paths.isOnPath(old))
      losses.push_back(value);
  for (auto [argument, old] : llvm::zip(body->getArguments(), original.getArguments()))
    if (paths.isOnPath(old))
      independent.push_back(argument);
  OpBuilder inside(forward.getContext());
  inside.setInsertionPointToEnd(body);
  ReverseMode walk(inside, g.location(), losses, independent);
  if (failed(walk.prepare()))
    return failure();
  for (unsigned i = 0, e = cotangents.size(); i < e; ++i) {
    Value value = end.getValues()[i], outside = cotangents[i].value;
    bool isState = i < states;
    if (isState ? !paths.isOnPath(forward.getStateArguments()[i])
                : !outside || !walk.isActive(value))
      continue;
    BlockArgument argument = addArgument(value.getType());
    if (walk.isActive(value))
      walk.seed(value, {argument, isState ? zeros.ofStates()[i] : cotangents[i].zeros});
    if (isState)
      nextStates.push_back(
          {{outside ? outside : g.zeroLike(forward.getInits()[i]), argument}, {}, i});
    else
      elements.push_back({outside, argument});
  }
  if (failed(walk.run()))
    return failure();
  differentiated = walk.differentiated();

  GraphMath inner(inside, g.location());
  for (NextState &state : nextStates) {
    Value before = body->getArgument(1 + state.operand);
    Value gradient = walk.cotangentOf(before).value;
    state.next = gradient ? gradient : inner.zeroLike(before);
  }
  for (unsigned i = 0; i < sequences; ++i)
    if (Value gradient = walk.cotangentOf(body->getArgument(1 + states + i)).value)
      stacks.push_back({gradient, states + i});
  for (unsigned i = states + sequences, e = forward->getNumOperands(); i < e; ++i)
    if (Value gradient = walk.cotangentOf(body->getArgument(1 + i)).value) {
      BlockArgument sum = addArgument(gradient.getType());
      nextStates.push_back(
          {{g.zeroLike(forward->getOperand(i)), sum}, inner.add(sum, gradient), i});
    }
  SmallVector<Value> yielded;
  for (const NextState &state : nextStates)
    yielded.push_back(state.next);
  for (const Stack &stack : stacks)
    yielded.push_back(stack.element);
  inside.create<YieldOp>(g.location(), yielded);
  return success();
}

// What loops inside keep for the gradient of a step is kept by those that it runs again, where
// stacks of all steps cannot hold it.
static void dropTapes(Block &block) {
  for (WhileOp loop : llvm::make_early_inc_range(block.getOps<WhileOp>())) {
    LocalSizes sizes(block);
    if (!loop.getLength() || !llvm::all_of(loop.getStacks(), [](Value x) { return x.use_empty(); }))
      continue;
    int64_t symbol = loop.getSteps().symbolId();
    if (llvm::any_of(block, [&](Operation &op) {
          return &op != loop && sizes.symbolsIn(&op).contains(symbol);
        }))
      continue;
    OpBuilder builder(loop);
    unsigned states = loop.getNumStates();
    auto plain = builder.create<WhileOp>(
        loop.getLoc(), TypeRange(loop->getResultTypes()).take_front(states + 1), DimsAttr(),
        loop.getAtMostAttr(), loop.getInits(), loop.getCaptures());
    plain->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    plain.getRegion().takeBody(loop.getRegion());
    auto yielded = cast<YieldOp>(plain.getBody().front().getTerminator()).getValuesMutable();
    yielded.erase(states, yielded.size() - states);
    for (auto [old, now] : llvm::zip(loop.getResults(), plain.getResults()))
      old.replaceAllUsesWith(now);
    loop.erase();
  }
}

// The loop with more stacks, in its place.
FailureOr<LoopOpInterface> LoopGradient::extend(ArrayRef<Value> kept) {
  SmallVector<Type> types(forward->getResultTypes());
  for (Value value : kept) {
    Shape shape = getShape(value);
    shape.insert(shape.begin(), steps);
    types.push_back(getTensorType(shape, getElementType(value)));
    auto emitError = [&] {
      return emitGraphError(forward, GraphError::TooLarge)
             << "gradient: what each step keeps is too large; ";
    };
    if (failed(verifyTensorType(types.back(), emitError)))
      return failure();
  }
  OpBuilder before(forward);
  LoopOpInterface loop;
  if (auto scan = dyn_cast<ScanOp>(*forward)) {
    loop = before.create<ScanOp>(scan.getLoc(), types, scan.getLength(), scan.getReverseAttr(),
                                 scan.getInits(), scan.getSequences(), scan.getCaptures());
  } else {
    auto original = cast<WhileOp>(*forward);
    loop = before.create<WhileOp>(
        original.getLoc(), types, DimsAttr::get(original.getContext(), {steps}),
        original.getAtMostAttr(), original.getInits(), original.getCaptures());
  }
  loop->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  // From the clone, in which loops inside have been extended.
  Block *block = new Block;
  loop.getBody().push_back(block);
  for (BlockArgument argument : forward.getBody().front().getArguments())
    block->addArgument(argument.getType(), argument.getLoc());
  end.getValuesMutable().append(kept);
  cloneInto(*block, *body, end);
  dropTapes(*block);
  return loop;
}

// Decides what is kept, and replaces it in the gradient by elements of stacks.
LogicalResult LoopGradient::keepValues() {
  auto arguments = body->getArguments();
  auto stateArguments = arguments.slice(1, states);
  llvm::SetVector<Value> kept =
      forward->hasAttr(kCheckpointsAttr)
          ? findCheckpoints(*body, end, stateArguments)
          : findKeptValues(*body, end, stateArguments,
                           arguments.slice(1 + states + sequences, forward.getCaptures().size()));
  SmallVector<Value> further;
  DenseMap<Value, unsigned> stackOf;
  unsigned yielded = end.getValues().size();
  for (unsigned i = states; i < yielded; ++i)
    stackOf.try_emplace(end.getValues()[i], i);
  for (Value value : kept)
    if (stackOf.try_emplace(value, yielded + further.size()).second)
      further.push_back(value);
  extended = forward;
  // The gradient has as many steps, even if they need nothing of these.
  auto loop = dyn_cast<WhileOp>(*forward);
  bool needsName = loop && !loop.getLength();
  if (!further.empty() || needsName) {
    FailureOr<LoopOpInterface> loop = extend(further);
    if (failed(loop))
      return failure();
    extended = *loop;
  }
  for (Value value : kept) {
    elements.push_back({extended.getResultOf(stackOf[value]), addArgument(value.getType())});
    value.replaceAllUsesWith(elements.back().inside);
  }
  return success();
}

// What the gradient does not compute again has been done, effects included.
void LoopGradient::dropForwardOps() {
  for (Operation &op : llvm::make_range(body->begin(), end->getIterator())) {
    for (Value result : op.getResults())
      if (Value plain = withoutEffects(result); plain != result)
        result.replaceAllUsesWith(plain);
    for (Region &region : op.getRegions())
      dropEffects(region.front());
  }
  // Sizes are defined as long as something has them.
  LocalSizes sizes(*body);
  llvm::DenseSet<int64_t> mentioned;
  auto mention = [&](Operation &op) {
    for (int64_t symbol : sizes.symbolsIn(&op))
      mentioned.insert(symbol);
  };
  for (Operation &op : llvm::make_range(std::next(end->getIterator()), body->end()))
    mention(op);
  auto forward = llvm::make_range(std::next(end->getReverseIterator()), body->rend());
  end.erase();
  for (Operation &op : llvm::make_early_inc_range(forward)) {
    std::optional<int64_t> defined = symbolDefinedBy(&op);
    if (op.use_empty() && !(defined && mentioned.contains(*defined)))
      op.erase();
    else
      mention(op);
  }
}

ScanOp LoopGradient::buildLoop() {
  SmallVector<Value> inits, outerElements, captures;
  SmallVector<Type> results;
  SmallVector<BlockArgument> order = {body->getArgument(0)};
  for (const NextState &state : nextStates) {
    inits.push_back(state.part.outside);
    results.push_back(state.part.outside.getType());
    order.push_back(state.part.inside);
  }
  for (unsigned i = 0; i < sequences; ++i)
    if (BlockArgument element = body->getArgument(1 + states + i); !element.use_empty()) {
      outerElements.push_back(forward.getSequences()[i]);
      order.push_back(element);
    }
  for (const Part &part : elements)
    if (!part.inside.use_empty()) {
      outerElements.push_back(part.outside);
      order.push_back(part.inside);
    }
  for (auto [i, capture] : llvm::enumerate(forward.getCaptures()))
    if (BlockArgument argument = body->getArgument(1 + states + sequences + i);
        !argument.use_empty()) {
      captures.push_back(capture);
      order.push_back(argument);
    }
  for (const Stack &stack : stacks)
    results.push_back(forward->getOperand(stack.operand).getType());

  // The arguments of the body in their order.
  Block *ordered = new Block;
  for (BlockArgument argument : order)
    argument.replaceAllUsesWith(ordered->addArgument(argument.getType(), argument.getLoc()));
  ordered->getOperations().splice(ordered->end(), body->getOperations());
  auto original = dyn_cast<ScanOp>(*forward);
  auto reverse = original && original.getReverse() ? UnitAttr() : builder.getUnitAttr();
  auto loop =
      builder.create<ScanOp>(g.location(), results, DimsAttr::get(builder.getContext(), {steps}),
                             reverse, inits, outerElements, captures);
  loop.getRegion().push_back(ordered);
  if (forward->hasAttr(kCheckpointsAttr))
    loop->setAttr(kCheckpointsAttr, builder.getUnitAttr());
  return loop;
}

// Cotangents of the operands. Without a step, gradients are the zeros that they start from.
RegionGradients LoopGradient::takeGradients(ScanOp loop) {
  RegionGradients gradients;
  gradients.operands.resize(forward->getNumOperands());
  gradients.extended = extended;
  gradients.differentiated = differentiated;
  bool mayHaveNoStep = steps.lowerBound().value_or(0) < 1;
  auto zerosOf = [&](unsigned operand) {
    return bool(zeros.of(forward.getBody().getArgument(1 + operand)));
  };
  for (auto [state, last] : llvm::zip(nextStates, loop.getLastStates())) {
    unsigned operand = state.operand;
    if (!wanted[operand])
      continue;
    bool isInit = operand < states;
    bool hasNone = mayHaveNoStep && !(isInit && cotangents[operand].value);
    bool byChoice =
        hasNone || zerosOf(operand) || (isInit && mayHaveNoStep && bool(cotangents[operand].zeros));
    gradients.operands[operand] = {last, {byChoice, false}};
  }
  for (auto [stack, value] : llvm::zip(stacks, loop.getStacks()))
    if (wanted[stack.operand])
      gradients.operands[stack.operand] = {value, {zerosOf(stack.operand), false}};
  return gradients;
}

FailureOr<RegionGradients> LoopGradient::build() {
  cloneBody();
  if (failed(differentiateBody()))
    return failure();
  auto loop = dyn_cast<WhileOp>(*forward);
  steps = loop && !loop.getLength() ? newSymbol(forward) : forward.getSteps();
  if (failed(keepValues()))
    return failure();
  dropForwardOps();
  return takeGradients(buildLoop());
}

FailureOr<RegionGradients> keratin::ir::differentiateLoop(LoopOpInterface loop, OpBuilder &builder,
                                                          ArrayRef<Cotangent> cotangents,
                                                          ArrayRef<bool> wanted) {
  SmallVector<Cotangent> ofYield;
  unsigned yielded = loop.getBody().front().getTerminator()->getNumOperands();
  for (unsigned i = 0; i < yielded; ++i)
    ofYield.push_back(cotangents[loop.getResultOf(i).getResultNumber()]);
  return LoopGradient(loop, builder, ofYield, wanted).build();
}

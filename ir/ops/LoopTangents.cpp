#include "ir/ops/LoopTangents.h"

#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GivenGradients.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/ops/BodyPaths.h"
#include "ir/ops/KeptValues.h"
#include "ir/ops/LoopGradients.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

//===-- Loops ---------------------------------------------------------------------------------===//

namespace {

class LoopTangents {
public:
  // `matters` has an entry for each value that the body yields.
  LoopTangents(LoopOpInterface loop, OpBuilder &builder, ArrayRef<Tangent> ofOperands,
               ArrayRef<bool> matters, bool replaces)
      : loop(loop), builder(builder), ofOperands(ofOperands), matters(matters), replaces(replaces),
        paths(loop, matters, wantedOf(ofOperands)),
        g(builder, replaces ? loop.getLoc() : gradientLocation(loop)), states(loop.getNumStates()),
        region(loop), inside(loop.getContext()) {}

  FailureOr<RegionTangents> build();

private:
  static SmallVector<bool> wantedOf(ArrayRef<Tangent> ofOperands) {
    return llvm::map_to_vector(ofOperands, [](const Tangent &t) { return bool(t.value); });
  }
  void findZeros();
  DenseMap<Value, ChosenZeros> walkBody();
  LogicalResult differentiateBody();
  void endBody();
  void orderArguments();
  LoopOpInterface buildLoop();
  RegionTangents takeTangents(LoopOpInterface built);
  bool isCarried(unsigned operand) const { return bool(inner[operand]); }

  LoopOpInterface loop;
  OpBuilder &builder;
  ArrayRef<Tangent> ofOperands;
  ArrayRef<bool> matters;
  bool replaces;
  BodyPaths paths;
  GraphMath g;
  unsigned states;

  SmallVector<ChosenZeros> zerosOfStates; // before a step, those of the first one included
  HeldRegion region;
  OpBuilder inside;
  Block *body = nullptr;
  SmallVector<BlockArgument>
      inner;                      // of each operand that has a tangent, the body's argument for it
  SmallVector<Tangent> ofYielded; // of what the body yields
  DimsAttr length;
  int64_t differentiated = 0;
};

} // namespace

// The zeros of the values of one step, for those of the states before it.
DenseMap<Value, ChosenZeros> LoopTangents::walkBody() {
  DenseMap<Value, ChosenZeros> zeros;
  for (auto [i, argument] : llvm::enumerate(loop.getBody().getArguments().drop_front()))
    zeros[argument] = i < states ? zerosOfStates[i] : ofOperands[i].zeros;
  for (Operation &op : loop.getBody().front()) {
    SmallVector<Tangent> operands;
    for (OpOperand &operand : op.getOpOperands()) {
      bool has = isDifferentiableOperand(operand) && paths.isOnPath(operand.get());
      operands.push_back(has ? Tangent{operand.get(), zeros.lookup(operand.get())} : Tangent());
    }
    ChosenZeros found = zerosOfTangents(&op, operands);
    for (Value result : op.getResults())
      zeros[result] = found;
  }
  return zeros;
}

// What holds after one step holds for the states of the next one.
void LoopTangents::findZeros() {
  for (unsigned i = 0; i < states; ++i)
    zerosOfStates.push_back(ofOperands[i].value ? ofOperands[i].zeros
                                                : ChosenZeros{false, /*atStart=*/true});
  auto yielded = loop.getBody().front().getTerminator()->getOperands();
  // Each round can only add; a body whose states hand zeros on one by one is not worth more.
  constexpr int kMostRounds = 4;
  for (int round = 0;; ++round) {
    DenseMap<Value, ChosenZeros> zeros = walkBody();
    bool changed = false;
    for (unsigned i = 0; i < states; ++i) {
      if (!paths.isOnPath(loop.getStateArguments()[i]))
        continue;
      ChosenZeros before = zerosOfStates[i], after = zeros.lookup(yielded[i]);
      after.byChoice |= before.byChoice || !paths.isOnPath(yielded[i]) || round == kMostRounds;
      after.atStart |= before.atStart;
      changed |= !(after == before);
      zerosOfStates[i] = after;
    }
    if (!changed)
      return;
  }
}

LogicalResult LoopTangents::differentiateBody() {
  IRMapping mapping;
  loop.getBody().cloneInto(&*region, mapping);
  body = &region->front();
  if (!replaces)
    dropEffects(*body);
  inner.resize(loop->getNumOperands());
  SmallVector<Value> inputs, outputs;
  for (unsigned i = 0, e = loop->getNumOperands(); i < e; ++i)
    if (paths.isOnPath(loop.getBody().getArgument(1 + i))) {
      Value argument = body->getArgument(1 + i);
      inner[i] = body->addArgument(argument.getType(), gradientLocation(loop));
      inputs.push_back(argument);
    }
  auto original = loop.getBody().front().getTerminator()->getOperands();
  for (auto [value, old] : llvm::zip(body->getTerminator()->getOperands(), original))
    if (paths.isOnPath(old))
      outputs.push_back(value);
  inside.setInsertionPointToEnd(body);
  ForwardMode walk(inside, loop.getLoc(), inputs);
  if (failed(walk.prepare(outputs)))
    return failure();
  for (unsigned i = 0, e = inner.size(); i < e; ++i)
    if (isCarried(i))
      walk.seed(body->getArgument(1 + i),
                {inner[i], i < states ? zerosOfStates[i] : ofOperands[i].zeros});
  if (failed(walk.run(ForwardMode::Place::BesideValues)))
    return failure();
  differentiated = walk.differentiated();
  for (auto [i, value] : llvm::enumerate(body->getTerminator()->getOperands())) {
    bool isNeeded = i < states ? isCarried(i) : matters[i];
    ofYielded.push_back(isNeeded ? walk.tangentOf(value) : Tangent());
  }
  return success();
}

// The next states, their tangents, the elements of stacks, their tangents.
void LoopTangents::endBody() {
  auto end = cast<YieldOp>(body->getTerminator());
  inside.setInsertionPoint(end);
  GraphMath inner(inside, g.location());
  SmallVector<Value> yielded(end.getValues().take_front(states));
  for (unsigned i = 0; i < states; ++i)
    if (isCarried(i)) {
      if (!ofYielded[i].value)
        ofYielded[i] = {inner.zeroLike(end.getValues()[i]), {/*byChoice=*/true}};
      yielded.push_back(ofYielded[i].value);
    }
  if (replaces)
    llvm::append_range(yielded, end.getValues().drop_front(states));
  for (const Tangent &tangent : ArrayRef(ofYielded).drop_front(states))
    if (tangent.value)
      yielded.push_back(tangent.value);
  end.getValuesMutable().assign(yielded);
}

// The body's arguments as the loop has its operands: tangents behind the values of their kind.
void LoopTangents::orderArguments() {
  unsigned sequences = loop.getSequences().size(), operands = loop->getNumOperands();
  SmallVector<BlockArgument> order{body->getArgument(0)};
  auto append = [&](unsigned begin, unsigned end) {
    for (unsigned i = begin; i < end; ++i)
      order.push_back(body->getArgument(1 + i));
    for (unsigned i = begin; i < end; ++i)
      if (isCarried(i))
        order.push_back(inner[i]);
  };
  append(0, states);
  append(states, states + sequences);
  append(states + sequences, operands);
  Block *ordered = new Block;
  for (BlockArgument argument : order)
    argument.replaceAllUsesWith(ordered->addArgument(argument.getType(), argument.getLoc()));
  ordered->getOperations().splice(ordered->end(), body->getOperations());
  body->erase();
  region->push_back(ordered);
  body = ordered;
}

LoopOpInterface LoopTangents::buildLoop() {
  unsigned number = 0;
  auto withTangents = [&](OperandRange values) {
    SmallVector<Value> all(values);
    for (Value value : values) {
      if (isCarried(number)) {
        Value tangent = ofOperands[number].value;
        all.push_back(tangent ? tangent : g.zeroLike(value));
      }
      ++number;
    }
    return all;
  };
  SmallVector<Value> inits = withTangents(loop.getInits());
  SmallVector<Value> sequences = withTangents(loop.getSequences());
  SmallVector<Value> captures = withTangents(loop.getCaptures());

  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto yielded = cast<YieldOp>(body->getTerminator()).getValues();
  auto scan = dyn_cast<ScanOp>(*loop);
  if (!scan)
    types.push_back(RankedTensorType::get({}, builder.getI64Type()));
  for (Value value : yielded.drop_front(inits.size())) {
    Shape shape = getShape(value);
    shape.insert(shape.begin(), length.getDims().front());
    types.push_back(getTensorType(shape, getElementType(value)));
  }
  LoopOpInterface built;
  if (scan) {
    built = builder.create<ScanOp>(g.location(), types, length, scan.getReverseAttr(), inits,
                                   sequences, captures);
  } else {
    auto original = cast<WhileOp>(*loop);
    built = builder.create<WhileOp>(g.location(), types, length, original.getAtMostAttr(), inits,
                                    captures);
  }
  built->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  built.getBody().takeBody(*region);
  return built;
}

RegionTangents LoopTangents::takeTangents(LoopOpInterface built) {
  RegionTangents result;
  result.differentiated = differentiated;
  result.tangents.resize(loop->getNumResults());
  unsigned next = states; // of the results that are tangents of states, then of those of stacks
  bool mayHaveNoStep = isa<WhileOp>(*loop) || loop.getSteps().lowerBound().value_or(0) < 1;
  for (unsigned i = 0; i < states; ++i) {
    if (!isCarried(i))
      continue;
    Value last = built->getResult(next++);
    ChosenZeros zeros = ofYielded[i].zeros;
    if (mayHaveNoStep)
      zeros.byChoice |= !ofOperands[i].value || bool(ofOperands[i].zeros);
    if (matters[i])
      result.tangents[loop.getResultOf(i).getResultNumber()] = {last, zeros};
  }
  unsigned count = next;
  next += isa<WhileOp>(*loop);
  unsigned stacks = next;
  if (replaces)
    next += loop.getStacks().size();
  for (unsigned i = states, e = ofYielded.size(); i < e; ++i) {
    if (!ofYielded[i].value)
      continue;
    // A loop of its own has its own name for the number of steps.
    OpResult stack = loop.getResultOf(i);
    Value value = g.reshape(built->getResult(next++), getShape(stack));
    result.tangents[stack.getResultNumber()] = {value, ofYielded[i].zeros};
  }
  if (!replaces)
    return result;
  llvm::append_range(result.values, built->getResults().take_front(states));
  if (isa<WhileOp>(*loop))
    result.values.push_back(built->getResult(count));
  llvm::append_range(result.values, built->getResults().slice(stacks, loop.getStacks().size()));
  return result;
}

FailureOr<RegionTangents> LoopTangents::build() {
  findZeros();
  if (failed(differentiateBody()))
    return failure();
  auto has = [](const Tangent &tangent) { return bool(tangent.value); };
  bool hasStacks = llvm::any_of(ArrayRef(ofYielded).drop_front(states), has);
  if (!hasStacks && llvm::none_of(inner, [](Value argument) { return bool(argument); })) {
    RegionTangents none;
    none.tangents.resize(loop->getNumResults());
    return none;
  }
  endBody();
  orderArguments();
  length = loop->getAttrOfType<DimsAttr>("length");
  // A symbol has one definition.
  if (!replaces && length && isa<WhileOp>(*loop)) {
    int64_t symbol = firstUnusedSymbol(loop->getParentOfType<FunctionOpInterface>());
    length = hasStacks ? DimsAttr::get(loop.getContext(), {DimExpr::symbol(symbol)}) : DimsAttr();
  }
  return takeTangents(buildLoop());
}

FailureOr<RegionTangents> keratin::ir::tangentsOfLoop(LoopOpInterface loop, OpBuilder &builder,
                                                      ArrayRef<Tangent> ofOperands,
                                                      ArrayRef<bool> wanted, bool replaces) {
  SmallVector<bool> matters;
  unsigned yielded = loop.getBody().front().getTerminator()->getNumOperands();
  for (unsigned i = 0; i < yielded; ++i)
    matters.push_back(wanted[loop.getResultOf(i).getResultNumber()]);
  return LoopTangents(loop, builder, ofOperands, matters, replaces).build();
}

//===-- Bodies that are run once
//---------------------------------------------------------------===//

namespace {

// The ops of a body, with those of its tangents between them.
struct BodyTangents {
  explicit BodyTangents(Operation *place) : region(place) {}

  HeldRegion region;
  SmallVector<Tangent> ofYielded;
  int64_t differentiated = 0;

  Block &block() { return region->front(); }
  YieldOp end() { return cast<YieldOp>(block().getTerminator()); }
};

} // namespace

// The arguments are the captures, then the tangents that there are.
static FailureOr<BodyTangents> differentiateBody(Region &branch, ArrayRef<Tangent> ofCaptures,
                                                 ArrayRef<bool> wanted, bool replaces) {
  Operation *op = branch.getParentOp();
  BodyTangents result(op);
  IRMapping mapping;
  branch.cloneInto(&*result.region, mapping);
  Block &block = result.block();
  if (!replaces)
    dropEffects(block);
  SmallVector<Value> inputs, outputs;
  for (auto [value, isWanted] : llvm::zip(result.end().getValues(), wanted))
    if (isWanted)
      outputs.push_back(value);
  for (auto [argument, tangent] : llvm::zip(block.getArguments(), ofCaptures))
    if (tangent.value)
      inputs.push_back(argument);
  OpBuilder inside(op->getContext());
  inside.setInsertionPointToEnd(&block);
  ForwardMode walk(inside, op->getLoc(), inputs);
  if (failed(walk.prepare(outputs)))
    return failure();
  for (unsigned i = 0, e = ofCaptures.size(); i < e; ++i)
    if (const Tangent &tangent = ofCaptures[i]; tangent.value)
      walk.seed(block.getArgument(i),
                {block.addArgument(tangent.value.getType(), gradientLocation(op)), tangent.zeros});
  if (failed(walk.run(ForwardMode::Place::BesideValues)))
    return failure();
  for (auto [value, isWanted] : llvm::zip(result.end().getValues(), wanted))
    result.ofYielded.push_back(isWanted ? walk.tangentOf(value) : Tangent());
  result.differentiated = walk.differentiated();
  return result;
}

static void finishBody(BodyTangents &branch, Location location, ArrayRef<unsigned> reached,
                       bool replaces) {
  YieldOp end = branch.end();
  OpBuilder inside(end);
  GraphMath g(inside, location);
  SmallVector<Value> yielded;
  if (replaces)
    llvm::append_range(yielded, end.getValues());
  for (unsigned i : reached) {
    Value tangent = branch.ofYielded[i].value;
    yielded.push_back(tangent ? tangent : g.zeroLike(end.getValues()[i]));
  }
  end.getValuesMutable().assign(yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(branch.block())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===-- Branches ------------------------------------------------------------------------------===//

FailureOr<RegionTangents> keratin::ir::tangentsOfIf(IfOp op, OpBuilder &builder,
                                                    ArrayRef<Tangent> ofOperands,
                                                    ArrayRef<bool> wanted, bool replaces) {
  // The condition is no capture, and has no tangent.
  ArrayRef<Tangent> ofCaptures = ofOperands.drop_front();
  FailureOr<BodyTangents> first = differentiateBody(op.getThenBody(), ofCaptures, wanted, replaces);
  if (failed(first))
    return failure();
  FailureOr<BodyTangents> second =
      differentiateBody(op.getElseBody(), ofCaptures, wanted, replaces);
  if (failed(second))
    return failure();

  RegionTangents result;
  result.tangents.resize(op->getNumResults());
  result.differentiated = first->differentiated + second->differentiated;
  SmallVector<unsigned> reached;
  SmallVector<Type> types;
  if (replaces)
    types.assign(op->result_type_begin(), op->result_type_end());
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
    if (first->ofYielded[i].value || second->ofYielded[i].value) {
      reached.push_back(i);
      types.push_back(op->getResult(i).getType());
    }
  if (reached.empty())
    return result;
  Location location = replaces ? op.getLoc() : gradientLocation(op);
  finishBody(*first, location, reached, replaces);
  finishBody(*second, location, reached, replaces);

  SmallVector<Value> captures(op.getCaptures());
  for (const Tangent &tangent : ofCaptures)
    if (tangent.value)
      captures.push_back(tangent.value);
  auto built = builder.create<IfOp>(location, types, op.getCondition(), captures);
  built->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  built.getThenBody().takeBody(*first->region);
  built.getElseBody().takeBody(*second->region);
  for (auto [i, tangent] : llvm::zip(reached, built->getResults().take_back(reached.size()))) {
    const Tangent &one = first->ofYielded[i], &other = second->ofYielded[i];
    bool byChoice = !one.value || !other.value || bool(one.zeros | other.zeros);
    result.tangents[i] = {tangent, {byChoice}};
  }
  if (replaces)
    llvm::append_range(result.values, built->getResults().drop_back(reached.size()));
  return result;
}

//===-- Checkpoints ---------------------------------------------------------------------------===//

FailureOr<RegionTangents> keratin::ir::tangentsOfCheckpoint(CheckpointOp op, OpBuilder &builder,
                                                            ArrayRef<Tangent> ofOperands,
                                                            ArrayRef<bool> wanted, bool replaces) {
  FailureOr<BodyTangents> body = differentiateBody(op.getBody(), ofOperands, wanted, replaces);
  if (failed(body))
    return failure();
  RegionTangents result;
  result.tangents.resize(op->getNumResults());
  result.differentiated = body->differentiated;
  SmallVector<unsigned> reached;
  SmallVector<Type> types;
  if (replaces)
    types.assign(op->result_type_begin(), op->result_type_end());
  for (auto [i, tangent] : llvm::enumerate(body->ofYielded))
    if (tangent.value) {
      reached.push_back(i);
      types.push_back(op->getResult(i).getType());
    }
  if (reached.empty())
    return result;
  Location location = replaces ? op.getLoc() : gradientLocation(op);
  finishBody(*body, location, reached, replaces);
  SmallVector<Value> operands(op.getInputs());
  for (const Tangent &tangent : ofOperands)
    if (tangent.value)
      operands.push_back(tangent.value);
  auto built = builder.create<CheckpointOp>(location, types, operands);
  built.getBody().takeBody(*body->region);
  if (auto some = op->getAttrOfType<DenseI64ArrayAttr>(kDelayedAttr)) {
    SmallVector<int64_t> delayed(some.asArrayRef());
    for (size_t i = op->getNumOperands(); i < operands.size(); ++i)
      delayed.push_back(int64_t(i));
    built->setAttr(kDelayedAttr, builder.getDenseI64ArrayAttr(delayed));
  }
  for (auto [i, tangent] : llvm::zip(reached, built->getResults().take_back(reached.size())))
    result.tangents[i] = {tangent, body->ofYielded[i].zeros};
  if (replaces)
    llvm::append_range(result.values, built->getResults().drop_back(reached.size()));
  return result;
}

//===-- Without knowing who asks --------------------------------------------------------------===//

// All tangents, with zeros in those of the operands taken for choices, beside the op itself.
template <class Op, class Differentiate>
static LogicalResult buildAllTangents(Op op, OpBuilder &builder, ArrayRef<Value> tangents,
                                      SmallVectorImpl<Value> &results,
                                      const Differentiate &differentiateOp) {
  SmallVector<Tangent> ofOperands = llvm::map_to_vector(
      tangents, [](Value tangent) { return Tangent{tangent, {/*byChoice=*/true}}; });
  SmallVector<bool> wanted = llvm::map_to_vector(
      op->getResults(), [](Value result) { return isa<FloatType>(getElementType(result)); });
  FailureOr<RegionTangents> built =
      differentiateOp(op, builder, ofOperands, wanted, /*replaces=*/false);
  if (failed(built))
    return failure();
  results.clear();
  for (const Tangent &tangent : built->tangents)
    results.push_back(tangent.value);
  return success();
}

LogicalResult ScanOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results) {
  return buildAllTangents(*this, builder, tangents, results, tangentsOfLoop);
}
LogicalResult WhileOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results) {
  return buildAllTangents(*this, builder, tangents, results, tangentsOfLoop);
}
LogicalResult IfOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                             SmallVectorImpl<Value> &results) {
  return buildAllTangents(*this, builder, tangents, results, tangentsOfIf);
}
LogicalResult CheckpointOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results) {
  return buildAllTangents(*this, builder, tangents, results, tangentsOfCheckpoint);
}

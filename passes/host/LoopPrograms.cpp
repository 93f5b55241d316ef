// Loops of a host program.
#include "passes/host/ProgramBuilder.h"
#include "passes/memory/KernelProgram.h"

using namespace keratin;
using namespace keratin::passes;
using namespace mlir;
using ir::DimExpr;

FailureOr<DimExpr> ProgramBuilder::bytesOf(Value value) {
  std::optional<DimExpr> bytes = ir::byteCount(value);
  if (!bytes)
    return emitError(value.getLoc(), "the bytes of one step do not fit 64 bits"), failure();
  return *bytes;
}

// The place of one element along the first dimension of a sequence or a stack.
FailureOr<Value> ProgramBuilder::elementAt(Value whole, Value element, Value place) {
  FailureOr<Value> base = placeOf(whole);
  FailureOr<DimExpr> stride = bytesOf(element);
  if (failed(base) || failed(stride))
    return failure();
  return Value(b.create<host::ElementOp>(loc, *base, place, attributeOf(*stride)));
}

FailureOr<ProgramBuilder::LoopState> ProgramBuilder::readState(ir::LoopOpInterface op,
                                                               unsigned number) {
  ir::PlaceAttr place = ir::placeOf(op->getResult(number));
  LoopState state;
  state.home = ir::placeOfState(op, number);
  state.overInit = place.getOver().has_value();
  FailureOr<Value> init = placeOf(op.getInits()[number]);
  if (failed(init))
    return failure();
  state.init = state.last = *init;
  if (!place.isNowhere()) {
    FailureOr<Value> result = placeOf(op->getResult(number));
    if (failed(result))
      return failure();
    state.result = *result;
  }
  if (!state.home.isInMemory())
    return state;
  Value second = placeAt(state.home);
  auto scan = dyn_cast<ir::ScanOp>(*op);
  if (!scan) {
    state.next = state.result;
    state.other = second;
    return state;
  }
  // The last of the steps, whose number has the parity that it has, writes the result.
  Value parity = b.create<arith::AndIOp>(loc, sizeOf(scan.getSteps()), i64(1));
  Value odd = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, parity, i64(0));
  state.next = b.create<arith::SelectOp>(loc, odd, state.result, second);
  state.other = b.create<arith::SelectOp>(loc, odd, second, state.result);
  return state;
}

bool ProgramBuilder::isTape(OpResult stack) const {
  ir::PlaceAttr place = ir::placeOf(stack);
  return place.isInMemory() && memories[place.getNumber()].isTape();
}

// The place of a step's element of a stack. A tape may have moved since the last step.
FailureOr<Value> ProgramBuilder::elementOf(ir::LoopOpInterface op, unsigned yielded, Value place) {
  OpResult stack = op.getResultOf(yielded);
  Value element = op.getBody().front().getTerminator()->getOperand(yielded);
  if (!isTape(stack))
    return elementAt(stack, element, place);
  FailureOr<DimExpr> stride = bytesOf(element);
  if (failed(stride))
    return failure();
  Value tape = b.create<host::MemoryOp>(loc, ir::placeOf(stack).getNumber());
  return Value(b.create<host::ElementOp>(loc, tape, place, attributeOf(*stride)));
}

// After a failure values mean nothing: no further step of a scan does anything.
LogicalResult ProgramBuilder::buildBody(ir::LoopOpInterface op) {
  OpBuilder::InsertionGuard guard(b);
  if (isa<ir::ScanOp>(*op) && ir::isFallible(op)) {
    Value sound = b.create<host::SoundOp>(loc, b.getI1Type());
    auto body = b.create<scf::IfOp>(loc, sound, /*withElseRegion=*/false);
    b.setInsertionPointToStart(body.thenBlock());
  }
  return buildBlock(op.getBody().front());
}

// One step at the given place. Afterwards the states' `last` is what the step wrote.
LogicalResult ProgramBuilder::buildStep(ir::LoopOpInterface op, Value place, LoopStates &states) {
  if (ir::PlaceAttr step = ir::placeOfStep(op)) {
    Value number = placeAt(step);
    b.create<host::WriteOp>(loc, place, number);
    places[op.getStepNumber()] = number;
  }
  for (auto [sequence, element] : llvm::zip(op.getSequences(), op.getElementArguments())) {
    FailureOr<Value> address = elementAt(sequence, element, place);
    if (failed(address))
      return failure();
    places[element] = *address;
  }
  Operation *yield = op.getBody().front().getTerminator();
  unsigned numStates = op.getNumStates();
  for (unsigned index = numStates; index < yield->getNumOperands(); ++index) {
    FailureOr<Value> address = elementOf(op, index, place);
    if (failed(address))
      return failure();
    yieldPlaces[{op, index}] = *address;
  }
  for (auto [number, state] : llvm::enumerate(states)) {
    places[op.getStateArguments()[number]] = state.last;
    Value written = state.result;
    if (state.home.isInStack())
      written = yieldPlaces[{op, numStates + state.home.getNumber()}];
    else if (state.home.isInMemory())
      written = state.next;
    yieldPlaces[{op, unsigned(number)}] = written;
  }
  if (failed(buildBody(op)))
    return failure();
  loc = op.getLoc();
  for (auto [number, state] : llvm::enumerate(states)) {
    state.last = yieldPlaces[{op, unsigned(number)}];
    std::swap(state.next, state.other);
  }
  return success();
}

void ProgramBuilder::copy(Value from, Value to, const DimExpr &bytes) {
  b.create<host::CopyOp>(loc, from, to, attributeOf(bytes), 0);
}

// Brings the last state to where others look for it.
void ProgramBuilder::finishState(ir::LoopOpInterface op, unsigned number, const LoopState &state) {
  if (!state.result || state.overInit)
    return;
  DimExpr bytes = *bytesOf(op->getResult(number)); // buildLoop has seen that there is one
  if (state.home.isInStack())
    return copy(state.last, state.result, bytes);
  // It is there, unless there was no step, or the last one wrote the other of two buffers.
  Value elsewhere;
  if (auto scan = dyn_cast<ir::ScanOp>(*op))
    elsewhere =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, sizeOf(scan.getSteps()), i64(0));
  else
    elsewhere = b.create<host::DiffersOp>(loc, b.getI1Type(), state.last, state.result);
  auto branch = b.create<scf::IfOp>(loc, elsewhere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  copy(state.last, state.result, bytes);
}

// What changes from step to step.
SmallVector<Value *> ProgramBuilder::carried(LoopStates &states) {
  SmallVector<Value *> values;
  for (LoopState &state : states) {
    values.push_back(&state.last);
    if (state.home.isInMemory()) {
      values.push_back(&state.next);
      values.push_back(&state.other);
    }
  }
  return values;
}

LogicalResult ProgramBuilder::buildLoop(ir::LoopOpInterface op) {
  OpBuilder::InsertionGuard guard(b);
  bool isOutermost = !b.getInsertionBlock()->getParentOp()->getParentOfType<host::LoopOp>() &&
                     !isa<host::LoopOp>(b.getInsertionBlock()->getParentOp());
  if (isOutermost) {
    ownSymbols.clear();
    op->walk([&](ir::DefineSizeOp define) { ownSymbols.insert(define.getSymbol()); });
  }
  auto whole = b.create<host::LoopOp>(loc);
  b.setInsertionPointToEnd(&whole.getBody().emplaceBlock());
  LoopStates states;
  for (unsigned number = 0; number < op.getNumStates(); ++number) {
    FailureOr<LoopState> state = readState(op, number);
    if (failed(state) || failed(bytesOf(op->getResult(number))))
      return failure();
    states.push_back(*state);
  }
  auto scan = dyn_cast<ir::ScanOp>(*op);
  if (failed(scan ? buildSteps(scan, states) : buildSteps(cast<ir::WhileOp>(*op), states)))
    return failure();
  for (auto [number, state] : llvm::enumerate(states))
    finishState(op, number, state);
  if (isOutermost)
    ownSymbols.clear();
  return success();
}

LogicalResult ProgramBuilder::buildSteps(ir::ScanOp op, LoopStates &states) {
  SmallVector<Value> init;
  for (Value *value : carried(states))
    init.push_back(*value);
  Value steps = sizeOf(op.getSteps());
  auto loop = b.create<scf::ForOp>(loc, i64(0), steps, i64(1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    LoopStates inside(states);
    for (auto [value, argument] : llvm::zip(carried(inside), loop.getRegionIterArgs()))
      *value = argument;
    Value place = loop.getInductionVar();
    if (op.getReverse()) {
      Value behind = b.create<arith::SubIOp>(loc, steps, place);
      place = b.create<arith::SubIOp>(loc, behind, i64(1));
    }
    if (failed(buildStep(op, place, inside)))
      return failure();
    SmallVector<Value> next;
    for (Value *value : carried(inside))
      next.push_back(*value);
    if (!init.empty())
      b.create<scf::YieldOp>(loc, next);
  }
  for (auto [value, result] : llvm::zip(carried(states), loop.getResults()))
    *value = result;
  return success();
}

//===-- Loops that end when they say so -------------------------------------------------------===//

// Whether there is a further step.
Value ProgramBuilder::goesOn(ir::WhileOp op, Value step, const LoopState &flag) {
  Value goes = b.create<host::ReadOp>(loc, b.getI1Type(), flag.last);
  if (std::optional<DimExpr> most = op.getBound()) {
    Value below = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, step, sizeOf(*most));
    goes = b.create<arith::AndIOp>(loc, goes, below);
  }
  // After a failure values mean nothing, and the condition might never change.
  if (!ir::isFallible(op))
    return goes;
  Value sound = b.create<host::SoundOp>(loc, b.getI1Type());
  return b.create<arith::AndIOp>(loc, goes, sound);
}

// For how many steps there is room in the tapes: for the one to come, unless there is no memory.
Value ProgramBuilder::roomFor(ir::WhileOp op, Value step, Value room) {
  Value isFull = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, step, room);
  auto branch = b.create<scf::IfOp>(loc, room.getType(), isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value needed = b.create<arith::AddIOp>(loc, step, i64(1));
  Value larger =
      b.create<host::GrowTapesOp>(loc, b.getI64Type(), uint64_t(op.getSteps().symbolId()), needed);
  b.create<scf::YieldOp>(loc, larger);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, room);
  return branch.getResult(0);
}

LogicalResult ProgramBuilder::buildSteps(ir::WhileOp op, LoopStates &states) {
  bool hasTapes =
      llvm::any_of(op.getStacks(), [&](Value stack) { return isTape(cast<OpResult>(stack)); });
  SmallVector<Value> init = {i64(0), i64(0)}; // the step, and room in the tapes
  for (Value *value : carried(states))
    init.push_back(*value);
  SmallVector<Type> types(ValueRange(init).getTypes());
  SmallVector<Location> locations(types.size(), loc);
  auto loop = b.create<scf::WhileOp>(loc, types, init);
  // The states in a block of the loop, whose arguments are what `init` is at first.
  auto statesIn = [&](Block *block) {
    LoopStates inside(states);
    for (auto [value, argument] : llvm::zip(carried(inside), block->getArguments().drop_front(2)))
      *value = argument;
    return inside;
  };
  {
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
    LoopStates inside = statesIn(before);
    SmallVector<Value> forwarded(before->getArguments());
    Value step = forwarded[0];
    Value goes = goesOn(op, step, inside[0]);
    if (hasTapes) {
      auto branch = b.create<scf::IfOp>(loc, step.getType(), goes, /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      b.create<scf::YieldOp>(loc, roomFor(op, step, forwarded[1]));
      b.setInsertionPointToStart(branch.elseBlock());
      b.create<scf::YieldOp>(loc, i64(0));
      b.setInsertionPointToEnd(before);
      forwarded[1] = branch.getResult(0);
      goes = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, forwarded[1], step);
    }
    b.create<scf::ConditionOp>(loc, goes, forwarded);
  }
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  LoopStates inside = statesIn(after);
  Value step = after->getArgument(0);
  // A state that lives in a tape has moved with it.
  for (LoopState &state : inside) {
    unsigned yielded = op.getNumStates() + state.home.getNumber();
    if (!state.home.isInStack() || !isTape(op.getResultOf(yielded)))
      continue;
    Value behind = b.create<arith::SubIOp>(loc, step, i64(1));
    FailureOr<Value> address = elementOf(op, yielded, behind);
    if (failed(address))
      return failure();
    Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, step, i64(0));
    state.last = b.create<arith::SelectOp>(loc, isFirst, state.init, *address);
  }
  if (failed(buildStep(op, step, inside)))
    return failure();
  SmallVector<Value> next = {b.create<arith::AddIOp>(loc, step, i64(1)), after->getArgument(1)};
  for (Value *value : carried(inside))
    next.push_back(*value);
  b.create<scf::YieldOp>(loc, next);
  b.setInsertionPointAfter(loop);

  for (auto [value, result] : llvm::zip(carried(states), loop.getResults().drop_front(2)))
    *value = result;
  FailureOr<Value> count = placeOf(op.getStepCount());
  if (failed(count))
    return failure();
  b.create<host::WriteOp>(loc, loop.getResult(0), *count);
  return success();
}

// Loops and branches of the entry function.
#include "codegen/lowering/EntryBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

//===-- Branches ------------------------------------------------------------------------------===//

LogicalResult EntryBuilder::emitBranches(ir::IfOp op) {
  FailureOr<Value> condition = pointerOf(op.getCondition());
  if (failed(condition))
    return failure();
  Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), *condition);
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 8);
  Value holds = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
  auto branch = b.create<scf::IfOp>(loc, holds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  bool wasConditional = frame.isConditional;
  frame.isConditional |= !frame.isLoop();
  b.setInsertionPointToStart(branch.thenBlock());
  LogicalResult thenDone = emitBlock(op.getThenBody().front());
  b.setInsertionPointToStart(branch.elseBlock());
  LogicalResult elseDone = emitBlock(op.getElseBody().front());
  frame.isConditional = wasConditional;
  return success(succeeded(thenDone) && succeeded(elseDone));
}

//===-- Loops ---------------------------------------------------------------------------------===//

// An outermost loop: a function of its own, called from the entry function.
LogicalResult EntryBuilder::callLoop(ir::LoopOpInterface op) {
  std::string loopName = name + ".loop_" + std::to_string(loops++);
  auto type = frame.function.getFunctionType();
  b.create<LLVM::CallOp>(loc, type, loopName,
                         ValueRange{frame.context, frame.buffers, frame.sizes});
  OpBuilder::InsertionGuard guard(b);
  Frame entry = std::move(frame);
  openFunction(loopName, LLVM::LLVMVoidType::get(b.getContext()));
  frame.function.setLinkage(LLVM::Linkage::Internal);
  op->walk([&](ir::DefineSizeOp define) { frame.ownSymbols.insert(define.getSymbol()); });
  auto body = new Block;
  frame.function.getBody().push_back(body);
  frame.prologueEnd = b.create<LLVM::BrOp>(loc, body);
  b.setInsertionPointToEnd(body);
  auto end = b.create<LLVM::ReturnOp>(loc, ValueRange{});
  b.setInsertionPoint(end);
  LogicalResult done = emitLoop(op);
  closeFunction();
  frame = std::move(entry);
  return done;
}

FailureOr<DimExpr> EntryBuilder::bytesOf(Value value) {
  std::optional<DimExpr> bytes = ir::elementCount(ir::getShape(value));
  if (bytes)
    bytes = mul(*bytes, DimExpr(ir::dtypeBytes(ir::dtypeOf(ir::getElementType(value)))));
  if (!bytes)
    return emitError(value.getLoc(), "the bytes of one step do not fit 64 bits"), failure();
  return *bytes;
}

// The place of one element along the first dimension of a sequence or a stack.
FailureOr<Value> EntryBuilder::elementAt(Value whole, Value element, Value place) {
  FailureOr<Value> base = pointerOf(whole);
  FailureOr<DimExpr> stride = bytesOf(element);
  if (failed(base) || failed(stride))
    return failure();
  return offsetBy(*base, b.create<arith::MulIOp>(loc, place, sizeOf(*stride)));
}

FailureOr<EntryBuilder::LoopState> EntryBuilder::readState(ir::LoopOpInterface op,
                                                           unsigned number) {
  ir::PlaceAttr place = ir::placeOf(op->getResult(number));
  LoopState state;
  state.home = ir::placeOfState(op, number);
  state.overInit = place.getOver().has_value();
  FailureOr<Value> init = pointerOf(op.getInits()[number]);
  if (failed(init))
    return failure();
  state.init = state.last = *init;
  if (!place.isNowhere()) {
    FailureOr<Value> result = pointerOf(op->getResult(number));
    if (failed(result))
      return failure();
    state.result = *result;
  }
  if (!state.home.isInMemory())
    return state;
  Value second = hoistedIf(!isOwnPlace(state.home), [&] { return placeAt(state.home); });
  auto scan = dyn_cast<ir::ScanOp>(*op);
  if (!scan) {
    state.next = state.result;
    state.other = second;
    return state;
  }
  // The last of the steps, whose number has the parity that it has, writes the result.
  Value parity = b.create<arith::AndIOp>(loc, sizeOf(scan.getSteps()), i64(1));
  Value odd = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, parity, i64(0));
  state.next = b.create<LLVM::SelectOp>(loc, odd, state.result, second);
  state.other = b.create<LLVM::SelectOp>(loc, odd, second, state.result);
  return state;
}

// The stack of the loop that is a tape: the number of its buffer.
std::optional<int64_t> EntryBuilder::tapeOf(OpResult stack) {
  ir::PlaceAttr place = ir::placeOf(stack);
  if (!place.isInMemory() || !memories[place.getNumber()].isTape())
    return std::nullopt;
  return arenaBuffer + place.getNumber();
}

// The place of a step's element of a stack. A tape may have moved since the last step.
FailureOr<Value> EntryBuilder::elementOf(ir::LoopOpInterface op, unsigned yielded, Value place) {
  OpResult stack = op.getResultOf(yielded);
  Value element = op.getBody().front().getTerminator()->getOperand(yielded);
  std::optional<int64_t> tape = tapeOf(stack);
  if (!tape)
    return elementAt(stack, element, place);
  FailureOr<DimExpr> stride = bytesOf(element);
  if (failed(stride))
    return failure();
  return offsetBy(bufferAt(*tape), b.create<arith::MulIOp>(loc, place, sizeOf(*stride)));
}

static bool canFail(ir::LoopOpInterface loop) {
  return loop
      ->walk([](Operation *op) {
        bool fails =
            isa<ir::DefineSizeOp>(op) || (isa<ir::KernelOp>(op) && op->hasAttr(ir::kFallibleAttr));
        return fails ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// After a failure values mean nothing: no further step of a scan does anything.
LogicalResult EntryBuilder::emitBody(ir::LoopOpInterface op) {
  OpBuilder::InsertionGuard guard(b);
  if (isa<ir::ScanOp>(*op) && canFail(op)) {
    auto body = b.create<scf::IfOp>(loc, hasNotFailed(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(body.thenBlock());
  }
  return emitBlock(op.getBody().front());
}

// One step at the given place. Afterwards the states' `last` is what the step wrote.
LogicalResult EntryBuilder::emitStep(ir::LoopOpInterface op, Value place, LoopStates &states) {
  if (ir::PlaceAttr step = ir::placeOfStep(op)) {
    Value number = hoistedIf(!isOwnPlace(step), [&] { return placeAt(step); });
    b.create<LLVM::StoreOp>(loc, place, number);
    frame.pointers[op.getStepNumber()] = number;
  }
  for (auto [sequence, element] : llvm::zip(op.getSequences(), op.getElementArguments())) {
    FailureOr<Value> address = elementAt(sequence, element, place);
    if (failed(address))
      return failure();
    frame.pointers[element] = *address;
  }
  Operation *yield = op.getBody().front().getTerminator();
  unsigned numStates = op.getNumStates();
  for (unsigned index = numStates; index < yield->getNumOperands(); ++index) {
    FailureOr<Value> address = elementOf(op, index, place);
    if (failed(address))
      return failure();
    frame.yieldPlaces[{op, index}] = *address;
  }
  for (auto [number, state] : llvm::enumerate(states)) {
    frame.pointers[op.getStateArguments()[number]] = state.last;
    Value written = state.result;
    if (state.home.isInStack())
      written = frame.yieldPlaces[{op, numStates + state.home.getNumber()}];
    else if (state.home.isInMemory())
      written = state.next;
    frame.yieldPlaces[{op, unsigned(number)}] = written;
  }
  if (failed(emitBody(op)))
    return failure();
  loc = op.getLoc();
  for (auto [number, state] : llvm::enumerate(states)) {
    state.last = frame.yieldPlaces[{op, unsigned(number)}];
    std::swap(state.next, state.other);
  }
  return success();
}

// Brings the last state to where others look for it.
void EntryBuilder::finishState(ir::LoopOpInterface op, unsigned number, const LoopState &state) {
  if (!state.result || state.overInit)
    return;
  DimExpr bytes = *bytesOf(op->getResult(number)); // emitLoop has seen that there is one
  if (state.home.isInStack())
    return copy(state.result, state.last, bytes);
  // It is there, unless there was no step, or the last one wrote the other of two buffers.
  Value elsewhere;
  if (auto scan = dyn_cast<ir::ScanOp>(*op))
    elsewhere =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, sizeOf(scan.getSteps()), i64(0));
  else
    elsewhere = b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, state.last, state.result);
  auto branch = b.create<scf::IfOp>(loc, elsewhere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  copy(state.result, state.last, bytes);
}

// What changes from step to step.
SmallVector<Value *> EntryBuilder::carried(LoopStates &states) {
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

LogicalResult EntryBuilder::emitLoop(ir::LoopOpInterface op) {
  LoopStates states;
  for (unsigned number = 0; number < op.getNumStates(); ++number) {
    FailureOr<LoopState> state = readState(op, number);
    if (failed(state) || failed(bytesOf(op->getResult(number))))
      return failure();
    states.push_back(*state);
  }
  auto scan = dyn_cast<ir::ScanOp>(*op);
  if (failed(scan ? emitSteps(scan, states) : emitSteps(cast<ir::WhileOp>(*op), states)))
    return failure();
  for (auto [number, state] : llvm::enumerate(states))
    finishState(op, number, state);
  return success();
}

LogicalResult EntryBuilder::emitSteps(ir::ScanOp op, LoopStates &states) {
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
    if (!init.empty())
      b.setInsertionPointToEnd(loop.getBody());
    if (failed(emitStep(op, place, inside)))
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
Value EntryBuilder::goesOn(ir::WhileOp op, Value step, const LoopState &flag) {
  Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), flag.last);
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 8);
  Value goes = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
  if (std::optional<DimExpr> most = op.getBound()) {
    Value below = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, step, sizeOf(*most));
    goes = b.create<arith::AndIOp>(loc, goes, below);
  }
  // After a failure values mean nothing, and the condition might never change.
  return canFail(op) ? Value(b.create<arith::AndIOp>(loc, goes, hasNotFailed())) : goes;
}

// For how many steps there is room in the tapes: for the one to come, unless there is no memory.
Value EntryBuilder::roomFor(ir::WhileOp op, Value step, Value room) {
  auto define = llvm::find_if(description.computed, [&](ir::DefineSizeOp size) {
    return int64_t(size.getSymbol()) == op.getSteps().symbolId();
  });
  Value isFull = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, step, room);
  auto branch = b.create<scf::IfOp>(loc, room.getType(), isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value target = contextField(offsetof(keratin_context_t, grow_tapes), pointer);
  auto type =
      LLVM::LLVMFunctionType::get(b.getI64Type(), {pointer, b.getI32Type(), b.getI64Type()});
  Value number = b.create<arith::ConstantIntOp>(loc, define - description.computed.begin(), 32);
  Value needed = b.create<arith::AddIOp>(loc, step, i64(1));
  Value larger =
      b.create<LLVM::CallOp>(loc, type, ValueRange{target, frame.context, number, needed})
          .getResult();
  b.create<scf::YieldOp>(loc, larger);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, room);
  return branch.getResult(0);
}

LogicalResult EntryBuilder::emitSteps(ir::WhileOp op, LoopStates &states) {
  bool hasTapes = llvm::any_of(
      op.getStacks(), [&](Value stack) { return tapeOf(cast<OpResult>(stack)).has_value(); });
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
    if (!state.home.isInStack() || !tapeOf(op.getResultOf(yielded)))
      continue;
    Value behind = b.create<arith::SubIOp>(loc, step, i64(1));
    FailureOr<Value> address = elementOf(op, yielded, behind);
    if (failed(address))
      return failure();
    Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, step, i64(0));
    state.last = b.create<LLVM::SelectOp>(loc, isFirst, state.init, *address);
  }
  if (failed(emitStep(op, step, inside)))
    return failure();
  SmallVector<Value> next = {b.create<arith::AddIOp>(loc, step, i64(1)), after->getArgument(1)};
  for (Value *value : carried(inside))
    next.push_back(*value);
  b.create<scf::YieldOp>(loc, next);
  b.setInsertionPointAfter(loop);

  for (auto [value, result] : llvm::zip(carried(states), loop.getResults().drop_front(2)))
    *value = result;
  FailureOr<Value> count = pointerOf(op.getStepCount());
  if (failed(count))
    return failure();
  b.create<LLVM::StoreOp>(loc, loop.getResult(0), *count);
  return success();
}

//===-- Copies --------------------------------------------------------------------------------===//

// memcpy: generated code calls nothing of the C library.
void EntryBuilder::copy(Value to, Value from, const DimExpr &bytes) {
  constexpr int64_t width = 32;
  if (!copyFunction) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(into.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, pointer, b.getI64Type()});
    copyFunction = b.create<LLVM::LLVMFuncOp>(loc, name + ".copy", type, LLVM::Linkage::Internal);
    Block *block = copyFunction.addEntryBlock(b);
    b.setInsertionPointToEnd(block);
    Value count = block->getArgument(2);
    Value whole = b.create<arith::AndIOp>(loc, count, i64(-width));
    auto move = [&](Value begin, Value end, int64_t step, Type unit) {
      auto loop = b.create<scf::ForOp>(loc, begin, end, i64(step));
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(loop.getBody());
      Value source = offsetBy(block->getArgument(1), loop.getInductionVar());
      Value target = offsetBy(block->getArgument(0), loop.getInductionVar());
      b.create<LLVM::StoreOp>(loc, b.create<LLVM::LoadOp>(loc, unit, source, 1), target, 1);
    };
    move(i64(0), whole, width, VectorType::get({width}, b.getI8Type()));
    move(whole, count, 1, b.getI8Type());
    b.create<LLVM::ReturnOp>(loc, ValueRange{});
  }
  b.create<LLVM::CallOp>(loc, copyFunction, ValueRange{to, from, sizeOf(bytes)});
}

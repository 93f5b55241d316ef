// Loops and branches of the entry function.
#include "codegen/lowering/EntryBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Codes of keratin.states (passes/memory/MemoryPlan.h).
static constexpr int64_t inPlace = -1, inStack = -2;

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
LogicalResult EntryBuilder::callLoop(ir::ScanOp op) {
  std::string loopName = name + "_loop_" + std::to_string(loops++);
  auto type = frame.function.getFunctionType();
  b.create<LLVM::CallOp>(loc, type, loopName,
                         ValueRange{frame.context, frame.buffers, frame.sizes});
  OpBuilder::InsertionGuard guard(b);
  Frame entry = std::move(frame);
  openFunction(loopName);
  frame.function.setLinkage(LLVM::Linkage::Internal);
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

FailureOr<EntryBuilder::LoopState> EntryBuilder::readState(ir::ScanOp op, unsigned number) {
  auto homes = op->getAttrOfType<DenseI64ArrayAttr>("keratin.states");
  auto results = op->getAttrOfType<DenseI64ArrayAttr>("keratin.results");
  auto reuses = op->getAttrOfType<DenseI64ArrayAttr>("keratin.reuses");
  if (!homes || homes.size() != op.getNumStates() || !reuses || !results)
    return op.emitError("has no place for its states: keratin-plan-memory must run first"),
           failure();
  LoopState state;
  state.home = homes[number];
  state.overInit = reuses[number] >= 0;
  FailureOr<Value> init = pointerOf(op.getInits()[number]);
  if (failed(init))
    return failure();
  state.init = state.last = *init;
  if (results[number] != INT64_MIN) {
    FailureOr<Value> result = pointerOf(op.getResult(number));
    if (failed(result))
      return failure();
    state.result = *result;
  }
  if (state.home < 0)
    return state;
  // The last of the steps, whose number has the parity that it has, writes the result.
  Value second =
      hoisted([&] { return offsetBy(bufferAt(arenaBuffer), sizeOf(offsets[state.home])); });
  Value parity = b.create<arith::AndIOp>(loc, sizeOf(op.getSteps()), i64(1));
  Value odd = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, parity, i64(0));
  state.next = b.create<LLVM::SelectOp>(loc, odd, state.result, second);
  state.other = b.create<LLVM::SelectOp>(loc, odd, second, state.result);
  return state;
}

// One step at the given place. Afterwards the states' `last` is what the step wrote.
LogicalResult EntryBuilder::emitStep(ir::ScanOp op, Value place,
                                     MutableArrayRef<LoopState> states) {
  auto step = op->getAttrOfType<IntegerAttr>("keratin.step");
  if (step && step.getInt() >= 0) {
    Value number =
        hoisted([&] { return offsetBy(bufferAt(arenaBuffer), sizeOf(offsets[step.getInt()])); });
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
    FailureOr<Value> address = elementAt(op.getResult(index), yield->getOperand(index), place);
    if (failed(address))
      return failure();
    frame.yieldPlaces[{op, index}] = *address;
  }
  for (auto [number, state] : llvm::enumerate(states)) {
    frame.pointers[op.getStateArguments()[number]] = state.last;
    Value written = state.result;
    if (state.home <= inStack)
      written = frame.yieldPlaces[{op, unsigned(numStates + inStack - state.home)}];
    else if (state.home != inPlace)
      written = state.next;
    frame.yieldPlaces[{op, unsigned(number)}] = written;
  }
  if (failed(emitBlock(op.getBody().front())))
    return failure();
  loc = op.getLoc();
  for (auto [number, state] : llvm::enumerate(states)) {
    state.last = frame.yieldPlaces[{op, unsigned(number)}];
    std::swap(state.next, state.other);
  }
  return success();
}

// Brings the last state to where others look for it.
void EntryBuilder::finishState(ir::ScanOp op, unsigned number, const LoopState &state,
                               Value steps) {
  if (!state.result || state.overInit)
    return;
  DimExpr bytes = *bytesOf(op.getResult(number)); // emitLoop has seen that there is one
  if (state.home <= inStack)
    return copy(state.result, state.last, bytes);
  // It is there, unless there was no step.
  Value none = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, steps, i64(0));
  auto branch = b.create<scf::IfOp>(loc, none, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  copy(state.result, state.init, bytes);
}

LogicalResult EntryBuilder::emitLoop(ir::ScanOp op) {
  SmallVector<LoopState> states;
  for (unsigned number = 0; number < op.getNumStates(); ++number) {
    FailureOr<LoopState> state = readState(op, number);
    if (failed(state) || failed(bytesOf(op.getResult(number))))
      return failure();
    states.push_back(*state);
  }
  // What changes from step to step.
  auto carried = [](MutableArrayRef<LoopState> states) {
    SmallVector<Value *> values;
    for (LoopState &state : states) {
      values.push_back(&state.last);
      if (state.home >= 0) {
        values.push_back(&state.next);
        values.push_back(&state.other);
      }
    }
    return values;
  };
  SmallVector<Value> init;
  for (Value *value : carried(states))
    init.push_back(*value);
  Value steps = sizeOf(op.getSteps());
  auto loop = b.create<scf::ForOp>(loc, i64(0), steps, i64(1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<LoopState> inside(states);
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
  for (auto [number, state] : llvm::enumerate(states))
    finishState(op, number, state, steps);
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
    copyFunction = b.create<LLVM::LLVMFuncOp>(loc, name + "_copy", type, LLVM::Linkage::Internal);
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

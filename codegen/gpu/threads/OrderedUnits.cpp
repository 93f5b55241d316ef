#include "codegen/gpu/threads/OrderedUnits.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/gpu/threads/ThreadMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;

// The counters: how many units have been taken, how many are done, and for each whether it has left
// what it has found.
enum { takenCounter = 0, doneCounter = 1 };

static constexpr unsigned wordBytes = sizeof(uint32_t);

Value OrderedUnits::flag(Value unit) {
  return meeting.counter(
      k.b.create<arith::AddIOp>(k.loc, unit, k.i64(OrderedUnits::otherCounters)));
}

Value OrderedUnits::isFirstThread() {
  return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq,
                                   ThreadBlock(k.b, k.loc).thread(), k.i64(0));
}

Value OrderedUnits::take() {
  OpBuilder &b = k.b;
  ThreadBlock block(b, k.loc);
  Value memory = block.memory();
  // What was there of the unit before has been read.
  block.barrier();
  LoopEmitter(b, k.loc, k.target).branch(isFirstThread(), [&] {
    Value last = b.create<arith::SubIOp>(k.loc, units, k.i64(1));
    last = b.create<arith::TruncIOp>(k.loc, b.getI32Type(), last);
    Value unit = meeting.countUp(meeting.counter(k.i64(takenCounter)), last);
    b.create<LLVM::StoreOp>(k.loc, unit, memory, wordBytes);
  });
  block.barrier();
  Value unit = b.create<LLVM::LoadOp>(k.loc, b.getI32Type(), memory, wordBytes);
  return b.create<arith::ExtUIOp>(k.loc, b.getI64Type(), unit);
}

void OrderedUnits::leave(Value unit, Value value) {
  OpBuilder &b = k.b;
  LoopEmitter(b, k.loc, k.target).branch(isFirstThread(), [&] {
    Slot::store(b, k.loc, value, meeting.part(unit));
    raiseFlag(unit);
  });
}

// What others of the block have written is seen with it: they have come to the barrier.
void OrderedUnits::announce(Value unit, bool bySeveral) {
  if (bySeveral)
    ThreadBlock(k.b, k.loc).barrier();
  LoopEmitter(k.b, k.loc, k.target).branch(isFirstThread(), [&] { raiseFlag(unit); });
}

void OrderedUnits::raiseFlag(Value unit) {
  meeting.fence();
  Value yes = k.b.create<arith::ConstantIntOp>(k.loc, 1, 32);
  k.b.create<LLVM::StoreOp>(k.loc, yes, flag(unit), wordBytes, /*isVolatile=*/true);
}

Value OrderedUnits::left(Value unit, Type type) {
  await(unit);
  return Slot::load(k.b, k.loc, type, meeting.part(unit));
}

void OrderedUnits::await(Value unit) {
  OpBuilder &b = k.b;
  Value word = flag(unit);
  auto loop = b.create<scf::WhileOp>(k.loc, TypeRange{}, ValueRange{});
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    Value now = b.create<LLVM::LoadOp>(k.loc, b.getI32Type(), word, wordBytes, /*isVolatile=*/true);
    Value no = b.create<arith::ConstantIntOp>(k.loc, 0, 32);
    Value isMissing = b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, now, no);
    b.create<scf::ConditionOp>(k.loc, isMissing, ValueRange{});
    b.createBlock(&loop.getAfter());
    b.create<scf::YieldOp>(k.loc);
  }
  meeting.fence();
}

void OrderedUnits::awaitTogether(Value unit) {
  LoopEmitter(k.b, k.loc, k.target).branch(isFirstThread(), [&] { await(unit); });
  ThreadBlock(k.b, k.loc).barrier();
}

Value OrderedUnits::counter(Value number) {
  Value behind = k.b.create<arith::AddIOp>(k.loc, units, k.i64(otherCounters));
  return k.b.create<arith::AddIOp>(k.loc, behind, number);
}

void OrderedUnits::end() {
  OpBuilder &b = k.b;
  LoopEmitter e(b, k.loc, k.target);
  e.branch(meeting.isLast(k.i64(doneCounter), units), [&] {
    ThreadBlock block(b, k.loc);
    k.forLoop(block.thread(), units, k.i64(threads), {},
              [&](Operation *, Value unit, ArrayRef<Value>) -> SmallVector<Value> {
                Value no = b.create<arith::ConstantIntOp>(k.loc, 0, 32);
                b.create<LLVM::StoreOp>(k.loc, no, flag(unit), wordBytes, /*isVolatile=*/true);
                return {};
              });
  });
}

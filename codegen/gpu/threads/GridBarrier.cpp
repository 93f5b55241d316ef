#include "codegen/gpu/threads/GridBarrier.h"

#include "codegen/gpu/ptx/KernelEntry.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/gpu/threads/ThreadGrid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;

Value GridBarrier::i32(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

Value GridBarrier::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

// Of the two behind the counters of units (runtime/abi/keratin_cuda_abi.h).
Value GridBarrier::word(int64_t number) {
  Value offset = i64((KERATIN_CUDA_COUNTERS_OF_CALL + number) * int64_t(sizeof(uint32_t)));
  Value address =
      b.create<arith::AddIOp>(loc, launchParameter(b, loc, KERATIN_CUDA_COUNTERS), offset);
  return b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext(), globalMemory),
                                    address);
}

Value GridBarrier::read(Value word) {
  return b.create<LLVM::LoadOp>(loc, b.getI32Type(), word, /*alignment=*/4, /*isVolatile=*/true);
}

void GridBarrier::fence() {
  b.create<LLVM::CallIntrinsicOp>(loc, Type(), b.getStringAttr("llvm.nvvm.membar.gl"),
                                  ValueRange{});
}

Value GridBarrier::answerOf(Question question) {
  return question ? b.create<arith::ExtUIOp>(loc, b.getI32Type(), question()) : i32(0);
}

Value GridBarrier::choose(Value condition, Question first, Question second) {
  auto branch = b.create<scf::IfOp>(loc, TypeRange{b.getI32Type()}, condition,
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, make] :
       {std::pair(branch.thenBlock(), first), std::pair(branch.elseBlock(), second)}) {
    b.setInsertionPointToStart(block);
    b.create<scf::YieldOp>(loc, make());
  }
  return branch.getResult(0);
}

// By one thread of each block: it goes up to the counter, which begins again at 0 behind the last;
// that one opens the gate for all. The gate has another number each time, which says the answer in
// its lowest bit.
Value GridBarrier::meetOthers(Value blocks, Question question) {
  Value arrived = word(KERATIN_CUDA_BARRIER_ARRIVED), gate = word(KERATIN_CUDA_BARRIER_GATE);
  Value before = read(gate);
  fence();
  Value last = b.create<arith::SubIOp>(loc, blocks, i32(1));
  Value others = b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(),
                                                 b.getStringAttr("llvm.nvvm.atomic.load.inc.32.p1"),
                                                 ValueRange{arrived, last})
                     .getResult(0);
  auto open = [&]() -> Value {
    fence();
    Value next = b.create<arith::AddIOp>(loc, b.create<arith::OrIOp>(loc, before, i32(1)), i32(1));
    next = b.create<arith::OrIOp>(loc, next, answerOf(question));
    b.create<LLVM::StoreOp>(loc, next, gate, /*alignment=*/4, /*isVolatile=*/true);
    return next;
  };
  auto watch = [&]() -> Value {
    auto loop = b.create<scf::WhileOp>(loc, TypeRange{b.getI32Type()}, ValueRange{});
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    Value now = read(gate);
    Value isShut = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, now, before);
    b.create<scf::ConditionOp>(loc, isShut, now);
    b.createBlock(&loop.getAfter(), {}, {b.getI32Type()}, {loc});
    b.create<scf::YieldOp>(loc);
    return loop.getResult(0);
  };
  Value isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, others, last);
  Value now = choose(isLast, open, watch);
  fence();
  return b.create<arith::AndIOp>(loc, now, i32(1));
}

// All threads of the block have come: a grid of one block need not look further.
Value GridBarrier::ofFirstThread(Question question) {
  Value blocks = b.create<arith::TruncIOp>(loc, b.getI32Type(), ThreadGrid(b, loc).blocks());
  Value isAlone = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, blocks, i32(1));
  return choose(
      isAlone, [&] { return answerOf(question); }, [&] { return meetOthers(blocks, question); });
}

Value GridBarrier::ask(Question question) {
  ThreadBlock block(b, loc);
  block.barrier();
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, block.thread(), i64(0));
  Value answer = choose(isFirst, [&] { return ofFirstThread(question); }, [&] { return i32(0); });
  if (!question) {
    block.barrier();
    return {};
  }
  Value any =
      b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr("llvm.nvvm.barrier0.or"),
                                      ValueRange{answer})
          .getResult(0);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, any, i32(0));
}

void GridBarrier::wait() { (void)ask(nullptr); }

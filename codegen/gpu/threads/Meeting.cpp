#include "codegen/gpu/threads/Meeting.h"

#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;

Value Meeting::part(Value unit) {
  OpBuilder &b = k.b;
  Value offset = b.create<arith::MulIOp>(k.loc, unit, k.i64(partBytes));
  Value address = b.create<arith::AddIOp>(k.loc, k.parameter(KERATIN_CUDA_PARTS), offset);
  // Any pointer, but known to be one into the device's memory.
  MLIRContext *context = b.getContext();
  Value global =
      b.create<LLVM::IntToPtrOp>(k.loc, LLVM::LLVMPointerType::get(context, globalMemory), address);
  return b.create<LLVM::AddrSpaceCastOp>(k.loc, LLVM::LLVMPointerType::get(context), global);
}

Value Meeting::counter(Value number) {
  OpBuilder &b = k.b;
  Value offset = b.create<arith::MulIOp>(k.loc, number, k.i64(sizeof(uint32_t)));
  Value address = b.create<arith::AddIOp>(k.loc, k.parameter(KERATIN_CUDA_COUNTERS), offset);
  return b.create<LLVM::IntToPtrOp>(k.loc, LLVM::LLVMPointerType::get(b.getContext(), globalMemory),
                                    address);
}

Value Meeting::countUp(Value counter, Value last) {
  OpBuilder &b = k.b;
  return b
      .create<LLVM::CallIntrinsicOp>(k.loc, b.getI32Type(),
                                     b.getStringAttr("llvm.nvvm.atomic.load.inc.32.p1"),
                                     ValueRange{counter, last})
      .getResult(0);
}

void Meeting::fence() {
  k.b.create<LLVM::CallIntrinsicOp>(k.loc, Type(), k.b.getStringAttr("llvm.nvvm.membar.gl"),
                                    ValueRange{});
}

// By one thread: what its block has written is seen before the counter goes up, and what others
// have written before theirs did, after. The counter begins again at 0 behind the last.
Value Meeting::meet(Value number, Value parts) {
  OpBuilder &b = k.b;
  Value own = counter(number);
  Value last = b.create<arith::SubIOp>(k.loc, parts, k.i64(1));
  last = b.create<arith::TruncIOp>(k.loc, b.getI32Type(), last);
  fence();
  Value before = countUp(own, last);
  fence();
  // As a word: a predicate across the branch costs a register more, and kernels of the benchmarks
  // spill then.
  Value isLast = b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, before, last);
  return b.create<arith::ExtUIOp>(k.loc, b.getI32Type(), isLast);
}

Value Meeting::isLast(Value number, Value parts) {
  OpBuilder &b = k.b;
  ThreadBlock block(b, k.loc);
  block.barrier();
  Value isFirst =
      b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, block.thread(), k.i64(0));
  Value none = b.create<arith::ConstantIntOp>(k.loc, 0, 32);
  auto one = b.create<scf::IfOp>(k.loc, none.getType(), isFirst, /*withElseRegion=*/true);
  {
    // Into blocks that stand in the module: parameters of the launch are looked up there.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    b.create<scf::YieldOp>(k.loc, meet(number, parts));
    b.setInsertionPointToStart(one.elseBlock());
    b.create<scf::YieldOp>(k.loc, none);
  }
  Value any = b.create<LLVM::CallIntrinsicOp>(k.loc, b.getI32Type(),
                                              b.getStringAttr("llvm.nvvm.barrier0.or"),
                                              ValueRange{one.getResult(0)})
                  .getResult(0);
  return b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ne, any, none);
}

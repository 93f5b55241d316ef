#include "codegen/gpu/threads/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

Value Warp::i32(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

Value Warp::special(const char *name) {
  return b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr(name), ValueRange{})
      .getResult(0);
}

Value Warp::lane() {
  Value number = special("llvm.nvvm.read.ptx.sreg.laneid");
  if (threads < warpThreads)
    number = b.create<arith::AndIOp>(loc, number, i32(threads - 1));
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
}

// A bit for each thread that comes here together.
Value Warp::members() {
  if (threads == warpThreads)
    return i32(-1);
  Value first = b.create<arith::AndIOp>(loc, special("llvm.nvvm.read.ptx.sreg.laneid"),
                                        i32(-int64_t(threads)));
  return b.create<arith::ShLIOp>(loc, i32((int64_t(1) << threads) - 1), first);
}

// The last operand: the thread beyond which there is none, and the bits of the part's number.
Value Warp::exchangeWord(Mode mode, Value word, Value argument) {
  const char *name = mode == Mode::Up       ? "llvm.nvvm.shfl.sync.up.i32"
                     : mode == Mode::Down   ? "llvm.nvvm.shfl.sync.down.i32"
                     : mode == Mode::Across ? "llvm.nvvm.shfl.sync.bfly.i32"
                                            : "llvm.nvvm.shfl.sync.idx.i32";
  int64_t bounds = int64_t(warpThreads - threads) << 8 | (mode == Mode::Up ? 0 : warpThreads - 1);
  return b
      .create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr(name),
                                     ValueRange{members(), word, argument, i32(bounds)})
      .getResult(0);
}

Value Warp::exchange(Mode mode, Value value, Value argument) {
  Type type = value.getType(), word = b.getI32Type(), wide = b.getI64Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bitsType = b.getIntegerType(width);
  Value bits = type == bitsType ? value : b.create<arith::BitcastOp>(loc, bitsType, value);
  if (width == 64) {
    Value low = b.create<arith::TruncIOp>(loc, word, bits);
    Value shift = b.create<arith::ConstantIntOp>(loc, 32, 64);
    Value high = b.create<arith::TruncIOp>(loc, word, b.create<arith::ShRUIOp>(loc, bits, shift));
    low = b.create<arith::ExtUIOp>(loc, wide, exchangeWord(mode, low, argument));
    high = b.create<arith::ExtUIOp>(loc, wide, exchangeWord(mode, high, argument));
    bits = b.create<arith::OrIOp>(loc, b.create<arith::ShLIOp>(loc, high, shift), low);
  } else if (width == 32) {
    bits = exchangeWord(mode, bits, argument);
  } else {
    bits = exchangeWord(mode, b.create<arith::ExtUIOp>(loc, word, bits), argument);
    bits = b.create<arith::TruncIOp>(loc, bitsType, bits);
  }
  return type == bitsType ? bits : b.create<arith::BitcastOp>(loc, type, bits);
}

Value Warp::fromFurther(Value value, unsigned distance) {
  return exchange(Mode::Down, value, i32(distance));
}

Value Warp::fromBefore(Value value, unsigned distance) {
  return exchange(Mode::Up, value, i32(distance));
}

Value Warp::fromAcross(Value value, unsigned bits) {
  return exchange(Mode::Across, value, i32(bits));
}

Value Warp::fromFirst(Value value) { return exchange(Mode::Index, value, i32(0)); }

Value Warp::from(Value value, Value lane) {
  if (!lane.getType().isInteger(32))
    lane = b.create<arith::TruncIOp>(loc, b.getI32Type(), lane);
  return exchange(Mode::Index, value, lane);
}

Value Warp::vote(const char *name, Type type, Value condition) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name),
                                     ValueRange{members(), condition})
      .getResult(0);
}

Value Warp::ballot(Value condition) {
  return vote("llvm.nvvm.vote.ballot.sync", b.getI32Type(), condition);
}

Value Warp::any(Value condition) {
  return vote("llvm.nvvm.vote.any.sync", b.getI1Type(), condition);
}

#include "codegen/gpu/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

Value Warp::i32(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

Value Warp::lane() {
  Value number = b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(),
                                                 b.getStringAttr("llvm.nvvm.read.ptx.sreg.laneid"),
                                                 ValueRange{})
                     .getResult(0);
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
}

Value Warp::exchangeWord(Mode mode, Value word, Value argument) {
  const char *name =
      mode == Mode::Down ? "llvm.nvvm.shfl.sync.down.i32" : "llvm.nvvm.shfl.sync.idx.i32";
  Value members = i32(-1), last = i32(31);
  return b
      .create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr(name),
                                     ValueRange{members, word, argument, last})
      .getResult(0);
}

Value Warp::exchange(Mode mode, Value value, unsigned number) {
  Value argument = i32(number);
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
  return exchange(Mode::Down, value, distance);
}

Value Warp::fromFirst(Value value) { return exchange(Mode::Index, value, 0); }

Value Warp::fromLane(Value word, Value lane) { return exchangeWord(Mode::Index, word, lane); }

Value Warp::vote(const char *name, Type type, Value condition) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name),
                                     ValueRange{i32(-1), condition})
      .getResult(0);
}

Value Warp::ballot(Value condition) {
  return vote("llvm.nvvm.vote.ballot.sync", b.getI32Type(), condition);
}

Value Warp::any(Value condition) {
  return vote("llvm.nvvm.vote.any.sync", b.getI1Type(), condition);
}

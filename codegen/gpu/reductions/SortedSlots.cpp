#include "codegen/gpu/reductions/SortedSlots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;

static constexpr int64_t wordBytes = 8, countBytes = 4;

int64_t SortedSlots::bytes(const TopKNest &nest, int64_t slots, int64_t warps) {
  return slots * RankedElements::wordsOf(nest) * wordBytes + warps * countBytes;
}

// Sixteen words lie next to each other in all banks. Where partners are nearer than that, threads
// have every other word, or every other group of some, of 32: so the second half of these lies
// the other way round. The place of x ^ y is that of x ^ that of y.
Value SortedSlots::placeOf(Value slot) {
  Value isSecond =
      b.create<arith::AndIOp>(loc, b.create<arith::ShRUIOp>(loc, slot, i64(4)).getResult(), i64(1));
  return b.create<arith::XOrIOp>(loc, slot, e.mul(isSecond, 15));
}

Value SortedSlots::pointer(Value place, unsigned word) {
  Value memory = block.memory();
  Value offset = e.mul(e.add(place, int64_t(word) * slots), wordBytes);
  return b.create<LLVM::GEPOp>(loc, memory.getType(), b.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{offset});
}

SortedSlots::Entry SortedSlots::getAt(Value place) {
  Entry entry;
  for (unsigned word = 0; word < words; ++word)
    entry.push_back(
        b.create<LLVM::LoadOp>(loc, b.getI64Type(), pointer(place, word), unsigned(wordBytes)));
  return entry;
}

void SortedSlots::putAt(const Entry &entry, Value place) {
  for (unsigned word = 0; word < words; ++word)
    b.create<LLVM::StoreOp>(loc, entry[word], pointer(place, word), unsigned(wordBytes));
}

Value SortedSlots::countPointer(Value warp) {
  Value memory = block.memory();
  Value offset = e.add(e.mul(warp, countBytes), slots * words * wordBytes);
  return b.create<LLVM::GEPOp>(loc, memory.getType(), b.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{offset});
}

Value SortedSlots::count(Value warp) {
  Value count =
      b.create<LLVM::LoadOp>(loc, b.getI32Type(), countPointer(warp), unsigned(countBytes));
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), count);
}

void SortedSlots::putCount(Value count, Value warp) {
  Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), count);
  b.create<LLVM::StoreOp>(loc, narrow, countPointer(warp), unsigned(countBytes));
}

// Pairs of slots that are `stride` apart, each by a thread. The better one goes first, or last in
// every other stretch of `size` slots (null: first everywhere).
void SortedSlots::exchange(int64_t first, Value pairs, Value stride, Value size) {
  Value distance = placeOf(stride);
  e.loop(block.thread(), pairs, threads, [&](Value pair) {
    Value below = b.create<arith::AndIOp>(loc, pair, e.sub(stride, i64(1)));
    Value lower = e.sub(e.mul(pair, 2), below), place = placeOf(lower);
    Value x = e.add(place, first);
    Value y = e.add(b.create<arith::XOrIOp>(loc, place, distance), first);
    Entry front = getAt(x), back = getAt(y);
    Value swaps = ranked.precedes(back, front);
    if (size) {
      Value goesFirst = e.equal(b.create<arith::AndIOp>(loc, lower, size), i64(0));
      swaps = e.equal(swaps, goesFirst);
    }
    e.branch(swaps, [&] {
      putAt(back, x);
      putAt(front, y);
    });
  });
  block.barrier();
}

void SortedSlots::sort(Value stages) {
  Value pairs = b.create<arith::ShRUIOp>(
      loc, b.create<arith::ShLIOp>(loc, i64(1), stages).getResult(), i64(1));
  e.loop(i64(1), e.add(stages, 1), 1, [&](Value stage) {
    Value size = b.create<arith::ShLIOp>(loc, i64(1), stage);
    e.loop(i64(1), e.add(stage, 1), 1, [&](Value step) {
      exchange(0, pairs, b.create<arith::ShRUIOp>(loc, size, step), size);
    });
  });
}

void SortedSlots::merge(int64_t first, int64_t count) {
  e.loop(i64(1), i64(llvm::Log2_64(uint64_t(count)) + 1), 1, [&](Value step) {
    exchange(first, i64(count / 2), b.create<arith::ShRUIOp>(loc, i64(count), step), nullptr);
  });
}

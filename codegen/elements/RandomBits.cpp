#include "codegen/elements/RandomBits.h"

#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

Value keratin::codegen::halfOf(OpBuilder &b, Location loc, Value wide, bool upper) {
  if (upper) {
    Value distance = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(b.getI64Type(), 32));
    if (auto vector = dyn_cast<VectorType>(wide.getType()))
      distance = b.create<vector::SplatOp>(loc, distance, vector);
    wide = b.create<arith::ShRUIOp>(loc, wide, distance);
  }
  return b.create<arith::TruncIOp>(loc, likeShape(b.getI32Type(), wide), wide);
}

namespace {
// What a block is made of.
struct PhiloxInput {
  std::array<Value, RandomNest::words> counter;
  std::array<Value, 2> key;
};
} // namespace

static PhiloxInput philoxInput(OpBuilder &b, Location loc, uint64_t seed, Value draw, Value low,
                               Value high) {
  auto vector = dyn_cast<VectorType>(low.getType());
  auto like = [&](Value x) -> Value {
    return vector && x.getType() != vector ? b.create<vector::SplatOp>(loc, x, vector) : x;
  };
  auto key = [&](uint32_t half) {
    return like(b.create<arith::ConstantIntOp>(loc, int64_t(int32_t(half)), 32));
  };
  return {{low, like(high), like(halfOf(b, loc, draw, false)), like(halfOf(b, loc, draw, true))},
          {key(uint32_t(seed)), key(uint32_t(seed >> 32))}};
}

PhiloxWords keratin::codegen::philoxWords(OpBuilder &b, Location loc, const ElementTarget &target,
                                          uint64_t seed, Value draw, Value low, Value high) {
  PhiloxInput input = philoxInput(b, loc, seed, draw, low, high);
  return VectorMath(b, loc, target).philox(input.counter, input.key);
}

SmallVector<PhiloxWords> keratin::codegen::philoxBlocks(OpBuilder &b, Location loc,
                                                        const ElementTarget &target, uint64_t seed,
                                                        Value draw, ValueRange lows, Value high) {
  SmallVector<PhiloxWords> words;
  std::array<Value, 2> key;
  for (Value low : lows) {
    PhiloxInput input = philoxInput(b, loc, seed, draw, low, high);
    words.push_back(input.counter);
    key = input.key;
  }
  // Two are what 16 registers hold.
  for (MutableArrayRef<PhiloxWords> rest = words; !rest.empty();) {
    size_t count = std::min<size_t>(rest.size(), 2);
    VectorMath(b, loc, target).philoxLoop(rest.take_front(count), key);
    rest = rest.drop_front(count);
  }
  return words;
}

Value keratin::codegen::randomBitsAt(LaneCode &code, const ElementTarget &target,
                                     ir::RandomBitsOp op, Value draw, Value position) {
  // Element i is word (i / 16) % 4 of block (i / 64) * 16 + i % 16.
  constexpr unsigned laneBits = llvm::CTLog2<RandomNest::groupBlocks>(),
                     groupBits = llvm::CTLog2<RandomNest::groupElements>();
  return code.place({draw, position}, [&]() -> Value {
    OpBuilder &b = code.b;
    Location loc = code.loc;
    auto number = [&](int64_t value) -> Value {
      Value scalar = b.create<arith::ConstantIntOp>(loc, value, 64);
      auto vector = dyn_cast<VectorType>(position.getType());
      return vector ? b.create<vector::SplatOp>(loc, scalar, vector) : scalar;
    };
    auto shifted = [&](unsigned bits) -> Value {
      return b.create<arith::ShRUIOp>(loc, position, number(bits));
    };
    auto bit = [&](unsigned place) -> Value {
      return b.create<arith::TruncIOp>(loc, likeShape(b.getI1Type(), position), shifted(place));
    };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return b.create<arith::SelectOp>(loc, condition, x, y);
    };
    Value first = b.create<arith::ShLIOp>(loc, shifted(groupBits), number(laneBits));
    Value lane = b.create<arith::AndIOp>(loc, position, number(RandomNest::groupBlocks - 1));
    Value block = b.create<arith::OrIOp>(loc, first, lane);
    PhiloxWords words = philoxWords(b, loc, target, op.getSeed(), draw,
                                    halfOf(b, loc, block, false), halfOf(b, loc, block, true));
    Value odd = bit(laneBits);
    return select(bit(laneBits + 1), select(odd, words[3], words[2]),
                  select(odd, words[1], words[0]));
  });
}

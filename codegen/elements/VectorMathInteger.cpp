// Integer division without traps, wide products and the counter-based generator.
#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace keratin::codegen {

template <typename Op> static VectorExpr create(const VectorExpr &a, const VectorExpr &b) {
  const EmitContext &emit = a.emit();
  return VectorExpr(emit, emit.builder.create<Op>(emit.loc, Value(a), Value(b)));
}

// The quotient towards zero, of which neither 0 nor, if signed, -1 may be the divisor. No machine
// divides vectors of integers; the float quotient of narrower integers is exact after truncation,
// as it is at least 1 / |y| away from the next integer.
static VectorExpr truncatedQuotient(const VectorExpr &x, const VectorExpr &y, bool isSigned) {
  const EmitContext &emit = x.emit();
  unsigned width = x.width();
  if (width > 32 || !isa<VectorType>(x.type()))
    return isSigned ? create<arith::DivSIOp>(x, y) : create<arith::DivUIOp>(x, y);
  unsigned floatWidth = width <= 16 ? 32 : 64;
  // Wide enough that the sign of an unsigned number is not taken for one.
  unsigned intWidth = width <= 16 || isSigned ? 32 : 64;
  auto widen = [&](const VectorExpr &v) {
    return isSigned ? v.signExtend(intWidth) : v.zeroExtend(intWidth);
  };
  VectorExpr a = widen(x), b = widen(y);
  VectorExpr quotient = a.toFloat(floatWidth) / b.toFloat(floatWidth);
  VectorExpr whole(emit, emit.builder.create<arith::FPToSIOp>(emit.loc, a.type(), Value(quotient)));
  return whole.truncateInt(width);
}

struct Division {
  VectorExpr quotient;
  VectorExpr remainder;
};

static Division divide(const VectorExpr &x, const VectorExpr &y, bool isSigned) {
  VectorExpr isZero = equal(y, 0);
  if (!isSigned) {
    VectorExpr divisor = select(isZero, 1, y);
    VectorExpr quotient = truncatedQuotient(x, divisor, false);
    return {select(isZero, 0, quotient), select(isZero, 0, x - quotient * divisor)};
  }
  // x / -1 is -x, which wraps for the least integer, while the division would trap.
  VectorExpr isMinusOne = equal(y, -1);
  VectorExpr divisor = select(isZero | isMinusOne, 1, y);
  VectorExpr quotient = truncatedQuotient(x, divisor, true);
  VectorExpr remainder = x - quotient * divisor;
  VectorExpr isAbove = notEqual(remainder, 0) & ((remainder ^ divisor) < 0);
  quotient = select(isAbove, quotient - 1, quotient);
  remainder = select(isAbove, remainder + divisor, remainder);
  quotient = select(isMinusOne, -x, quotient);
  return {select(isZero, 0, quotient), select(isZero, 0, remainder)};
}

Value VectorMath::floorDiv(Value x, Value y, bool isSigned) const {
  return divide(VectorExpr(emit, x), VectorExpr(emit, y), isSigned).quotient;
}

Value VectorMath::floorMod(Value x, Value y, bool isSigned) const {
  return divide(VectorExpr(emit, x), VectorExpr(emit, y), isSigned).remainder;
}

struct WideProduct {
  VectorExpr low;
  VectorExpr high;
};

// The 64-bit products of i32 lanes with a constant. x86 multiplies the even lanes of two vectors to
// 64 bits, so even and odd lanes are multiplied apart in a vector of half as many i64: LLVM would
// widen, multiply and narrow.
static WideProduct multiplyWide(const VectorExpr &x, int64_t factor) {
  const int64_t mask = 0xffffffff;
  int64_t lanes = x.lanes();
  if (lanes % 2 != 0) {
    VectorExpr product = x.zeroExtend(64) * factor;
    return {product.truncateInt(32), (product >> 32).truncateInt(32)};
  }
  Type pairs = VectorType::get({lanes / 2}, IntegerType::get(x.type().getContext(), 64));
  VectorExpr bits = x.bitcast(pairs);
  VectorExpr even = (bits & mask) * factor;
  VectorExpr odd = (bits >> 32) * factor;
  // Interleaved by shuffles: of shifts LLVM would make 64-bit multiplications, which are slow.
  const EmitContext &emit = x.emit();
  auto interleave = [&](int64_t half) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; lane += 2)
      order.append({lane + half, lane + half + lanes});
    return VectorExpr(emit, emit.builder.create<vector::ShuffleOp>(emit.loc, even.bitcast(x.type()),
                                                                   odd.bitcast(x.type()), order));
  };
  return {interleave(0), interleave(1)};
}

Value VectorMath::mulHighUnsigned(Value x, Value y) const {
  auto product = emit.builder.create<arith::MulUIExtendedOp>(emit.loc, x, y);
  return product.getHigh();
}

namespace {
struct PhiloxState {
  VectorExpr c0, c1, c2, c3;

  void round(const VectorExpr &k0, const VectorExpr &k1) {
    WideProduct first = multiplyWide(c0, 0xd2511f53);
    WideProduct second = multiplyWide(c2, 0xcd9e8d57);
    c0 = second.high ^ c1 ^ k0;
    c1 = second.low;
    c2 = first.high ^ c3 ^ k1;
    c3 = first.low;
  }
};
} // namespace

constexpr int kPhiloxRounds = 10;

static void nextKey(VectorExpr &k0, VectorExpr &k1) {
  k0 = k0 + 0x9e3779b9;
  k1 = k1 + 0xbb67ae85;
}

std::array<Value, 4> VectorMath::philox(std::array<Value, 4> counter,
                                        std::array<Value, 2> key) const {
  PhiloxState state = {VectorExpr(emit, counter[0]), VectorExpr(emit, counter[1]),
                       VectorExpr(emit, counter[2]), VectorExpr(emit, counter[3])};
  VectorExpr k0(emit, key[0]), k1(emit, key[1]);
  for (int round = 0; round < kPhiloxRounds; ++round, nextKey(k0, k1))
    state.round(k0, k1);
  return {state.c0, state.c1, state.c2, state.c3};
}

void VectorMath::philoxLoop(MutableArrayRef<std::array<Value, 4>> counters,
                            std::array<Value, 2> key) const {
  OpBuilder &b = emit.builder;
  auto number = [&](int64_t value) {
    return b.create<arith::ConstantIntOp>(emit.loc, value, 64).getResult();
  };
  SmallVector<Value> states(key.begin(), key.end());
  for (const std::array<Value, 4> &counter : counters)
    states.append(counter.begin(), counter.end());
  auto body = [&](OpBuilder &, Location loc, Value, ValueRange current) {
    VectorExpr k0(emit, current[0]), k1(emit, current[1]);
    SmallVector<Value> next(2);
    for (size_t i = 2; i < current.size(); i += 4) {
      PhiloxState state = {VectorExpr(emit, current[i]), VectorExpr(emit, current[i + 1]),
                           VectorExpr(emit, current[i + 2]), VectorExpr(emit, current[i + 3])};
      state.round(k0, k1);
      next.append({state.c0, state.c1, state.c2, state.c3});
    }
    nextKey(k0, k1);
    next[0] = k0;
    next[1] = k1;
    b.create<scf::YieldOp>(loc, next);
  };
  auto loop =
      b.create<scf::ForOp>(emit.loc, number(0), number(kPhiloxRounds), number(1), states, body);
  for (size_t i = 0; i < counters.size(); ++i)
    for (size_t word = 0; word < 4; ++word)
      counters[i][word] = loop.getResult(unsigned(2 + 4 * i + word));
}

} // namespace keratin::codegen

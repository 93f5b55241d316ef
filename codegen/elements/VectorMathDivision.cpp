// Floor division and remainder of floats. The remainder is exact, however large the quotient is: it
// is reduced in steps of as many bits as a quotient has.
#include "codegen/elements/VectorMathKernels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace keratin::codegen::kernels {

// From here on a quotient has no bit for the last whole number.
static double longQuotient(const VectorExpr &x) {
  return std::ldexp(1.0, FloatFormat(x).mantissaBits);
}

// product - a b, where `product` is that rounded (Dekker). The high halves have 26 bits; that of
// `a` leaves 27 below and that of `b`, a number of 52 bits, 26, so that all four products of halves
// are exact. Nothing overflows that the product does not.
static VectorExpr roundingOf(const VectorExpr &product, const VectorExpr &a, const VectorExpr &b) {
  auto highHalf = [](const VectorExpr &x) { return (x.asInt() & ~int64_t(0x7ffffff)).asFloat(); };
  VectorExpr aHigh = highHalf(a), aLow = a - aHigh;
  VectorExpr bHigh = highHalf(b), bLow = b - bHigh;
  return (((product - aHigh * bHigh) - aLow * bHigh) - aHigh * bLow) - aLow * bLow;
}

// x - n y, where it is a number of the format and n is near x / y; of n in f64 the last of the 53
// bits is 0.
static VectorExpr residual(const VectorExpr &x, const VectorExpr &n, const VectorExpr &y) {
  if (x.emit().target.hasFma)
    return fma(-n, y, x);
  if (x.width() == 32) // the product has 48 bits
    return (x.toFloat(64) - n.toFloat(64) * y.toFloat(64)).toFloat(32);
  // n y may be half a y above x, and overflow where x does not. What is scaled is no denormal.
  VectorExpr isLarge = abs(x) > 0x1p1000;
  VectorExpr scale = select(isLarge, 0.25, x.constant(1));
  VectorExpr a = x * scale, b = y * scale;
  VectorExpr product = n * b;
  return ((a - product) + roundingOf(product, b, n)) * select(isLarge, 4.0, x.constant(1));
}

// Where x - n y for the nearest n would not be the remainder yet.
static VectorExpr isLong(const VectorExpr &x, const VectorExpr &y) {
  return (abs(x / y) >= longQuotient(x)) & (abs(x) < std::numeric_limits<double>::infinity()) &
         notEqual(y, 0.0);
}

// A number that leaves the same remainder and is smaller by as many bits as a quotient has.
static VectorExpr reduceLong(const VectorExpr &x, const VectorExpr &y) {
  FloatFormat format(x);
  // A multiple of y by a power of 2, such that the quotient does not overflow: in two steps, as the
  // greatest number is 2^2098 times the least one (f32: 2^277).
  double step = format.isDouble ? 0x1p700 : 0x1p100;
  VectorExpr limit = abs(x) * (1 / step);
  VectorExpr once = y * step, twice = once * step;
  VectorExpr divisor = select(limit > abs(once), twice, select(limit > abs(y), once, y));
  VectorExpr n = roundEven(x / divisor);
  if (format.isDouble && !x.emit().target.hasFma)
    n = (n.asInt() & ~int64_t(1)).asFloat();
  return residual(x, n, divisor);
}

// x, or where the quotient by y is long, something that leaves the same remainder and has a short
// one.
static VectorExpr withShortQuotient(const VectorExpr &x, const VectorExpr &y) {
  const EmitContext &emit = x.emit();
  auto loop = emit.builder.create<scf::WhileOp>(
      emit.loc, TypeRange{x.type()}, ValueRange{x},
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        EmitContext innerEmit{inner, loc, emit.target};
        Value any = isLong(VectorExpr(innerEmit, state[0]), VectorExpr(innerEmit, y));
        if (isa<VectorType>(x.type()))
          any = inner.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, any);
        inner.create<scf::ConditionOp>(loc, any, state);
      },
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        EmitContext innerEmit{inner, loc, emit.target};
        VectorExpr a(innerEmit, state[0]), b(innerEmit, y);
        Value next = select(isLong(a, b), reduceLong(a, b), a);
        inner.create<scf::YieldOp>(loc, next);
      });
  return VectorExpr(emit, loop.getResult(0));
}

namespace {
// x = n y + rest with the nearest whole n, for a short quotient; |rest| <= |y| / 2.
struct Division {
  VectorExpr n;
  VectorExpr rest;
};
} // namespace

static Division divideShort(const VectorExpr &x, const VectorExpr &y) {
  VectorExpr n = roundEven(x / y);
  // 0 times an infinite y is no number.
  return {n, select(equal(n, 0.0), x, residual(x, n, y))};
}

// Whether the rest is not 0 and has the other sign than y.
static VectorExpr isOpposite(const VectorExpr &rest, const VectorExpr &y) {
  return (rest.asInt() ^ (y.asInt() & FloatFormat(y).signBit())).asFloat() < 0.0;
}

VectorExpr floorMod(const VectorExpr &x, const VectorExpr &y) {
  VectorExpr rest = divideShort(withShortQuotient(x, y), y).rest;
  return copySign(select(isOpposite(rest, y), rest + y, rest), y);
}

VectorExpr floorDiv(const VectorExpr &x, const VectorExpr &y) {
  auto [n, rest] = divideShort(x, y);
  VectorExpr isAbove = isOpposite(rest, y) & (abs(n) < longQuotient(x));
  return select(isAbove, n - 1.0, n);
}

} // namespace keratin::codegen::kernels

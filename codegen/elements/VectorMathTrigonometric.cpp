// sin, cos, tan with a range reduction for every argument, and atan.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace keratin::codegen::kernels {

static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
static constexpr double piOverTwo = 0x1.921fb54442d18p0;
static constexpr double piOverTwoLow = 0x1.1a62633145c07p-54;

// Where the reduction in floats ends. In f64 the window of reduceLarge starts below 2^23, and
// products of 23 bits with 30 bits are exact.
static double largestModerate(const VectorExpr &x) { return x.width() == 64 ? 0x1p23 : 1e5; }

// x = quadrant pi/2 + r, |r| <= pi/4; of the quadrant the two lowest bits count.
struct Reduced {
  VectorExpr r;
  VectorExpr quadrant; // an integer as wide as x
};

// Up to largestModerate: Cody and Waite, x - k pi/2 with pi/2 in parts.
static Reduced reduceModerate(const VectorExpr &x) {
  RoundedInteger k = nearestInteger(x, twoOverPi);
  const VectorExpr &n = k.number;
  if (x.width() == 32) {
    if (x.emit().target.hasFma) {
      // The first step is exact, as the difference is a multiple of the last bit of the first part.
      VectorExpr r = fma(n, -0x1.921fb6p0, x);
      r = fma(n, 0x1.777a5cp-25, r);
      return {fma(n, 0x1.ee59dap-50, r), k.bits};
    }
    VectorExpr wide = n.toFloat(64);
    VectorExpr r = x.toFloat(64) - wide * 0x1.921fb544p0;
    return {(r - wide * 0x1.0b4611a626331p-34).toFloat(32), k.bits};
  }
  if (x.emit().target.hasFma) {
    VectorExpr r = fma(n, -piOverTwo, x);
    r = fma(n, -piOverTwoLow, r);
    return {fma(n, 0x1.f1976b7ed8fbcp-110, r), k.bits};
  }
  // 30 bits each in the first two parts, so that their products with k are exact.
  VectorExpr high = x - n * 0x1.921fb54000000p+0;
  VectorExpr product = n * 0x1.10b4611800000p-30;
  VectorExpr r = high - product;
  VectorExpr lost = r - high;
  VectorExpr error = (high - (r - lost)) - (product + lost);
  return {r + (error - n * 0x1.313198a2e0370p-61), k.bits};
}

// Any finite x, exactly enough, in integers (Payne and Hanek): x = m 2^e, and of m 2^e 2/pi only
// the bits below 4 matter, so a window of 2/pi starting where its product with m 2^e drops below 4
// is multiplied with m. All limbs of 32 bits are kept in i64.
static Reduced reduceLarge(const VectorExpr &x) {
  FloatFormat format(x);
  VectorExpr bits = x.asInt().zeroExtend(64);
  VectorExpr magnitude = bits & (format.isDouble ? INT64_MAX : 0x7fffffff);
  VectorExpr exponent = magnitude >> format.mantissaBits;
  int64_t implicit = int64_t(1) << format.mantissaBits;
  VectorExpr mantissa = (magnitude & (implicit - 1)) | implicit;

  // Bit 0 of the table is 32 places before the point; the window starts at weight 2 of the product.
  // Arguments too small for this function come out wrong but in bounds.
  VectorExpr position = exponent - (format.bias + format.mantissaBits) + 30;
  position = position & (format.isDouble ? 1023 : 255);
  unsigned limbs = format.isDouble ? 6 : 3;
  VectorExpr word = position >> 5;
  VectorExpr offset = position & 31;
  unsigned wordBits = format.isDouble ? 5 : 3;
  SmallVector<VectorExpr> table;
  for (unsigned i = 0; i < (1u << wordBits) + limbs; ++i)
    table.push_back(bits.integer(coefficients::twoOverPi[i]));
  // Shifts the table by the word number, one bit of it after the other.
  for (unsigned bit = wordBits; bit-- > 0;) {
    VectorExpr taken = notEqual(word & (int64_t(1) << bit), 0);
    SmallVector<VectorExpr> shifted;
    for (unsigned i = 0; i < (1u << bit) + limbs; ++i)
      shifted.push_back(select(taken, table[i + (1u << bit)], table[i]));
    table = std::move(shifted);
  }
  SmallVector<VectorExpr> window; // most significant first
  for (unsigned i = 0; i < limbs; ++i)
    window.push_back((((table[i] << 32) | table[i + 1]) << offset) >> 32);

  // product = mantissa * window modulo 2^(32 limbs), least significant limb first.
  const int64_t mask = 0xffffffff;
  SmallVector<VectorExpr> factors = {mantissa & mask};
  if (format.isDouble)
    factors.push_back(mantissa >> 32);
  SmallVector<VectorExpr> product;
  VectorExpr carry = bits.integer(0);
  SmallVector<VectorExpr> upper; // upper halves that belong to the next limb
  for (unsigned column = 0; column < limbs; ++column) {
    VectorExpr sum = carry;
    for (const VectorExpr &part : upper)
      sum = sum + part;
    upper.clear();
    for (unsigned i = 0; i < factors.size() && i <= column; ++i) {
      VectorExpr partial = factors[i] * window[limbs - 1 - (column - i)];
      sum = sum + (partial & mask);
      upper.push_back(partial >> 32);
    }
    product.push_back(sum & mask);
    carry = sum >> 32;
  }

  VectorExpr top = (product[limbs - 1] << 32) | product[limbs - 2];
  VectorExpr next = product[limbs - 3];
  next = limbs > 3 ? (next << 32) | product[limbs - 4] : next << 32;
  VectorExpr quadrant = (top + (int64_t(1) << 61)) >> 62;
  // The fraction of a quarter turn, as a signed number of 128 bits.
  VectorExpr fraction = (top << 2) | (next >> 62);
  VectorExpr fractionLow = (next << 2) >> 11;
  // Exact in two pieces: upper 53 bits, then the rest.
  VectorExpr high = arithmeticShift(fraction, 11).toFloat(64) * 0x1p-53;
  VectorExpr low = (fraction & 0x7ff).toFloat(64) * 0x1p-64 + fractionLow.toFloat(64) * 0x1p-117;
  VectorExpr r = fma(high, piOverTwo, fma(high, piOverTwoLow, low * piOverTwo));

  VectorExpr isNegative = x.asInt() < 0;
  VectorExpr narrow = quadrant.truncateInt(x.width());
  r = r.toFloat(x.width());
  r = select(isNegative, -r, r);
  r = select(abs(x) < std::numeric_limits<double>::infinity(), r,
             std::numeric_limits<double>::quiet_NaN());
  return {r, select(isNegative, -narrow, narrow)};
}

// The large lanes among others that are reduced. Lane by lane: it is rare, and as vectors of 64-bit
// integers, which machines multiply in pieces, it would be more code than all the rest.
static Reduced reduceLargeLanes(const VectorExpr &x, const VectorExpr &isLarge,
                                const Reduced &others) {
  const EmitContext &emit = x.emit();
  OpBuilder &b = emit.builder;
  if (!isa<VectorType>(x.type())) {
    Reduced large = reduceLarge(x);
    return {select(isLarge, large.r, others.r), select(isLarge, large.quadrant, others.quadrant)};
  }
  auto number = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIntOp>(emit.loc, value, 64);
  };
  auto loop = b.create<scf::ForOp>(
      emit.loc, number(0), number(x.lanes()), number(1), ValueRange{others.r, others.quadrant},
      [&](OpBuilder &inner, Location loc, Value lane, ValueRange reduced) {
        EmitContext innerEmit{inner, loc, emit.target};
        auto laneOf = [&](Value vector) {
          return VectorExpr(innerEmit, inner.create<vector::ExtractElementOp>(loc, vector, lane));
        };
        Reduced large = reduceLarge(laneOf(x));
        VectorExpr isLargeLane = laneOf(isLarge);
        auto replaced = [&](Value vector, const VectorExpr &value) -> Value {
          Value chosen = select(isLargeLane, value, laneOf(vector));
          return inner.create<vector::InsertElementOp>(loc, chosen, vector, lane);
        };
        inner.create<scf::YieldOp>(
            loc, ValueRange{replaced(reduced[0], large.r), replaced(reduced[1], large.quadrant)});
      });
  return {VectorExpr(emit, loop.getResult(0)), VectorExpr(emit, loop.getResult(1))};
}

static Reduced reduce(const VectorExpr &x) {
  const EmitContext &emit = x.emit();
  OpBuilder &builder = emit.builder;
  Reduced moderate = reduceModerate(x);
  VectorExpr isLarge = abs(x) > largestModerate(x);
  Value anyLarge = isLarge;
  if (isa<VectorType>(x.type()))
    anyLarge = builder.create<vector::ReductionOp>(emit.loc, vector::CombiningKind::OR, anyLarge);
  auto branch = builder.create<scf::IfOp>(
      emit.loc, anyLarge,
      [&](OpBuilder &inner, Location loc) {
        EmitContext innerEmit{inner, loc, emit.target};
        Reduced reduced = reduceLargeLanes(
            VectorExpr(innerEmit, x), VectorExpr(innerEmit, isLarge),
            {VectorExpr(innerEmit, moderate.r), VectorExpr(innerEmit, moderate.quadrant)});
        inner.create<scf::YieldOp>(loc, ValueRange{reduced.r, reduced.quadrant});
      },
      [&](OpBuilder &inner, Location loc) {
        inner.create<scf::YieldOp>(loc, ValueRange{moderate.r, moderate.quadrant});
      });
  return {VectorExpr(emit, branch.getResult(0)), VectorExpr(emit, branch.getResult(1))};
}

static VectorExpr sinOfReduced(const VectorExpr &r) {
  VectorExpr z = r * r;
  VectorExpr tail = polynomial(z, coefficients::sin64, coefficients::sin32);
  return fma(r * z, tail, r);
}

static VectorExpr cosOfReduced(const VectorExpr &r) {
  VectorExpr z = r * r;
  VectorExpr tail = polynomial(z, coefficients::cos64, coefficients::cos32);
  return fma(fma(tail, z, -0.5), z, 1.0);
}

// The sine of x + shift quarter turns.
static VectorExpr sinShifted(const VectorExpr &x, int shift) {
  FloatFormat format(x);
  auto [r, quadrant] = reduce(x);
  if (shift)
    quadrant = quadrant + shift;
  VectorExpr value = select(notEqual(quadrant & 1, 0), cosOfReduced(r), sinOfReduced(r));
  VectorExpr sign = (quadrant & 2) << (x.width() - 2);
  return (value.asInt() ^ sign).asFloat();
}

VectorExpr sin(const VectorExpr &x) {
  return select(equal(x, 0.0), x, sinShifted(x, 0)); // keeps -0
}

VectorExpr cos(const VectorExpr &x) { return sinShifted(x, 1); }

VectorExpr tan(const VectorExpr &x) {
  auto [r, quadrant] = reduce(x);
  VectorExpr sine = sinOfReduced(r);
  VectorExpr cosine = cosOfReduced(r);
  VectorExpr isOdd = notEqual(quadrant & 1, 0);
  VectorExpr quotient = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  return select(equal(x, 0.0), x, quotient);
}

VectorExpr atan(const VectorExpr &x) {
  bool isDouble = x.width() == 64;
  VectorExpr a = abs(x);
  // atan a = base + atan t, |t| <= tan(pi/8): t = a, (a - 1) / (a + 1) or -1 / a.
  VectorExpr isMiddle = a > 0x1.a8279ap-2;
  VectorExpr isLarge = a > 0x1.3504f4p1;
  VectorExpr numerator = select(isLarge, -1.0, select(isMiddle, a - 1.0, a));
  VectorExpr denominator = select(isLarge, a, select(isMiddle, a + 1.0, a.constant(1)));
  VectorExpr t = numerator / denominator;
  VectorExpr zero = a.constant(0);
  VectorExpr base = select(isLarge, piOverTwo, select(isMiddle, piOverTwo / 2, zero));
  double lowPart = isDouble ? piOverTwoLow : -0x1.777a5cp-25;
  VectorExpr baseLow = select(isLarge, lowPart, select(isMiddle, lowPart / 2, zero));
  VectorExpr z = t * t;
  VectorExpr tail = polynomial(z, coefficients::atan64, coefficients::atan32);
  VectorExpr result = base + (t + fma(t * z, tail, baseLow));
  return copySign(result, x);
}

} // namespace keratin::codegen::kernels

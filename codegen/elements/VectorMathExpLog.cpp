// exp, expm1, log, log1p: reduction by powers of two, then a minimax polynomial.
#include "codegen/elements/ExponentInstructions.h"
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

#include <cmath>
#include <limits>

namespace keratin::codegen::kernels {

static constexpr double log2OfE = 0x1.71547652b82fep0;

// ln 2 in two parts; the first has so few bits that its product with an exponent is exact. Both are
// positive, so that an infinite exponent gives no NaN.
struct Ln2 {
  explicit Ln2(bool isDouble)
      : high(isDouble ? 0x1.62e42feep-1 : 0x1.62p-1),
        low(isDouble ? 0x1.a39ef35793c76p-33 : 0x1.c85fe00000000p-10) {}
  double high;
  double low;
};

RoundedInteger nearestInteger(const VectorExpr &x, double factor, int offset) {
  const double shift = FloatFormat(x).roundingConstant() + offset;
  VectorExpr shifted = fma(x, factor, shift);
  return {shifted - shift, shifted.asInt()};
}

// Those that the machine has for vectors like x; null for none.
static const ExponentInstructions *exponentInstructions(const VectorExpr &x) {
  const ExponentInstructions *known = x.emit().target.exponents;
  return known && known->take(x) ? known : nullptr;
}

// e^x = 2^k e^r
struct ExpReduction {
  RoundedInteger k;
  VectorExpr r;
  VectorExpr low; // what r lacks, if it was asked for
};

static ExpReduction reduceExp(const VectorExpr &x, int offset, bool withLow = false) {
  Ln2 ln2(x.width() == 64);
  RoundedInteger k = nearestInteger(x, log2OfE, offset);
  VectorExpr coarse = fma(k.number, -ln2.high, x); // exact
  VectorExpr r = fma(k.number, -ln2.low, coarse);
  return {k, r, withLow ? fma(k.number, -ln2.low, coarse - r) : r};
}

// (e^r - 1 - r) / r^2 for the reduced argument.
static VectorExpr expTail(const VectorExpr &r) {
  return polynomial(r, coefficients::exp64, coefficients::exp32);
}

// The same with the relative error that expm1 needs.
static VectorExpr expm1Tail(const VectorExpr &r) {
  return polynomial(r, coefficients::expm1Of64, coefficients::expm1Of32);
}

// The exponent of what scales e^x of negative x, in two steps, to a denormal number: the greatest
// for which offsetOfExp is even, so that halves are rounded as without an offset.
static int lastStep(const FloatFormat &format) { return format.isDouble ? -53 : -25; }

// Where e^x rounds to 0, and the nearest integer to x log2(e) is the first of which
// 2^(that - lastStep) is too small for a normal number.
static double lowestExp(const VectorExpr &x) { return x.width() == 64 ? -746.0 : -105.5; }

// Of x. To scale by instructions for exponents, where there are, takes either as well.
enum class Sign { Any, NotPositive };
static Sign notPositive(const VectorExpr &x) {
  return exponentInstructions(x) ? Sign::Any : Sign::NotPositive;
}

// What reduceExp is to add to k: so much that no bit of it, nor of the exponent of the first step
// for x that are not positive, is lost.
static int offsetOfExp(const VectorExpr &x, Sign sign) {
  FloatFormat format(x);
  return sign == Sign::Any ? 2 * format.bias : format.bias - lastStep(format);
}

// 2^k (1 + p) = e^x, for the k of reduceExp with offsetOfExp. Results that underflow take more than
// 100 cycles on some machines, and masks make many: where x is at the bound, it is a zero that
// nothing is rounded for.
static VectorExpr scaleExp(const VectorExpr &x, const VectorExpr &p, const RoundedInteger &k,
                           Sign sign) {
  if (const ExponentInstructions *machine = exponentInstructions(p))
    return machine->scale(select(x < lowestExp(x), x.constant(0), 1.0 + p), k.number);
  // In two steps, as 2^k itself may not be representable. The first is exact, or 0 at the bound;
  // its exponent is k without that of the second.
  FloatFormat format(p);
  VectorExpr second = p.constant(std::ldexp(1.0, lastStep(format)));
  VectorExpr bits = k.bits << format.mantissaBits;
  if (sign == Sign::Any) {
    second = select(x.asInt() < 0, second, 2.0);
    bits = bits - second.asInt();
  }
  VectorExpr first = bits.asFloat();
  return fma(first, p, first) * second;
}

// e^(x + low); a low of null is 0.
static VectorExpr expOf(const VectorExpr &x, const VectorExpr *low, Sign sign) {
  // Above the upper bound the result is infinity anyway. Below the lower one scaleExp takes no
  // heed of the exponent, unless it is made of bits.
  VectorExpr bounded = x;
  if (sign == Sign::Any)
    bounded = atMost(x, x.width() == 64 ? 710.0 : 89.0);
  if (!exponentInstructions(x))
    bounded = atLeast(bounded, lowestExp(x));
  const Sign scaled = sign == Sign::Any ? sign : notPositive(x);
  auto [k, r, unused] = reduceExp(bounded, offsetOfExp(x, scaled));
  if (low)
    r = r + *low;
  return scaleExp(x, fma(r * r, expTail(r), r), k, scaled);
}

VectorExpr exp(const VectorExpr &x) { return expOf(x, nullptr, Sign::Any); }

VectorExpr expOfNotPositive(const VectorExpr &x) { return expOf(x, nullptr, Sign::NotPositive); }

VectorExpr expOfSum(const VectorExpr &x, const VectorExpr &low) {
  return expOf(x, &low, Sign::Any);
}

// e^(x + more); a `more` of null is 0.
static VectorExpr expPreciseOf(const VectorExpr &x, const VectorExpr *more) {
  const Sign sign = notPositive(x);
  auto [k, r, low] = reduceExp(atLeast(x, lowestExp(x)), offsetOfExp(x, sign), /*withLow=*/true);
  if (more) {
    VectorExpr sum = r + *more;
    low = low + ((r - sum) + *more);
    r = sum;
  }
  return scaleExp(x, r + fma(r * r, expTail(r), low), k, sign);
}

VectorExpr expPrecise(const VectorExpr &x) { return expPreciseOf(x, nullptr); }

VectorExpr expPreciseOfSum(const VectorExpr &x, const VectorExpr &low) {
  return expPreciseOf(x, &low);
}

VectorExpr exp2Moderate(const VectorExpr &x, double factor) {
  FloatFormat format(x);
  RoundedInteger k = nearestInteger(x, factor);
  VectorExpr f = fma(x, factor, -k.number);
  VectorExpr p = polynomial(f, coefficients::exp2Of64, coefficients::exp2Of32);
  if (const ExponentInstructions *machine = exponentInstructions(p))
    return machine->scale(p, k.number);
  // A product, not a sum of bits, so that NaN stays NaN.
  return p * ((k.bits + format.bias) << format.mantissaBits).asFloat();
}

VectorExpr expm1(const VectorExpr &x) {
  FloatFormat format(x);
  // Below the lower bound the result rounds to -1, above the upper it is infinity.
  VectorExpr bounded =
      atMost(atLeast(x, format.isDouble ? -40.0 : -20.0), format.isDouble ? 710.0 : 89.0);
  auto [k, r, low] = reduceExp(bounded, 0, /*withLow=*/true);
  VectorExpr p = r + fma(r * r, expm1Tail(r), low);
  // 2^k p + (2^k - 1), halved because 2^k may overflow where the result does not.
  VectorExpr halfScale = ((k.bits + (format.bias - 1)) << format.mantissaBits).asFloat();
  VectorExpr result = 2.0 * fma(halfScale, p, halfScale - 0.5);
  // Keeps denormals, which halving would round, and the sign of zero.
  double tiny = format.isDouble ? 0x1p-54 : 0x1p-25;
  return select(abs(x) < tiny, x, result);
}

bool decomposesSpecialValues(const VectorExpr &x) { return exponentInstructions(x); }

Decomposed decompose(const VectorExpr &x) {
  if (const ExponentInstructions *machine = exponentInstructions(x)) {
    VectorExpr mantissa = machine->mantissaOf(x);
    VectorExpr exponent = machine->exponentOf(x);
    return {mantissa - 1.0, select(mantissa < 1.0, exponent + 1.0, exponent)};
  }
  FloatFormat format(x);
  VectorExpr isDenormal = x < (format.isDouble ? 0x1p-1022 : 0x1p-126);
  VectorExpr normal = select(isDenormal, x * (format.isDouble ? 0x1p54 : 0x1p25), x);
  VectorExpr correction = select(isDenormal, format.isDouble ? -54.0 : -25.0, x.constant(0));
  // [0.75, 1.5) has the exponent 0, as instructions for it have it: all machines with fused
  // multiplication give the same bits.
  int64_t threeQuarters = format.isDouble ? 0x3fe8000000000000 : 0x3f400000;
  VectorExpr bits = normal.asInt();
  VectorExpr exponent = arithmeticShift(bits - threeQuarters, format.mantissaBits);
  VectorExpr f = (bits - (exponent << format.mantissaBits)).asFloat() - 1.0;
  // Without AVX-512 there is no vector conversion of 64-bit integers; these are small.
  VectorExpr number = format.isDouble
                          ? (exponent + format.roundingBits()).asFloat() - format.roundingConstant()
                          : exponent.toFloat(32);
  return {f, number + correction};
}

// log(1 + f) + exponent ln 2 + low, for f as decompose gives it and low a small correction or null.
static VectorExpr logOfDecomposed(const VectorExpr &f, const VectorExpr &exponent) {
  bool isDouble = f.width() == 64;
  Ln2 ln2(isDouble);
  if (!isDouble) {
    VectorExpr z = f * f;
    VectorExpr p = polynomial(f, coefficients::log32) * f * z;
    p = fma(exponent, ln2.low, p);
    p = fma(z, -0.5, p);
    return fma(exponent, ln2.high, f + p);
  }
  // With s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + R(s^2)).
  VectorExpr s = f / (2.0 + f);
  VectorExpr z = s * s;
  VectorExpr tail = z * polynomial(z, coefficients::log64);
  VectorExpr half = 0.5 * f * f;
  VectorExpr low = fma(s, half + tail, exponent * ln2.low);
  return fma(exponent, ln2.high, f - (half - low));
}

VectorExpr log(const VectorExpr &x) {
  auto [f, exponent] = decompose(x);
  VectorExpr result = logOfDecomposed(f, exponent);
  if (decomposesSpecialValues(x))
    return result;
  result = select(x < infinity, result, x);
  result = select(x >= 0.0, result, notANumber);
  return select(equal(x, 0.0), -infinity, result);
}

// Splits 1 + x so that no bit of x is lost.
static Decomposed decomposeOnePlus(const VectorExpr &x) {
  FloatFormat format(x);
  int64_t root = format.isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  VectorExpr exponent = arithmeticShift((1.0 + x).asInt() - root, format.mantissaBits);
  VectorExpr shift = exponent << format.mantissaBits;
  // f = x 2^-exponent + (2^-exponent - 1). 2^-exponent may be denormal, 4 times it is not.
  int64_t four = static_cast<int64_t>(format.bias + 2) << format.mantissaBits;
  VectorExpr power = (x.asInt().integer(four) - shift).asFloat();
  VectorExpr f = (x.asInt() - shift).asFloat() + fma(power, 0.25, -1.0);
  VectorExpr number = format.isDouble
                          ? (exponent + format.roundingBits()).asFloat() - format.roundingConstant()
                          : exponent.toFloat(32);
  return {f, number};
}

VectorExpr log1pOfUnitInterval(const VectorExpr &x) {
  auto [f, exponent] = decomposeOnePlus(x);
  return logOfDecomposed(f, exponent);
}

VectorExpr log1p(const VectorExpr &x) {
  VectorExpr result = log1pOfUnitInterval(x);
  result = select(x < infinity, result, x);
  result = select(x >= -1.0, result, notANumber);
  result = select(equal(x, -1.0), -infinity, result);
  return copySign(result, x); // for -0
}

} // namespace keratin::codegen::kernels

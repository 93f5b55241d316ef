// The functions of VectorMath for f32 and f64, on expressions, so that one may use another's parts.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORMATHKERNELS_H
#define KERATIN_CODEGEN_ELEMENTS_VECTORMATHKERNELS_H

#include "codegen/elements/VectorExpr.h"

#include <limits>

namespace keratin::codegen::kernels {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// The format's numbers, for code that serves both widths.
struct FloatFormat {
  explicit FloatFormat(const VectorExpr &x)
      : isDouble(x.width() == 64), mantissaBits(isDouble ? 52 : 23), bias(isDouble ? 1023 : 127) {}
  bool isDouble;
  int mantissaBits;
  int bias;
  // Adding it rounds numbers below 2^(mantissaBits - 1) to an integer in the low bits.
  double roundingConstant() const { return isDouble ? 0x1.8p52 : 0x1.8p23; }
  int64_t roundingBits() const { return isDouble ? 0x4338000000000000 : 0x4b400000; }
  int64_t signBit() const { return isDouble ? INT64_MIN : 0x80000000; }
};

// The one of two polynomials that is for the width of x.
inline VectorExpr polynomial(const VectorExpr &x, llvm::ArrayRef<double> of64,
                             llvm::ArrayRef<double> of32) {
  return polynomial(x, x.width() == 64 ? of64 : of32);
}

// An integer as a float, and it and an offset as bits of the same width: of its upper bits, from
// mantissaBits - 1 on, nothing is said.
struct RoundedInteger {
  VectorExpr number;
  VectorExpr bits;
};
// The nearest integer to x * factor, for |x * factor| and the offset, which is even, below
// 2^(mantissaBits - 3).
RoundedInteger nearestInteger(const VectorExpr &x, double factor, int offset = 0);
VectorExpr exp(const VectorExpr &x);
// The same bits, of x <= 0 or NaN.
VectorExpr expOfNotPositive(const VectorExpr &x);
// e^(x + low) for |low| below an ulp of x.
VectorExpr expOfSum(const VectorExpr &x, const VectorExpr &low);
// e^x of x <= 0 with an error of 0.8 ulp instead of 1, for functions that add errors of their own.
VectorExpr expPrecise(const VectorExpr &x);
// The same of x + low, for |low| below an ulp of x.
VectorExpr expPreciseOfSum(const VectorExpr &x, const VectorExpr &low);
// 2^(x * factor) for |x * factor| <= 120, or NaN; the product counts as exact to its last bit, so
// the relative error grows with it. For terms that are small beside what they are added to.
VectorExpr exp2Moderate(const VectorExpr &x, double factor);
VectorExpr expm1(const VectorExpr &x);

// x = (1 + f) * 2^exponent with 1 + f from the root of 1/2, or from 3/4, to twice that; for
// positive finite x, denormals too.
struct Decomposed {
  VectorExpr f;
  VectorExpr exponent; // a float
};
Decomposed decompose(const VectorExpr &x);
// Whether decompose gives f = 0 and an infinite exponent for 0 and infinity, and NaN for NaN and
// negative x.
bool decomposesSpecialValues(const VectorExpr &x);
VectorExpr log(const VectorExpr &x);
VectorExpr log1p(const VectorExpr &x);
// log1p for 0 <= x <= 1, or NaN gives anything.
VectorExpr log1pOfUnitInterval(const VectorExpr &x);
VectorExpr pow(const VectorExpr &x, const VectorExpr &y);
// a^y of an f64 a that is not negative; the cases that C lists are left to the caller, except that
// 0 and infinity work.
VectorExpr powOfMagnitude(const VectorExpr &a, const VectorExpr &y);
// The same with the digits of f32, of which results beyond 2^200 are as large or as small as any.
VectorExpr powOfSingleMagnitude(const VectorExpr &a, const VectorExpr &y);

// high + low, |low| below half an ulp of high.
struct Pair {
  VectorExpr high;
  VectorExpr low;
};
// x * y: of f64, or on machines with FMA. x and y are far from overflow, or it is not used.
Pair twoProduct(const VectorExpr &x, const VectorExpr &y);

VectorExpr sin(const VectorExpr &x);
VectorExpr cos(const VectorExpr &x);
VectorExpr tan(const VectorExpr &x);
VectorExpr atan(const VectorExpr &x);

VectorExpr tanh(const VectorExpr &x);
VectorExpr sigmoid(const VectorExpr &x);
VectorExpr softplus(const VectorExpr &x);
VectorExpr erf(const VectorExpr &x);

VectorExpr erfc(const VectorExpr &x);
VectorExpr erfinv(const VectorExpr &x);
VectorExpr lgamma(const VectorExpr &x);
VectorExpr digamma(const VectorExpr &x);
VectorExpr zeta(const VectorExpr &s, const VectorExpr &q);
VectorExpr besselI0e(const VectorExpr &x);
VectorExpr besselI1e(const VectorExpr &x);
VectorExpr igamma(const VectorExpr &a, const VectorExpr &x);
VectorExpr igammac(const VectorExpr &a, const VectorExpr &x);
VectorExpr gammaSampleGradient(const VectorExpr &a, const VectorExpr &x);
VectorExpr betainc(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x);
VectorExpr betaSampleGradient(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x);

// Of f64, for positive numbers:
// log gamma(1 + a) for a up to 2, whose digits it keeps at 0.
VectorExpr logGammaOfNext(const VectorExpr &a);
// gamma(z) / (sqrt(2 pi / z) (z / e)^z): nearly 1 of large z.
VectorExpr scaledGamma(const VectorExpr &z);
// log(z) - digamma(z + 1).
VectorExpr logMinusDigammaOfNext(const VectorExpr &z);
// log(x) - digamma(z + 1) without cancellation of a large z, where `ofQuotient` is log(x / z).
VectorExpr logMinusDigammaOfNext(const VectorExpr &z, const VectorExpr &x,
                                 const VectorExpr &ofQuotient);
// The logarithm of a ratio, which is 1 + m.
struct LogOfRatio {
  LogOfRatio(const VectorExpr &ratio, const VectorExpr &m);
  // scale (log(ratio) - m), where `difference` is scale m.
  VectorExpr minusDifference(const VectorExpr &scale, const VectorExpr &difference) const;

  VectorExpr isNear;
  VectorExpr rest;      // log(ratio) - m, if it is near 1
  VectorExpr logarithm; // if not
  VectorExpr value;
};

VectorExpr floor(const VectorExpr &x);
VectorExpr ceil(const VectorExpr &x);
VectorExpr roundEven(const VectorExpr &x);
VectorExpr trunc(const VectorExpr &x);

// As VectorMath says.
VectorExpr floorDiv(const VectorExpr &x, const VectorExpr &y);
VectorExpr floorMod(const VectorExpr &x, const VectorExpr &y);

VectorExpr castFloatToFloat(const VectorExpr &x, mlir::Type element);

} // namespace keratin::codegen::kernels

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATHKERNELS_H

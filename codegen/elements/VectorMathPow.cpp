// pow with the special cases of C. The logarithm carries more bits than the format, because the
// exponent multiplies its error: f32 computes in f64, f64 with pairs of f64.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

#include <limits>

namespace keratin::codegen::kernels {

// For |a| >= |b|.
static Pair fastTwoSum(const VectorExpr &a, const VectorExpr &b) {
  VectorExpr sum = a + b;
  return {sum, b - (sum - a)};
}

static Pair twoSum(const VectorExpr &a, const VectorExpr &b) {
  VectorExpr sum = a + b;
  VectorExpr part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair twoProduct(const VectorExpr &a, const VectorExpr &b) {
  VectorExpr product = a * b;
  if (a.emit().target.hasFma)
    return {product, fma(a, b, -product)};
  // Dekker: halves of 26 bits multiply exactly.
  auto split = [](const VectorExpr &x) -> Pair {
    VectorExpr high = (x.asInt() & ~int64_t(0x7ffffff)).asFloat();
    return {high, x - high};
  };
  Pair x = split(a), y = split(b);
  VectorExpr error =
      x.low * y.low - (((product - x.high * y.high) - x.low * y.high) - x.high * y.low);
  return {product, error};
}

// The logarithm of a positive finite x to about 2^-66 of itself.
static Pair logExtended(const VectorExpr &x) {
  auto [f, exponent] = decompose(x);
  // s = f / (2 + f) as a pair.
  Pair denominator = fastTwoSum(f.constant(2), f);
  VectorExpr sHigh = f / denominator.high;
  Pair back = twoProduct(sHigh, denominator.high);
  VectorExpr residual = ((f - back.high) - back.low) - sHigh * denominator.low;
  VectorExpr sLow = residual / denominator.high;

  // 2 s + 2/3 s^3 + s^5 P(s^2); only the last term may be rounded to one number.
  Pair z = twoProduct(sHigh, sHigh);
  z.low = fma(sHigh * 2.0, sLow, z.low);
  Pair tail = fastTwoSum(f.constant(0x1.5555555555555p-1),
                         z.high * polynomial(z.high, coefficients::logExtended64));
  tail.low = tail.low + 0x1.5555555555555p-55;
  Pair cube = twoProduct(z.high, sHigh);
  cube.low = fma(z.high, sLow, fma(z.low, sHigh, cube.low));
  Pair product = twoProduct(cube.high, tail.high);
  product.low = product.low + fma(cube.high, tail.low, cube.low * tail.high);
  Pair sum = fastTwoSum(sHigh * 2.0, product.high);
  sum.low = sum.low + fma(sLow, 2.0, product.low);

  // The first part of ln 2 has so few bits that its product with the exponent is exact.
  Pair total = twoSum(exponent * 0x1.62e42fefa38p-1, sum.high);
  total.low = total.low + fma(exponent, 0x1.ef35793c7673p-45, sum.low);
  return fastTwoSum(total.high, total.low);
}

VectorExpr powOfMagnitude(const VectorExpr &a, const VectorExpr &y) {
  Pair logarithm = logExtended(a);
  Pair product = twoProduct(logarithm.high, y);
  VectorExpr low = fma(logarithm.low, y, product.low);
  Pair power = fastTwoSum(product.high, low);
  // 0 and infinity as the logarithm or the exponent, or overflow: the sign of the product decides,
  // the low part is void.
  VectorExpr special =
      select(a < infinity, select(equal(a, 0.0), -infinity, logarithm.high), infinity);
  VectorExpr rough = special * y;
  VectorExpr isModerate = abs(rough) < 800.0;
  VectorExpr high = select(isModerate, power.high, rough);
  low = select(isModerate, power.low, a.constant(0));
  return expOfSum(high, low);
}

// Operands that came from f32 need 2^-35 of the logarithm only.
VectorExpr powOfSingleMagnitude(const VectorExpr &a, const VectorExpr &y) {
  auto [f, exponent] = decompose(a);
  VectorExpr log2 = fma(f, polynomial(f, coefficients::log2Single64), exponent);
  if (!decomposesSpecialValues(a))
    log2 = select(a < infinity, select(equal(a, 0.0), -infinity, log2), infinity);
  // All results outside become 0 or infinity when rounded to f32.
  VectorExpr power = atMost(atLeast(log2 * y, -200.0), 200.0);
  RoundedInteger k = nearestInteger(power, 1.0);
  VectorExpr p = polynomial(power - k.number, coefficients::exp2Single64);
  return (p.asInt() + (k.bits << 52)).asFloat();
}

VectorExpr pow(const VectorExpr &x, const VectorExpr &y) {
  FloatFormat format(x);
  VectorExpr a = abs(x);
  VectorExpr result = format.isDouble
                          ? powOfMagnitude(a, y)
                          : powOfSingleMagnitude(a.toFloat(64), y.toFloat(64)).toFloat(32);
  // Infinite y counts as an even integer.
  VectorExpr isInteger = equal(trunc(y), y);
  VectorExpr half = y * 0.5;
  VectorExpr isOdd = isInteger & notEqual(trunc(half), half);
  VectorExpr sign = x.asInt() & format.signBit();
  result = (result.asInt() | select(isOdd, sign, 0)).asFloat();
  VectorExpr isDefined = (x >= 0.0) | isInteger | equal(x, -infinity);
  isDefined = isDefined & !unordered(x, y);
  result = select(isDefined, result, std::numeric_limits<double>::quiet_NaN());
  VectorExpr isOne = equal(x, 1.0) | equal(y, 0.0) | (equal(a, 1.0) & equal(abs(y), infinity));
  return select(isOne, 1.0, result);
}

} // namespace keratin::codegen::kernels

// K functions: element by element, of several ops each, whose values and derivatives hold where a
// formula alone would divide by zero, overflow or cancel.
#include "frontend/backend/SpecialFunctions.h"

#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"
#include "keratin/elementwise.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace keratin;
using namespace keratin::frontend;

// x, but 1 where the condition holds: what may be divided by.
static Value oneWhere(Call &call, Value condition, Value x) {
  return call.g.select(condition, call.g.oneLike(x), x);
}

static Value isZero(Call &call, Value x) { return call.g.equal(x, call.g.zeroLike(x)); }

static Value isInfinite(Call &call, Value x) {
  return call.g.equal(call.g.abs(x),
                      call.g.constantLike(std::numeric_limits<double>::infinity(), x));
}

Value frontend::isNegative(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  Value reciprocal = g.div(g.oneLike(x), x);
  return g.or_(g.less(x, g.zeroLike(x)), g.less(reciprocal, g.zeroLike(x)));
}

namespace {

// atan2. The quotient is taken of the smaller by the larger, so that it is between -1 and 1: it
// neither overflows, nor is its derivative lost where the other one is zero.
class Angle {
public:
  Angle(Call &call, Value y, Value x) : call(call), g(call.g), y(y), x(x) {}

  Value build() {
    Value isFlat = g.greaterEqual(g.abs(x), g.abs(y));
    Value high = g.select(isFlat, x, y), low = g.select(isFlat, y, x);
    Value isOrigin = g.and_(isZero(call, x), isZero(call, y));
    Value quotient = g.select(isOrigin, signedBy(0), g.div(low, oneWhere(call, isOrigin, high)));
    // Of two infinities the angle is that of a diagonal.
    Value areInfinite = g.and_(isInfinite(call, x), isInfinite(call, y));
    quotient = g.select(areInfinite, g.mul(g.sign(x), g.sign(y)), quotient);
    Value part = g.atan(quotient);
    Value straight = g.select(isNegative(call, x), signedBy(std::numbers::pi), g.zeroLike(x));
    // -0 + 0 would be 0.
    Value flat = g.select(isNegative(call, x), g.add(straight, part), part);
    Value steep = g.sub(signedBy(std::numbers::pi / 2), part);
    return g.select(isFlat, flat, steep);
  }

private:
  // The number with the sign of y.
  Value signedBy(double number) {
    Value size = g.constantLike(number, y);
    return g.select(isNegative(call, y), g.neg(size), size);
  }

  Call &call;
  ir::GraphMath &g;
  Value y, x;
};

} // namespace

// sin(t) / t for |t| <= 1: of t * t, so that no derivative cancels.
static Value sineSeries(Call &call, Value t) {
  ir::GraphMath &g = call.g;
  Value square = g.mul(t, t);
  const int terms = call.dtypeOf(t) == DType::Float64 ? 10 : 6;
  Value sum;
  for (int k = terms; k >= 0; --k) {
    double factor = k % 2 ? -1 : 1;
    for (int i = 2; i <= 2 * k + 1; ++i)
      factor /= i;
    Value coefficient = g.constantLike(factor, t);
    sum = sum ? g.add(g.mul(sum, square), coefficient) : coefficient;
  }
  return sum;
}

// What the normal distribution has beyond |x|, by erfc, for |x| up to where that is a normal
// number.
static Value upperTail(Call &call, Value magnitude) {
  return call.g.scale(call.g.erfc(call.g.scale(magnitude, std::numbers::sqrt2 / 2)), 0.5);
}

// log(ndtr(x)) of x below the limit, by the asymptotic series of Mills's ratio.
static Value logOfLowerTail(Call &call, Value x, int terms) {
  ir::GraphMath &g = call.g;
  Value inverse = g.div(g.oneLike(x), x), z = g.mul(inverse, inverse);
  // 1 - z + 3 z^2 - 15 z^3 ...
  Value series = g.oneLike(x);
  for (int k = terms; k > 0; --k)
    series = g.sub(g.oneLike(x), g.mul(g.scale(z, 2 * k - 1), series));
  Value size =
      g.neg(g.add(g.log(g.neg(x)), g.constantLike(0.5 * std::log(2 * std::numbers::pi), x)));
  return g.add(g.scale(g.mul(x, x), -0.5), g.add(size, g.log(series)));
}

// The negative numbers beyond which the normal distribution has p, 0 < p < 0.026, by z / r as a
// polynomial in (r - c) / (r + c) of r = sqrt(-2 log p): minimax ones, of which all digits of f64
// are right.
static Value lowerQuantile(Call &call, Value p) {
  static constexpr double ofSmall[] = {
      0x1.cac8c2facd7ebp-1,  0x1.5e5ffc06cc2bep-2, -0x1.1637d3d84981cp-1, 0x1.530160902539bp-1,
      -0x1.7fa2e0dd69ff2p-1, 0x1.a0a8f1be4d770p-1, -0x1.bafef325617d8p-1, 0x1.d07039e75d8ecp-1,
      -0x1.e2b7aed821202p-1, 0x1.f27c6a9ddb028p-1, -0x1.0036027637d61p+0, 0x1.067138fc7ded4p+0,
      -0x1.0c348f0889eb3p+0, 0x1.106083a404068p+0, -0x1.12c2d0c888139p+0, 0x1.27d9a1cad0954p+0,
      -0x1.37208c9aa1f19p+0, 0x1.275f5ea99e4c1p-1, -0x1.e009fb576f636p-1, 0x1.d5418532bc14ap+1};
  static constexpr double ofLarge[] = {
      0x1.f7b4cc4be88d7p-1,  0x1.cbb9ea9d358e2p-5, -0x1.85b8ed869fd1dp-4, 0x1.f916aa2e9e58ep-4,
      -0x1.2c2a53a5a6421p-3, 0x1.54117881dc21fp-3, -0x1.76952ec954f75p-3, 0x1.94a84c1034b82p-3,
      -0x1.af4186bec885dp-3, 0x1.c6e55d93e1906p-3, -0x1.dc1d02ab98cd1p-3, 0x1.ef37d63cbb33ap-3,
      -0x1.003538fddee46p-2, 0x1.081d91244a51ep-2, -0x1.106e2e7f898b2p-2, 0x1.1801390188ae1p-2,
      -0x1.157f94d44e1f6p-2, 0x1.0d78ccfd501e6p-2, -0x1.3714f89b3359cp-2, 0x1.96896cc827dddp-2,
      -0x1.7a49adb0a1f2ap-2, 0x1.389255c1e1334p-3};
  ir::GraphMath &g = call.g;
  Value r = g.sqrt(g.scale(g.log(p), -2));
  auto polynomial = [&](llvm::ArrayRef<double> coefficients, double center) {
    Value c = g.constantLike(center, r), t = g.div(g.sub(r, c), g.add(r, c)), sum;
    for (double coefficient : llvm::reverse(coefficients)) {
      Value next = g.constantLike(coefficient, r);
      sum = sum ? g.add(g.mul(sum, t), next) : next;
    }
    return sum;
  };
  Value isSmall = g.less(r, g.constantLike(8, r));
  return g.neg(g.mul(r, g.select(isSmall, polynomial(ofSmall, 5), polynomial(ofLarge, 15))));
}

// n! / c^n / n for a power c of 2, near which it is 1, and that.
static std::pair<double, double> scaledFactorial(int64_t n) {
  const double c = std::exp2(std::round(std::lgamma(double(n)) / double(n) / std::numbers::ln2));
  double scaled = 1;
  for (int64_t i = 1; i < n; ++i)
    scaled *= double(i) / c;
  return {scaled / c, c};
}

// The sum of (n - 1)! n / (x + k)^(n + 1) over k = 0, 1, ... for a large x, where the powers may
// leave the range: a few terms, and the formula of Euler and Maclaurin for all others.
static Value largePolygamma(Call &call, int64_t n, Value x) {
  static constexpr double bernoulli[] = {1.0 / 6,       -1.0 / 30,      1.0 / 42, -1.0 / 30,
                                         5.0 / 66,      -691.0 / 2730,  7.0 / 6,  -3617.0 / 510,
                                         43867.0 / 798, -174611.0 / 330};
  ir::GraphMath &g = call.g;
  auto [factor, c] = scaledFactorial(n);
  // Of smaller n the numbers are so large that the first power is all.
  const int terms = n > 100 ? 10 : 0;
  Value w = terms ? g.add(x, g.constantLike(terms, x)) : x, inverse = g.div(g.oneLike(w), w);
  Value square = g.mul(inverse, inverse), rest;
  std::vector<double> coefficients;
  double coefficient = 1;
  for (size_t j = 1; j <= std::size(bernoulli); ++j) {
    const double m = 2 * double(j);
    // n (n + 1) ... (n + m - 1) / m!
    coefficient *= (double(n) + m - 2) * (double(n) + m - 1) / ((m - 1) * m);
    coefficients.push_back(coefficient * bernoulli[j - 1]);
  }
  for (double next : llvm::reverse(coefficients)) {
    Value number = g.constantLike(next, w);
    rest = rest ? g.add(g.mul(rest, square), number) : number;
  }
  rest = g.add(g.mul(rest, square), g.scale(inverse, 0.5 * double(n)));
  auto power = [&](Value base, int64_t exponent) {
    return g.pow(g.scale(base, 1 / c), g.constantLike(double(-exponent), base));
  };
  Value sum = g.scale(g.mul(power(w, n), g.add(rest, g.oneLike(w))), factor);
  for (int k = terms - 1; k >= 0; --k)
    sum = g.add(sum, g.scale(power(g.add(x, g.constantLike(k, x)), n + 1), factor / c * double(n)));
  return sum;
}

// For n from 1 to 170, by n! zeta(n + 1, x).
static Value derivativeOfDigamma(Call &call, int64_t n, Value x) {
  ir::GraphMath &g = call.g;
  const double exponent = double(n + 1), infinity = std::numeric_limits<double>::infinity();
  double factorial = 1;
  for (int64_t i = 2; i <= n; ++i)
    factorial *= double(i);
  auto byZeta = [&](Value at) {
    return g.scale(g.zeta(g.constantLike(exponent, at), at), factorial);
  };
  Value size;
  if (n < 3) {
    size = byZeta(x);
  } else {
    // Beyond which powers would leave the range.
    Value limit = g.constantLike(std::exp2(1000 / exponent), x), isLarge = g.greater(x, limit);
    size = g.select(isLarge, largePolygamma(call, n, g.select(isLarge, x, limit)),
                    byZeta(g.select(isLarge, g.oneLike(x), x)));
  }
  Value result = n % 2 ? size : g.neg(size), nan = g.constantLike(std::nan(""), x);
  if (n % 2 == 0) {
    // Poles whose sides differ.
    Value isPole = g.and_(g.less(x, g.zeroLike(x)), g.equal(g.floor(x), x));
    result = g.select(isPole, nan, result);
    result =
        g.select(g.and_(isZero(call, x), isNegative(call, x)), g.constantLike(infinity, x), result);
  }
  return g.select(g.equal(x, g.constantLike(-infinity, x)), nan, result);
}

Value frontend::hypotOf(Call &call, Value x, Value y) {
  ir::GraphMath &g = call.g;
  Value a = g.abs(x), b = g.abs(y);
  // At a tie one is x and the other y, for the sake of the gradient.
  Value high = g.maximum(a, b), low = g.minimum(b, a);
  Value isPlain = g.and_(g.isFinite(high), g.notEqual(high, g.zeroLike(high)));
  Value quotient = g.div(low, g.select(isPlain, high, g.oneLike(high)));
  Value length = g.mul(high, g.sqrt(g.add(g.mul(quotient, quotient), g.oneLike(high))));
  return g.select(isPlain, length, high);
}

Value frontend::angleOf(Call &call, Value y, Value x) { return Angle(call, y, x).build(); }

namespace keratin::backend {

Tensor hypot(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("hypot", location);
  auto [x, y] = binaryFloats(call, first, second);
  return call.tensor(hypotOf(call, x, y));
}

Tensor atan2(const Operand &y, const Operand &x, SourceLocation location) {
  Call call("atan2", location);
  auto [rise, run] = binaryFloats(call, y, x);
  return call.tensor(angleOf(call, rise, run));
}

Tensor sinc(const Operand &operand, SourceLocation location) {
  Call call("sinc", location);
  ir::GraphMath &g = call.g;
  Value t = g.scale(call.floating(operand), std::numbers::pi);
  Value one = g.oneLike(t), isSmall = g.less(g.abs(t), one);
  Value near = g.select(isSmall, t, one), far = g.select(isSmall, one, t);
  return call.tensor(g.select(isSmall, sineSeries(call, near), g.div(g.sin(far), far)));
}

Tensor xlogy(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("xlogy", location);
  ir::GraphMath &g = call.g;
  auto [x, y] = binaryFloats(call, first, second);
  // Where x is 0 an infinite or undefined logarithm counts as 0.
  Value hasLogarithm = g.and_(g.greater(y, g.zeroLike(y)), g.isFinite(y));
  Value isLeftOut = g.and_(isZero(call, x), g.and_(g.not_(hasLogarithm), g.equal(y, y)));
  return call.tensor(g.mul(x, g.log(oneWhere(call, isLeftOut, y))));
}

Tensor zeta(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("zeta", location);
  auto [x, q] = binaryFloats(call, first, second);
  return call.tensor(call.g.zeta(x, q));
}

Tensor igamma(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("igamma", location);
  auto [a, x] = binaryFloats(call, first, second);
  return call.tensor(call.g.igamma(a, x));
}

Tensor igammac(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("igammac", location);
  auto [a, x] = binaryFloats(call, first, second);
  return call.tensor(call.g.igammac(a, x));
}

Tensor betainc(const Operand &first, const Operand &second, const Operand &third,
               SourceLocation location) {
  Call call("betainc", location);
  std::vector<Value> values = floatsOfOneShape(call, {first, second, third});
  return call.tensor(call.g.betainc(values[0], values[1], values[2]));
}

Tensor polygamma(int64_t n, const Operand &operand, SourceLocation location) {
  Call call("polygamma", location);
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  constexpr int64_t most = 170;
  if (n < 0 || n > most)
    call.valueError("n is " + std::to_string(n) + "; needed 0 to " + std::to_string(most));
  if (n == 0)
    return call.tensor(call.g.digamma(x));
  // n! times a number that float32 may not hold.
  x = n < 3 ? widened(call, x) : call.cast(x, DType::Float64);
  return call.tensor(call.cast(derivativeOfDigamma(call, n, x), dtype));
}

Tensor ndtr(const Operand &operand, SourceLocation location) {
  Call call("ndtr", location);
  return call.tensor(upperTail(call, call.g.neg(call.floating(operand))));
}

Tensor log_ndtr(const Operand &operand, SourceLocation location) {
  Call call("log_ndtr", location);
  ir::GraphMath &g = call.g;
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  // Where the function is still a normal number, and the series has its digits in few terms.
  const bool isDouble = dtype == DType::Float64;
  Value one = g.oneLike(x), limit = g.constantLike(isDouble ? -20 : -10, x);
  Value isTail = g.less(x, limit), isNegative = g.less(x, g.zeroLike(x));
  Value near = g.select(isTail, one, x);
  // That of the other side, too: 1 minus it where x is positive.
  Value tail = upperTail(call, g.select(isNegative, g.neg(near), near));
  Value value = g.select(isNegative, g.log(g.select(isNegative, tail, one)),
                         g.log1p(g.neg(g.select(isNegative, g.zeroLike(x), tail))));
  Value far = logOfLowerTail(call, g.select(isTail, x, limit), isDouble ? 9 : 5);
  return call.tensor(call.cast(g.select(isTail, far, value), dtype));
}

Tensor ndtri(const Operand &operand, SourceLocation location) {
  Call call("ndtri", location);
  ir::GraphMath &g = call.g;
  Value p = call.floating(operand);
  DType dtype = call.dtypeOf(p);
  p = widened(call, p);
  Value half = g.constantLike(0.5, p), tail = g.constantLike(0.025, p);
  // The smaller of what lies on both sides; what is not between 0 and 1 has a negative one.
  Value isUpper = g.greater(p, half), rest = g.select(isUpper, g.sub(g.oneLike(p), p), p);
  Value isCentral = g.greaterEqual(rest, tail), isEnd = isZero(call, rest);
  Value central = g.select(isCentral, g.sub(g.scale(p, 2), g.oneLike(p)), g.zeroLike(p));
  central = g.scale(g.erfinv(central), std::numbers::sqrt2);
  Value lower = lowerQuantile(call, g.select(g.or_(isCentral, isEnd), tail, rest));
  Value infinity = g.constantLike(std::numeric_limits<double>::infinity(), p);
  lower = g.select(isEnd, g.neg(infinity), lower);
  Value outer = g.select(isUpper, g.neg(lower), lower);
  return call.tensor(call.cast(g.select(isCentral, central, outer), dtype));
}

} // namespace keratin::backend

// The incomplete beta function, by a continued fraction of it or of 1 minus it (Didonato, Morris:
// Algorithm 708; ACM TOMS 1992), and how a number of the beta distribution changes with its first
// parameter, by the derivative of the fraction. f32 computes in f64, with fewer steps.
#include "codegen/elements/VectorDerivative.h"
#include "codegen/elements/VectorLoop.h"
#include "codegen/elements/VectorMathKernels.h"

#include <limits>
#include <numbers>

namespace keratin::codegen::kernels {

// Of numbers beyond the fraction has too many steps.
static constexpr double nearlyOne = 0.999999;
static constexpr double mostSteps = 100000;

// x q - y p, which is 0 at the mean.
static VectorExpr productsDifference(const VectorExpr &x, const VectorExpr &q, const VectorExpr &y,
                                     const VectorExpr &p) {
  Pair first = twoProduct(x, q), second = twoProduct(y, p);
  return (first.high - second.high) + (first.low - second.low);
}

namespace {

// The number and the parameters, in the order in which the fraction takes few steps.
struct BetaPoint {
  BetaPoint(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x, bool isSingle)
      : isSingle(isSingle),
        // Of a small b the function would be lost in 1 minus a number near 1.
        isSwapped((x > a / (a + b)) & !((b < 1.0 - x) & (x < nearlyOne))),
        p(select(isSwapped, b, a)), q(select(isSwapped, a, b)), x(select(isSwapped, 1.0 - x, x)),
        y(select(isSwapped, x, 1.0 - x)), n(a + b),
        difference(productsDifference(this->x, q, this->y, p)),
        ofX(this->x * (n / p), difference / p), ofY(this->y * (n / q), -difference / q) {}

  double precision() const { return isSingle ? 0x1p-32 : 0x1p-54; }
  // x^p y^q / beta(p, q)
  VectorExpr power() const {
    VectorExpr small =
        exp(ofX.minusDifference(p, difference) + ofY.minusDifference(q, -difference));
    VectorExpr scale = squareRoot(p * (q / n) * (0.5 / std::numbers::pi));
    return scale * small * (scaledGamma(n) / scaledGamma(p) / scaledGamma(q));
  }

  bool isSingle;
  VectorExpr isSwapped, p, q, x, y, n;
  VectorExpr difference;
  LogOfRatio ofX, ofY;
};

} // namespace

namespace {

// The incomplete function is power / p times (p + 1) / (lambda + 1) times the sum of the
// convergents' differences of the fraction 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))), each the one
// before times a factor. `T` is a number, or one with its derivative.
template <typename T> struct FractionStep {
  T p, q, n, lambda; // n = p + q, lambda = p - n x
  VectorExpr x;
  T first() const { return (lambda + 1.0) / (p + 1.0); }

  // From step m - 1 on; of the first, p has gone out of a1 and b0. `rest` is 1 + the factor, which
  // may be near -1.
  void take(const VectorExpr &m, T left, T &rest, T &below, T &term, T &sum) const {
    T place = p + (m * 2.0 - 1.0), inverse = (q - m) * (m * x) / place;
    T above = left * (n + (m - 1.0)) * inverse * x / place;
    T next = inverse + m + (p + m) * (lambda + fma(m, 2.0 - x, 1.0)) / (place + 2.0);
    T part = above * rest, product = below * next, whole = product + part;
    rest = product / whole;
    below = next;
    term = term * (-part / whole);
    sum = sum + term;
  }
};

} // namespace

static VectorExpr fractionOf(const BetaPoint &of, const VectorExpr &isWanted) {
  VectorExpr one = of.p.constant(1), zero = of.p.constant(0);
  FractionStep<VectorExpr> step{of.p, of.q, of.n, -of.difference, of.x};
  VectorExpr first = step.first();
  return repeatWhile(
             {one, first, one, one, zero},
             [&](llvm::ArrayRef<VectorExpr> s) {
               return isWanted & (abs(s[2]) > abs(s[3]) * of.precision()) & (s[4] < mostSteps);
             },
             [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
               LoopState next(s.begin(), s.end());
               VectorExpr left = select(equal(s[4], 0.0), 1.0, of.p + s[4]);
               next[4] = s[4] + 1.0;
               step.take(next[4], left, next[0], next[1], next[2], next[3]);
               return next;
             })[3] /
         first;
}

static VectorExpr incompleteBeta(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x,
                                 bool isSingle) {
  VectorExpr isRegular =
      (a > 0.0) & (b > 0.0) & (a < infinity) & (b < infinity) & (x > 0.0) & (x < 1.0);
  BetaPoint of(select(isRegular, a, 1.0), select(isRegular, b, 1.0), select(isRegular, x, 0.5),
               isSingle);
  VectorExpr part = of.power() * fractionOf(of, isRegular) / of.p;
  VectorExpr result = select(of.isSwapped, 1.0 - part, part);
  // All at 0, or all at 1, where a parameter is 0 or infinite.
  VectorExpr isAtZero = equal(a, 0.0) | equal(b, infinity);
  VectorExpr isAtOne = equal(b, 0.0) | equal(a, infinity);
  VectorExpr zero = x.constant(0);
  VectorExpr edge = select(isAtZero, select(x > 0.0, 1.0, zero),
                           select(isAtOne, select(x < 1.0, 0.0, zero + 1.0), x));
  result = select(isRegular, result, edge);
  VectorExpr isDefined = (a >= 0.0) & (b >= 0.0) & (x >= 0.0) & (x <= 1.0) & !(isAtZero & isAtOne);
  return select(isDefined, result, notANumber);
}

VectorExpr betainc(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x) {
  if (x.width() == 64)
    return incompleteBeta(a, b, x, /*isSingle=*/false);
  return incompleteBeta(a.toFloat(64), b.toFloat(64), x.toFloat(64), /*isSingle=*/true).toFloat(32);
}

//===-- How a number changes with the first parameter -----------------------------------------===//

static Derived derivedFractionOf(const BetaPoint &of, const VectorExpr &isWanted) {
  VectorExpr one = of.p.constant(1), zero = of.p.constant(0);
  // By the parameter that was given first.
  VectorExpr byP = select(of.isSwapped, 0.0, one), byQ = select(of.isSwapped, one, zero);
  VectorExpr byLambda = select(of.isSwapped, -of.x, of.y);
  FractionStep<Derived> step{
      {of.p, byP}, {of.q, byQ}, {of.n, one}, {-of.difference, byLambda}, of.x};
  Derived first = step.first();
  LoopState state = repeatWhile(
      {one, zero, first.value, first.slope, one, zero, one, zero, zero},
      [&](llvm::ArrayRef<VectorExpr> s) {
        return isWanted & (s[8] < mostSteps) &
               ((abs(s[4]) > abs(s[6]) * of.precision()) |
                (abs(s[5]) > abs(s[7]) * of.precision()));
      },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
        Derived rest{s[0], s[1]}, below{s[2], s[3]}, term{s[4], s[5]}, sum{s[6], s[7]};
        VectorExpr isFirst = equal(s[8], 0.0), m = s[8] + 1.0;
        Derived left{select(isFirst, 1.0, of.p + s[8]), select(isFirst, 0.0, byP)};
        step.take(m, left, rest, below, term, sum);
        return {rest.value, rest.slope, below.value, below.slope, term.value, term.slope, sum.value,
                sum.slope,  m};
      });
  return Derived{state[6], state[7]} / first;
}

static VectorExpr sampleGradient(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x,
                                 bool isSingle) {
  VectorExpr isRegular =
      (a > 0.0) & (b > 0.0) & (a < infinity) & (b < infinity) & (x > 0.0) & (x < 1.0);
  VectorExpr first = select(isRegular, a, 1.0);
  BetaPoint of(first, select(isRegular, b, 1.0), select(isRegular, x, 0.5), isSingle);
  Derived fraction = derivedFractionOf(of, isRegular);
  // log(x) - digamma(a + 1) + digamma(a + b), of the number and the parameter that were given.
  VectorExpr inverse = 1.0 / first;
  VectorExpr logarithm = select(of.isSwapped, of.ofY.value, of.ofX.value) +
                         (logMinusDigammaOfNext(first) - logMinusDigammaOfNext(of.n));
  logarithm = logarithm - 1.0 / of.n;
  VectorExpr slope =
      fma(select(of.isSwapped, logarithm + inverse, logarithm), fraction.value, fraction.slope);
  VectorExpr result = of.x * of.y / of.p * select(of.isSwapped, slope, -slope);
  VectorExpr isEnd =
      (equal(x, 0.0) | equal(x, 1.0)) & (a > 0.0) & (b > 0.0) & (a < infinity) & (b < infinity);
  return select(isRegular, result, select(isEnd, 0.0, x.constant(notANumber)));
}

VectorExpr betaSampleGradient(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x) {
  if (x.width() == 64)
    return sampleGradient(a, b, x, /*isSingle=*/false);
  return sampleGradient(a.toFloat(64), b.toFloat(64), x.toFloat(64), /*isSingle=*/true).toFloat(32);
}

} // namespace keratin::codegen::kernels

// The incomplete beta function: where both parameters are large and the number is near the mean by
// a uniform expansion (of the kind of DLMF 8.18(ii)), elsewhere by a continued fraction of it or of
// 1 minus it (Didonato, Morris: Algorithm 708; ACM TOMS 1992). How a number of the beta
// distribution changes with its first parameter is the derivative of the same. f32 computes in f64,
// with fewer steps.
#include "codegen/elements/VectorDerivative.h"
#include "codegen/elements/VectorLoop.h"
#include "codegen/elements/VectorMathKernels.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace keratin::codegen::kernels {

// Of numbers beyond the fraction has too many steps.
static constexpr double nearlyOne = 0.999999;
static constexpr double mostSteps = 100000;

// Of parameters beyond, both, nothing but the mean counts, and their sum might leave the range.
static constexpr double huge = 0x1p900, fromHuge = 0x1p-100;
// The expansion's: parameters from here on, and numbers up to here (`BetaPoint::distance`).
static constexpr double leastParameter = 200;
static constexpr double mostDistance = 0.3;

// x b - (1 - x) a, which is 0 at the mean; 1 - x as it is, not as it is rounded.
static VectorExpr fromMean(const VectorExpr &x, const VectorExpr &b, const VectorExpr &a) {
  VectorExpr y = 1.0 - x, rounding = (1.0 - y) - x;
  Pair first = twoProduct(x, b), second = twoProduct(y, a);
  return (first.high - second.high) + ((first.low - second.low) - rounding * a);
}

namespace {

// The number and the parameters, in the order in which the fraction takes few steps.
struct BetaPoint {
  BetaPoint(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x, bool isSingle)
      : isSingle(isSingle),
        // Of a small b the function would be lost in 1 minus a number near 1; of a small a and x
        // the fraction of 1 - x has too many steps.
        isSwapped((x > a / (a + b)) & !((b < 1.0 - x) & (x < nearlyOne)) & !(x * (a + b) < 0.5)),
        p(select(isSwapped, b, a)), q(select(isSwapped, a, b)), x(select(isSwapped, 1.0 - x, x)),
        y(select(isSwapped, x, 1.0 - x)), n(a + b), fromMeanOfFirst(fromMean(x, b, a)),
        difference(select(isSwapped, -fromMeanOfFirst, fromMeanOfFirst)),
        ofX(this->x * n / p, difference / p), ofY(this->y * n / q, -difference / q),
        logOfPower(ofX.minusDifference(p, difference) + ofY.minusDifference(q, -difference)),
        variance(p * (q / n)),
        distance(copySign(squareRoot(logOfPower * -2.0 / variance), fromMeanOfFirst)),
        isNearMean((p >= leastParameter) & (q >= leastParameter) & (abs(distance) < mostDistance)) {
  }

  double precision() const { return isSingle ? 0x1p-32 : 0x1p-54; }
  // x^p y^q / beta(p, q) / p. Roots are of each number by itself: products and quotients of the
  // smallest ones have few digits.
  VectorExpr powerByP() const {
    VectorExpr scale = squareRoot(p) * (squareRoot(q) / squareRoot(n));
    return scale * std::sqrt(0.5 / std::numbers::pi) * exp(logOfPower) *
           (scaledGamma(n) / scaledGamma(p) / scaledGamma(q)) / p;
  }

  bool isSingle;
  VectorExpr isSwapped, p, q, x, y, n;
  VectorExpr fromMeanOfFirst, difference;
  LogOfRatio ofX, ofY;
  VectorExpr logOfPower; // but for what does not depend on x
  VectorExpr variance;   // of the logarithm of the odds: p q / n
  // From the mean, in that logarithm: logOfPower is -variance distance^2 / 2. Of the first number.
  VectorExpr distance, isNearMean;
};

} // namespace

//===-- Near the mean -------------------------------------------------------------------------===//

// With u, the logarithm of the odds by those of the mean, as a function of the distance E, du / dE
// is a series in E whose coefficients are polynomials in t = (b - a) / (a + b): even or odd ones,
// in t^2. 1, and from E on:
static constexpr double betaNearMean1[] = {-0.3333333333333333};
static constexpr double betaNearMean2[] = {0.0625, 0.020833333333333332};
static constexpr double betaNearMean3[] = {-0.016666666666666666, 0.001851851851851852};
static constexpr double betaNearMean4[] = {0.0006510416666666666, 0.00043402777777777775,
                                           7.233796296296296e-05};
static constexpr double betaNearMean5[] = {0.00029761904761904765, 6.613756613756614e-05,
                                           -1.1022927689594357e-05};
static constexpr double betaNearMean6[] = {-4.0690104166666664e-05, -0.00014485677083333334,
                                           9.584780092592592e-06, -2.793049125514403e-06};
static constexpr double betaNearMean7[] = {2.48015873015873e-05, 1.3778659611992945e-05,
                                           9.185773074661964e-07, -3.0619243582206544e-07};
static constexpr double betaNearMean8[] = {-3.814697265625e-07, -1.4386858258928572e-06,
                                           -3.5765309813161377e-07, 8.970481518224574e-10,
                                           -8.536908244843719e-09};
static constexpr double betaNearMean9[] = {-7.045905483405483e-07, -1.1523969857303192e-06,
                                           1.878908128908129e-08, -1.9484973188676894e-08,
                                           3.621215255303047e-09};
static constexpr double betaNearMean10[] = {5.0332811143663194e-08, 5.235441327545558e-07,
                                            2.513280631293075e-07,  7.786075382053435e-09,
                                            -4.130174031161265e-09, 8.102257168899499e-10};
static constexpr double betaNearMean11[] = {-4.390141108891109e-08,  -1.1060264966514967e-07,
                                            -2.276369463869464e-08,  9.662191375154339e-10,
                                            -4.4425064786861767e-10, 8.625953484778358e-11};
static constexpr double betaNearMean12[] = {
    3.1142638473914415e-10, 3.2309911459620887e-09, 2.66502780322051e-09,  5.004867106067082e-10,
    1.971723042717398e-12,  -3.687883726164389e-12, 1.6376595564945064e-12};
static constexpr double betaNearMean13[] = {
    1.422730914918415e-09,   6.163661762620096e-09, 2.6341850343586454e-09, 5.866011845950118e-11,
    -2.4916713463381272e-11, 8.74132967420957e-12,  -1.252662327177772e-12};
static constexpr double betaNearMean14[] = {-6.775494921144354e-11,  -1.4388154594867647e-09,
                                            -2.3935422644096814e-09, -4.877134187491852e-10,
                                            9.820943841360288e-12,   -5.646117773784992e-12,
                                            1.882705589225835e-12,   -2.674582530794283e-13};
static constexpr llvm::ArrayRef<double> nearMean[] = {
    betaNearMean1,  betaNearMean2,  betaNearMean3,  betaNearMean4, betaNearMean5,
    betaNearMean6,  betaNearMean7,  betaNearMean8,  betaNearMean9, betaNearMean10,
    betaNearMean11, betaNearMean12, betaNearMean13, betaNearMean14};

static VectorExpr numberLike(const VectorExpr &x, double number) { return x.constant(number); }
static Derived numberLike(const Derived &x, double number) {
  return {x.value.constant(number), x.value.constant(0)};
}

// The integral of the series but for its first term, times E's normal density, up to E: minus that
// density by the variance, times this sum of c(m) = E^(m - 1) + (m - 1) / variance c(m - 2). `T` is
// a number, or one with its derivative.
template <typename T>
static T sumNearMean(const T &distance, const T &skewness, const T &byVariance) {
  T square = skewness * skewness;
  auto coefficient = [&](size_t m) {
    llvm::ArrayRef<double> of = nearMean[m - 1];
    T result = numberLike(square, of.back());
    for (double next : llvm::reverse(of.drop_back()))
      result = result * square + next;
    return m % 2 ? result * skewness : result;
  };
  // Integrals of E^(m - 1) and of E^(m - 2).
  T power = distance, before = numberLike(distance, 1), last = distance;
  T sum = coefficient(1) + coefficient(2) * last;
  for (size_t m = 3; m <= std::size(nearMean); ++m) {
    power = power * distance;
    T next = power + byVariance * before * double(m - 1);
    before = last;
    last = next;
    sum = sum + coefficient(m) * next;
  }
  return sum;
}

// What is computed if a lane needs it.
static VectorExpr ifNearMean(const BetaPoint &of, llvm::function_ref<VectorExpr()> computed) {
  VectorExpr zero = of.p.constant(0);
  return repeatWhile(
      {zero, zero}, [&](llvm::ArrayRef<VectorExpr> s) { return of.isNearMean & equal(s[1], 0.0); },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState { return {computed(), s[1] + 1.0}; })[0];
}

// scaledGamma(n) / (scaledGamma(a) scaledGamma(b)), of what is near the mean.
static VectorExpr scaledGammas(const BetaPoint &of) {
  return scaledGamma(of.n) / (scaledGamma(of.p) * scaledGamma(of.q));
}

// (b - a) / (a + b) of the parameters as they were given.
static VectorExpr skewnessOf(const BetaPoint &of) {
  VectorExpr of1 = (of.q - of.p) / of.n;
  return select(of.isSwapped, -of1, of1);
}

static VectorExpr partNearMean(const BetaPoint &of) {
  VectorExpr distance = select(of.isNearMean, of.distance, 0.0);
  VectorExpr variance = select(of.isNearMean, of.variance, 1.0);
  VectorExpr sum = sumNearMean(distance, skewnessOf(of), 1.0 / variance);
  VectorExpr half = erfc(distance * squareRoot(variance * 0.5) * -1.0) * 0.5;
  VectorExpr density = exp(of.logOfPower) * squareRoot(0.5 / std::numbers::pi / variance);
  return half - density * scaledGammas(of) * sum;
}

//===-- Elsewhere -----------------------------------------------------------------------------===//

namespace {

// The incomplete function is power / p times (p + 1) / (lambda + 1) times the sum of the
// convergents' differences of the fraction 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))), each the one
// before times a factor. `T` is a number, or one with its derivative. Products are in an order in
// which none leaves the range.
template <typename T> struct FractionStep {
  T p, q, n, lambda; // n = p + q, lambda = p - n x
  VectorExpr x;
  T first() const { return (lambda + 1.0) / (p + 1.0); }

  // From step m - 1 on; of the first, p has gone out of a1 and b0. `rest` is 1 + the factor, which
  // may be near -1.
  void take(const VectorExpr &m, T left, T &rest, T &below, T &term, T &sum) const {
    T place = p + (m * 2.0 - 1.0), inverse = (q - m) * (m * x) / place;
    T above = (n + (m - 1.0)) * x * inverse * (left / place);
    T next = inverse + m + (p + m) / (place + 2.0) * (lambda + fma(m, 2.0 - x, 1.0));
    T part = above * rest, product = below * next, whole = product + part;
    rest = product / whole;
    below = next;
    term = term * (-part / whole);
    sum = sum + term;
  }
};

} // namespace

// Of a larger lambda nothing is behind the first term, whose square would leave the range.
static VectorExpr hasFraction(const BetaPoint &of, const VectorExpr &isWanted) {
  return isWanted & !of.isNearMean & (of.difference > -1e150);
}

static VectorExpr fractionOf(const BetaPoint &of, const VectorExpr &isWanted) {
  VectorExpr one = of.p.constant(1), zero = of.p.constant(0);
  FractionStep<VectorExpr> step{of.p, of.q, of.n, -of.difference, of.x};
  VectorExpr first = step.first(), goesOn = hasFraction(of, isWanted);
  return repeatWhile(
             {one, first, one, one, zero},
             [&](llvm::ArrayRef<VectorExpr> s) {
               return goesOn & (abs(s[2]) > abs(s[3]) * of.precision()) & (s[4] < mostSteps);
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

static VectorExpr isRegularPoint(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x) {
  return (a > 0.0) & (b > 0.0) & (a < infinity) & (b < infinity) & (x > 0.0) & (x < 1.0);
}

// What parameters are multiplied by.
static VectorExpr scaleOf(const VectorExpr &a, const VectorExpr &b) {
  return select((a > huge) & (b > huge), fromHuge, a.constant(1));
}

static VectorExpr incompleteBeta(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x,
                                 bool isSingle) {
  VectorExpr isRegular = isRegularPoint(a, b, x), scale = scaleOf(a, b);
  BetaPoint of(select(isRegular, a * scale, 1.0), select(isRegular, b * scale, 1.0),
               select(isRegular, x, 0.5), isSingle);
  VectorExpr part = of.powerByP() * fractionOf(of, isRegular);
  VectorExpr near = ifNearMean(of, [&] { return partNearMean(of); });
  VectorExpr result = select(of.isNearMean, near, select(of.isSwapped, 1.0 - part, part));
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
  VectorExpr goesOn = hasFraction(of, isWanted);
  LoopState state = repeatWhile(
      {one, zero, first.value, first.slope, one, zero, one, zero, zero},
      [&](llvm::ArrayRef<VectorExpr> s) {
        return goesOn & (s[8] < mostSteps) &
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

// The derivative of stirlingRest, of large numbers.
static VectorExpr stirlingRestSlope(const VectorExpr &z) {
  static constexpr double coefficients[] = {-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240};
  VectorExpr inverse = 1.0 / z, square = inverse * inverse;
  return square * polynomial(square, coefficients);
}

// With the variance V, the distance E, the normal density f of E sqrt(V), the sum S and the
// quotient G of scaled gamma functions the incomplete function is erfc(-E sqrt(V / 2)) / 2 -
// G f S / sqrt(V), and the density G sqrt(V) f / (x (1 - x)). V E^2 / 2 changes with a by -log(x /
// mean), so f has gone out.
static VectorExpr sampleGradientNearMean(const BetaPoint &of, const VectorExpr &logarithm) {
  VectorExpr isMean = equal(of.fromMeanOfFirst, 0.0);
  VectorExpr b = select(of.isSwapped, of.p, of.q), a = select(of.isSwapped, of.q, of.p);
  VectorExpr distance = select(of.isNearMean, of.distance, 0.0);
  VectorExpr inverse = 1.0 / select(of.isNearMean, of.variance, 1.0), share = b / of.n;
  // log(x / mean) / E, which is `share` at the mean.
  VectorExpr quotient = select(isMean, share, logarithm / select(isMean, 1.0, distance));
  VectorExpr ofVariance = share * share * inverse; // its derivative, by it
  Derived sum = sumNearMean<Derived>(
      {distance, -(quotient * inverse + distance * ofVariance * 0.5)},
      {skewnessOf(of), share / of.n * -2.0}, {inverse, -(ofVariance * inverse)});
  VectorExpr ofGammas = stirlingRestSlope(of.n) - stirlingRestSlope(a);
  VectorExpr rest = sum.value * (logarithm + ofGammas - ofVariance * 0.5) + sum.slope;
  return of.x * of.y * inverse * (quotient / scaledGammas(of) + rest);
}

static VectorExpr sampleGradient(const VectorExpr &a, const VectorExpr &b, const VectorExpr &x,
                                 bool isSingle) {
  VectorExpr isRegular = isRegularPoint(a, b, x), scale = scaleOf(a, b);
  VectorExpr first = select(isRegular, a * scale, 1.0);
  BetaPoint of(first, select(isRegular, b * scale, 1.0), select(isRegular, x, 0.5), isSingle);
  Derived fraction = derivedFractionOf(of, isRegular);
  // log(x) - digamma(a + 1) + digamma(a + b), of the number and the parameter that were given: of
  // large ones log(x n / a) and what digamma has beside the logarithm.
  VectorExpr one = x.constant(1), isSmall = first < 10.0;
  VectorExpr given = select(of.isSwapped, of.y, of.x);
  VectorExpr ofRatio = select(of.isSwapped, of.ofY.value, of.ofX.value);
  VectorExpr logOfRatio =
      select(isSmall, log(given) + log(select(of.n < 10.0, 1.0, of.n)), ofRatio);
  VectorExpr zero = x.constant(0);
  VectorExpr logarithm = logOfRatio + (logMinusDigammaOfNext(first, one, zero) -
                                       logMinusDigammaOfNext(of.n, one, zero));
  logarithm = logarithm - 1.0 / of.n;
  // x (1 - x) slope / p, of which no part leaves the range.
  VectorExpr large = atLeast(of.p, 1.0), least = x.constant(0x1p-600);
  VectorExpr slope = fma(select(of.isSwapped, logarithm + 1.0 / first, logarithm),
                         fraction.value / large, fraction.slope / large);
  VectorExpr isTiny = (of.p < least) & ((of.x < least) | (of.y < least));
  VectorExpr up = select(isTiny, 0x1p300, one), down = select(isTiny, 0x1p-300, one);
  VectorExpr result =
      of.x * up * of.y / atMost(of.p, 1.0) * down * select(of.isSwapped, slope, -slope);
  VectorExpr near = ifNearMean(of, [&] { return sampleGradientNearMean(of, ofRatio); });
  result = select(of.isNearMean, near, result) * scale;
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

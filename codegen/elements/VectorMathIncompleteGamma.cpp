// The incomplete gamma function and how a number of the gamma distribution changes with its shape:
// a power series below the mean, a continued fraction above, and where the shape is large and the
// number near the mean the uniform expansion of Temme (DLMF 8.12). f32 computes in f64, with fewer
// steps.
//
// The derivatives by the shape are those of series, fraction and expansion, term by term (Figurnov,
// Mohamed, Mnih: Implicit reparameterization gradients; NeurIPS 2018). What all have in common with
// the density goes out of the quotient, so that nothing underflows.
#include "codegen/elements/VectorDerivative.h"
#include "codegen/elements/VectorLoop.h"
#include "codegen/elements/VectorMathKernels.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace keratin::codegen::kernels {

//===-- What stands before series and fractions -----------------------------------------------===//

VectorExpr LogOfRatio::minusDifference(const VectorExpr &scale,
                                       const VectorExpr &difference) const {
  return select(isNear, scale * rest, fma(scale, logarithm, -difference));
}

LogOfRatio::LogOfRatio(const VectorExpr &ratio, const VectorExpr &m)
    : isNear(abs(m) < 0.5), rest(m), logarithm(m), value(m) {
  VectorExpr near = select(isNear, m, 0.0);
  // 2 atanh(t) - m, and 2 t - m = -m t.
  static constexpr double odd[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                   2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25,
                                   2.0 / 27, 2.0 / 29, 2.0 / 31, 2.0 / 33};
  VectorExpr t = near / (near + 2.0), square = t * t;
  rest = fma(t * square, polynomial(square, odd), -(near * t));
  // Of ratios that leave the range nothing remains, or they are of powers that are 1.
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr double most = std::numeric_limits<double>::max();
  logarithm = log(atMost(atLeast(ratio, least), most));
  value = select(isNear, near + rest, logarithm);
}

// Of z >= 10: log gamma(z) - (z - 1/2) log(z) + z - log(2 pi) / 2.
static VectorExpr stirlingRest(const VectorExpr &z) {
  static constexpr double coefficients[] = {1.0 / 12,    -1.0 / 360,      1.0 / 1260,
                                            -1.0 / 1680, 1.0 / 1188,      -691.0 / 360360,
                                            1.0 / 156,   -3617.0 / 122400};
  VectorExpr inverse = 1.0 / z;
  return inverse * polynomial(inverse * inverse, coefficients);
}

VectorExpr scaledGamma(const VectorExpr &z) {
  // Of smaller ones from gamma(z + 10).
  VectorExpr isSmall = z < 10.0;
  VectorExpr far = select(isSmall, z + 10.0, z);
  VectorExpr result = exp(stirlingRest(far));
  VectorExpr small = select(isSmall, z, 1.0);
  VectorExpr w = small + 10.0, product = small + 1.0, power = w * w;
  for (int k = 2; k < 10; ++k)
    product = product * (small + double(k));
  power = power * power * w;
  VectorExpr quotient = w / atLeast(small, 1e-300);
  // The product of both under one root has few digits of the smallest numbers.
  VectorExpr scale =
      powOfMagnitude(quotient, small) *
      (power * power * std::exp(-10.0) / (product * squareRoot(small) * squareRoot(w)));
  return select(isSmall, result * scale, result);
}

VectorExpr logMinusDigammaOfNext(const VectorExpr &z, const VectorExpr &x,
                                 const VectorExpr &ofQuotient) {
  // Of 1 / z, without the half of it that comes first.
  static constexpr double coefficients[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                            1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  VectorExpr isSmall = z < 10.0;
  VectorExpr inverse = 1.0 / select(isSmall, 10.0, z), square = inverse * inverse;
  VectorExpr far = fma(square, polynomial(square, coefficients), inverse * -0.5);
  return select(isSmall, log(x) - digamma(select(isSmall, z, 1.0) + 1.0), ofQuotient + far);
}

VectorExpr logMinusDigammaOfNext(const VectorExpr &z) {
  return logMinusDigammaOfNext(z, z, z.constant(0));
}

//===-- Near the mean -------------------------------------------------------------------------===//

// Coefficients of the expansion in powers of 1 / a, each a series in eta: exact, for a >= 20 and
// |x - a| <= 0.3 a.
static constexpr double nearMean0[] = {
    -0.3333333333333333,     0.08333333333333333,     -0.014814814814814815,
    0.0011574074074074073,   0.0003527336860670194,   -0.0001787551440329218,
    3.919263178522438e-05,   -2.185448510679992e-06,  -1.85406221071516e-06,
    8.296711340953087e-07,   -1.7665952736826078e-07, 6.707853543401498e-09,
    1.0261809784240309e-08,  -4.382036018453353e-09,  9.14769958223679e-10,
    -2.5514193994946248e-11, -5.830772132550426e-11};
static constexpr double nearMean1[] = {
    -0.001851851851851852,   -0.003472222222222222,   0.0026455026455026454,
    -0.0009902263374485596,  0.00020576131687242798,  -4.018775720164609e-07,
    -1.8098550334489977e-05, 7.64916091608111e-06,    -1.6120900894563446e-06,
    4.647127802807434e-09,   1.378633446915721e-07,   -5.752545603517705e-08,
    1.1951628599778148e-08,  -1.7543241719747647e-11, -1.0091543710600413e-09,
    4.162792991842583e-10};
static constexpr double nearMean2[] = {
    0.004133597883597883,    -0.0026813271604938273, 0.0007716049382716049,
    2.0093878600823047e-06,  -0.0001073665322636516, 5.2923448829120125e-05,
    -1.2760635188618728e-05, 3.423578734096138e-08,  1.3721957309062934e-06,
    -6.298992138380055e-07,  1.4280614206064242e-07, -2.0477098421990866e-10,
    -1.409252991086752e-08,  6.228974084922022e-09};
static constexpr double nearMean3[] = {
    0.0006494341563786008,   0.00022947209362139917,  -0.0004691894943952557,
    0.00026772063206283885,  -7.561801671883977e-05,  -2.396505113867297e-07,
    1.1082654115347302e-05,  -5.6749528269915965e-06, 1.4230900732435883e-06,
    -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08,
    -1.9111168485973655e-08};
static constexpr double nearMean4[] = {
    -0.0008618882909167117,  0.0007840392217200666, -0.0002990724803031902,
    -1.4638452578843418e-06, 6.641498215465122e-05, -3.968365047179435e-05,
    1.1375726970678419e-05,  2.507497226237533e-10, -1.6954149536558305e-06,
    8.907507532205309e-07,   -2.292934834000805e-07};
static constexpr double nearMean5[] = {
    -0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392,
    -0.00019932570516188847, 6.797780477937208e-05,  1.419062920643967e-07,
    -1.3594048189768693e-05, 8.018470256334202e-06,  -2.291481176508095e-06,
    -3.252473551298454e-10,  3.4652846491085265e-07};
static constexpr double nearMean6[] = {0.0005313079364639922,   -0.0005921664373536939,
                                       0.0002708782096718045,   7.902353232660328e-07,
                                       -8.153969367561969e-05,  5.61168275310625e-05,
                                       -1.8329116582843375e-05, -3.0796134506033047e-09,
                                       3.465155368803609e-06,   -2.0291327396058603e-06};
static constexpr double nearMean7[] = {0.00034436760689237765,  5.171790908260592e-05,
                                       -0.00033493161081142234, 0.0002812695154763237,
                                       -0.00010976582244684731, -1.2741009095484485e-07,
                                       2.7744451511563645e-05,  -1.8263488805711332e-05};
static constexpr double nearMean8[] = {
    -0.0006526239185953094, 0.0008394987206720873,   -0.000438297098541721, -6.969091458420552e-07,
    0.00016644846642067547, -0.00012783517679769218, 4.629953263691304e-05};
static constexpr double nearMean9[] = {-0.0005967612901927463, -7.204895416020011e-05,
                                       0.0006782308837667328, -0.0006401475260262758,
                                       0.00027750107634328704};
static constexpr double nearMean10[] = {0.0013324454494800656, -0.0019144384985654776,
                                        0.0011089369134596636};
static constexpr double nearMean11[] = {0.001579727660730835};
static const llvm::ArrayRef<double> nearMean[] = {nearMean0, nearMean1, nearMean2,  nearMean3,
                                                  nearMean4, nearMean5, nearMean6,  nearMean7,
                                                  nearMean8, nearMean9, nearMean10, nearMean11};

namespace {

constexpr double leastShape = 20, mostDeviation = 0.3;

// The number and the shape, m = (x - a) / a, and what the ways of computing have in common.
struct GammaPoint {
  GammaPoint(const VectorExpr &a, const VectorExpr &x, bool isSingle)
      : a(a), x(x), isSingle(isSingle), difference(x - a), m(difference / a), quotient(x / a),
        ratio(quotient, m), isNearMean((a >= leastShape) & (abs(m) < mostDeviation)),
        isBelow(!isNearMean & ((x <= a) | (x < 1.1))), isAbove(!(isNearMean | isBelow)) {}

  double precision() const { return isSingle ? 0x1p-32 : 0x1p-54; }
  // The part of x^a e^-x / gamma(a) that may be small.
  VectorExpr smallPart() const { return exp(ratio.minusDifference(a, difference)); }

  VectorExpr a, x;
  bool isSingle;
  VectorExpr difference, m, quotient;
  LogOfRatio ratio;
  VectorExpr isNearMean, isBelow, isAbove;
};

// The expansion's sum S, with igammac = erfc(eta sqrt(a / 2)) / 2 + smallPart / sqrt(2 pi a) S.
struct NearMean {
  explicit NearMean(const GammaPoint &of)
      : inverse(1.0 / select(of.isNearMean, of.a, leastShape)),
        eta(copySign(squareRoot(select(of.isNearMean, of.ratio.rest, 0.0) * -2.0), of.m)),
        sum(eta.constant(0)) {
    for (llvm::ArrayRef<double> coefficients : llvm::reverse(nearMean))
      sum = fma(sum, inverse, polynomial(eta, coefficients));
  }
  VectorExpr inverse, eta, sum;
};

} // namespace

//===-- Below and above -----------------------------------------------------------------------===//

// igamma * a / power: 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...
static VectorExpr seriesBelow(const GammaPoint &of) {
  VectorExpr one = of.a.constant(1);
  return repeatWhile(
      {one, one, of.a},
      [&](llvm::ArrayRef<VectorExpr> s) { return of.isBelow & (s[0] > s[1] * of.precision()); },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
        VectorExpr next = s[2] + 1.0, term = s[0] * of.x / next;
        return {term, s[1] + term, next};
      })[1];
}

// igammac / power: 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))) with ak = k (a - k) and bk = x - a + 1 +
// 2 k (DLMF 8.9.2, contracted), as the sum of its convergents' differences, each the one before
// times a factor; 1 + that is kept beside it, as it may be small.
static VectorExpr fractionAbove(const GammaPoint &of) {
  VectorExpr one = of.a.constant(1), zero = of.a.constant(0);
  VectorExpr first = select(of.isAbove, of.difference + 1.0, one);
  return repeatWhile(
             {one, one, one, zero},
             [&](llvm::ArrayRef<VectorExpr> s) {
               return of.isAbove & (abs(s[1]) > abs(s[2]) * of.precision()) & (s[3] < 1000.0);
             },
             [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
               VectorExpr k = s[3] + 1.0, below = fma(s[3], 2.0, first);
               VectorExpr part = k * (of.a - k) * s[0], product = below * (below + 2.0);
               VectorExpr inverse = 1.0 / (product + part);
               VectorExpr term = s[1] * -(part * inverse);
               return {product * inverse, term, s[2] + term, k};
             })[2] /
         first;
}

// igammac of an x below 1.1 where igamma is above 1/2, so that a is below 1.1 too: 1 - x^a /
// gamma(a + 1), and what the alternating series has more.
static VectorExpr upperOfSmall(const GammaPoint &of, const VectorExpr &wanted) {
  VectorExpr a = select(wanted, of.a, 1.0), x = select(wanted, of.x, 1.0);
  VectorExpr logarithm = fma(a, log(x), -logGammaOfNext(a));
  VectorExpr one = a.constant(1), zero = a.constant(0);
  VectorExpr sum = repeatWhile(
      {one, zero, zero},
      [&](llvm::ArrayRef<VectorExpr> s) {
        return wanted & (abs(s[0]) > of.precision()) & (s[2] < 40.0);
      },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
        VectorExpr n = s[2] + 1.0, term = s[0] * -x / n;
        return {term, s[1] + term / (a + n), n};
      })[1];
  return -fma(a * exp(logarithm), sum, expm1(logarithm));
}

static VectorExpr incompleteGamma(const VectorExpr &shape, const VectorExpr &number, bool isUpper,
                                  bool isSingle) {
  // Beyond the largest numbers nothing is left above.
  VectorExpr isFar = (number > 1e5) & (number * 0.5 > shape);
  VectorExpr isRegular = (shape > 0.0) & (number > 0.0) & (shape < infinity) & !isFar;
  GammaPoint of(select(isRegular, shape, 1.0), select(isRegular, number, 1.0), isSingle);
  NearMean near(of);
  VectorExpr small = of.smallPart();
  // x^a e^-x / gamma(a) is small times c, and over a small over d, which keeps its digits where a
  // is next to 0.
  VectorExpr root = squareRoot(of.a), gamma = scaledGamma(of.a);
  constexpr double scale = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2; // 1 / sqrt(2 pi)
  VectorExpr lower = small * seriesBelow(of) * (scale / (root * gamma));
  VectorExpr upper = small * fractionAbove(of) * (root * scale / gamma);
  const double sign = isUpper ? 1 : -1;
  VectorExpr half = erfc(near.eta * squareRoot(of.a * 0.5) * sign) * 0.5;
  VectorExpr rest = small * squareRoot(near.inverse * (0.5 / std::numbers::pi)) * near.sum;
  VectorExpr result = isUpper ? half + rest : half - rest;
  if (isUpper) {
    VectorExpr isMost = of.isBelow & (lower > 0.5) & (of.x < 1.1) & (of.a < 1.1);
    VectorExpr below = select(isMost, upperOfSmall(of, isMost), 1.0 - lower);
    result = select(of.isAbove, upper, select(of.isBelow, below, result));
  } else {
    result = select(of.isAbove, 1.0 - upper, select(of.isBelow, lower, result));
  }
  const double none = isUpper ? 1 : 0, all = isUpper ? 0 : 1;
  VectorExpr isEmpty = equal(number, 0.0) | equal(shape, infinity);
  VectorExpr isWhole = equal(shape, 0.0) | isFar | equal(number, infinity);
  result = select(isWhole, all, select(isEmpty, none, result));
  VectorExpr isDefined = (shape >= 0.0) & (number >= 0.0) & !(isWhole & isEmpty);
  return select(isDefined, result, notANumber);
}

VectorExpr igamma(const VectorExpr &a, const VectorExpr &x) {
  if (x.width() == 64)
    return incompleteGamma(a, x, /*isUpper=*/false, /*isSingle=*/false);
  return incompleteGamma(a.toFloat(64), x.toFloat(64), false, /*isSingle=*/true).toFloat(32);
}

VectorExpr igammac(const VectorExpr &a, const VectorExpr &x) {
  if (x.width() == 64)
    return incompleteGamma(a, x, /*isUpper=*/true, /*isSingle=*/false);
  return incompleteGamma(a.toFloat(64), x.toFloat(64), true, /*isSingle=*/true).toFloat(32);
}

//===-- How a number changes with the shape ---------------------------------------------------===//

static Derived derivedSeriesBelow(const GammaPoint &of) {
  VectorExpr one = of.a.constant(1), zero = of.a.constant(0);
  LoopState state = repeatWhile(
      {one, zero, one, zero, of.a},
      [&](llvm::ArrayRef<VectorExpr> s) {
        return of.isBelow &
               ((s[0] > s[2] * of.precision()) | (abs(s[1]) > abs(s[3]) * of.precision()));
      },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
        VectorExpr next = s[4] + 1.0, inverse = 1.0 / next, factor = of.x * inverse;
        VectorExpr term = s[0] * factor, slope = fma(s[1], factor, -(term * inverse));
        return {term, slope, s[2] + term, s[3] + slope, next};
      });
  return {state[2], state[3]};
}

static Derived derivedFractionAbove(const GammaPoint &of) {
  VectorExpr one = of.a.constant(1), zero = of.a.constant(0);
  VectorExpr first = select(of.isAbove, of.difference + 1.0, one);
  // Of larger ones nothing is behind the first term, whose square would leave the range.
  VectorExpr isWanted = of.isAbove & (first < 1e150);
  LoopState state = repeatWhile(
      {one, zero, one, zero, one, zero, zero},
      [&](llvm::ArrayRef<VectorExpr> s) {
        return isWanted & (s[6] < 1000.0) &
               ((abs(s[2]) > abs(s[4]) * of.precision()) |
                (abs(s[3]) > abs(s[5]) * of.precision()));
      },
      [&](llvm::ArrayRef<VectorExpr> s) -> LoopState {
        VectorExpr k = s[6] + 1.0;
        Derived rest{s[0], s[1]}, term{s[2], s[3]}, sum{s[4], s[5]};
        Derived below{fma(s[6], 2.0, first), -one};
        Derived part = Derived{k * (of.a - k), k} * rest, product = below * (below + 2.0);
        Derived whole = product + part;
        rest = product / whole;
        term = term * (-part / whole);
        sum = sum + term;
        return {rest.value, rest.slope, term.value, term.slope, sum.value, sum.slope, k};
      });
  return Derived{state[4], state[5]} / Derived{first, -one};
}

// Near the mean, where the density's factor has gone out.
static VectorExpr sampleGradientNearMean(const GammaPoint &of) {
  NearMean near(of);
  VectorExpr byEta = near.eta.constant(0), byInverse = byEta;
  for (size_t k = std::size(nearMean); k-- > 0;) {
    llvm::SmallVector<double> derivative;
    for (size_t i = 1; i < nearMean[k].size(); ++i)
      derivative.push_back(double(i) * nearMean[k][i]);
    if (!derivative.empty())
      byEta = fma(byEta, near.inverse, polynomial(near.eta, derivative));
    else
      byEta = byEta * near.inverse;
    if (k > 0)
      byInverse = fma(byInverse, near.inverse, polynomial(near.eta, nearMean[k]) * double(k));
  }
  VectorExpr isMean = equal(near.eta, 0.0);
  VectorExpr quotient = select(isMean, 1.0, of.m / select(isMean, 1.0, near.eta));
  VectorExpr sum = fma(near.eta, 0.5, -quotient) - of.ratio.value * near.sum;
  sum = sum + near.inverse * (near.sum * 0.5 + byEta * quotient + byInverse * near.inverse);
  VectorExpr shape = select(of.isNearMean, of.a, leastShape);
  return -of.quotient * exp(stirlingRest(shape)) * sum;
}

static VectorExpr sampleGradient(const VectorExpr &shape, const VectorExpr &number, bool isSingle) {
  VectorExpr isRegular = (shape > 0.0) & (number > 0.0) & (shape < infinity) & (number < infinity);
  GammaPoint of(select(isRegular, shape, 1.0), select(isRegular, number, 1.0), isSingle);
  // log(x) - digamma(a + 1), without cancellation of large a.
  VectorExpr logarithm = logMinusDigammaOfNext(of.a, of.x, of.ratio.value);
  Derived below = derivedSeriesBelow(of), above = derivedFractionAbove(of);
  // x / a may leave the range where its product does not.
  VectorExpr isTiny = of.x < 0x1p-600, isSteep = of.a < 0x1p-900;
  VectorExpr up = select(isTiny, 0x1p540, select(isSteep, 0x1p-100, of.x.constant(1)));
  VectorExpr down = select(isTiny, 0x1p-540, select(isSteep, 0x1p100, of.x.constant(1)));
  VectorExpr ofBelow = -(of.x * up / of.a) * fma(logarithm, below.value, below.slope) * down;
  VectorExpr ofAbove = of.x * (fma(logarithm, above.value, above.slope) + above.value / of.a);
  VectorExpr result =
      select(of.isAbove, ofAbove, select(of.isBelow, ofBelow, sampleGradientNearMean(of)));
  VectorExpr isAtZero = equal(number, 0.0) & (shape > 0.0) & (shape < infinity);
  return select(isRegular, result, select(isAtZero, 0.0, shape.constant(notANumber)));
}

VectorExpr gammaSampleGradient(const VectorExpr &a, const VectorExpr &x) {
  if (x.width() == 64)
    return sampleGradient(a, x, /*isSingle=*/false);
  return sampleGradient(a.toFloat(64), x.toFloat(64), /*isSingle=*/true).toFloat(32);
}

} // namespace keratin::codegen::kernels

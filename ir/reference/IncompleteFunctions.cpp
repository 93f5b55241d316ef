// The incomplete gamma function, by a power series and a continued fraction that is evaluated with
// Lentz's products, and the incomplete beta function, by an integral.
#include "ir/reference/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace keratin::ir::reference {

static constexpr Long infinity = std::numeric_limits<Long>::infinity();
static constexpr Long notANumber = std::numeric_limits<Long>::quiet_NaN();
static constexpr Long epsilon = std::numeric_limits<Long>::epsilon();
static constexpr Long pi = std::numbers::pi_v<Long>;

namespace {
// A number and its derivative by a parameter.
struct Dual {
  Dual(Long value, Long slope = 0) : value(value), slope(slope) {}
  Long value, slope;
};
} // namespace

static Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
static Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
static Dual operator/(Dual a, Dual b) {
  const Long quotient = a.value / b.value;
  return {quotient, (a.slope - quotient * b.slope) / b.value};
}

//===-- What stands before series and fractions -----------------------------------------------===//

// log(ratio) - m of a ratio that is 1 + m.
static Long logMinus(Long ratio, Long m) {
  if (std::fabs(m) > 0.2L)
    return std::log(ratio) - m;
  Long power = -m * m, sum = 0;
  for (int k = 2; k < 60; ++k) {
    sum += power / k;
    power *= -m;
  }
  return sum;
}

// log gamma(z) - (z - 1/2) log(z) + z - log(2 pi) / 2.
static Long stirlingRest(Long z) {
  if (z < 20)
    return std::lgamma(z) - ((z - 0.5L) * std::log(z) - z + std::log(2 * pi) / 2);
  static constexpr Long coefficients[] = {1.0L / 12,    -1.0L / 360,       1.0L / 1260,
                                          -1.0L / 1680, 1.0L / 1188,       -691.0L / 360360,
                                          1.0L / 156,   -3617.0L / 122400, 43867.0L / 244188};
  Long sum = 0, power = 1 / z;
  for (Long coefficient : coefficients) {
    sum += coefficient * power;
    power /= z * z;
  }
  return sum;
}

// x^a e^-x / gamma(a).
static Long gammaPower(Long a, Long x) {
  const Long m = (x - a) / a;
  return std::sqrt(a / (2 * pi)) * std::exp(a * logMinus(x / a, m) - stirlingRest(a));
}

// b0 + a1 / (b1 + a2 / (b2 + ...)): `next` gives a_k and b_k.
template <typename Next> static Dual fraction(Dual first, Next next) {
  Dual value = first, c = first, d = 0;
  for (int k = 1; k < 2000000; ++k) {
    auto [a, b] = next(k);
    d = 1 / (b + a * d);
    c = b + a / c;
    const Dual factor = c * d;
    value = value * factor;
    if (std::fabs(factor.value - 1) < epsilon &&
        std::fabs(factor.slope * value.value) <= epsilon * std::fabs(value.slope))
      break;
    if (std::fabs(factor.value - 1) < epsilon && factor.slope == 0)
      break;
  }
  return value;
}

//===-- Gamma ---------------------------------------------------------------------------------===//

// igamma(a, x) * a / gammaPower, and the derivative by a: 1 + x / (a + 1) + ...
static Dual gammaSeries(Long a, Long x) {
  Dual term = 1, sum = 1;
  for (Long k = 1; std::fabs(term.value) > sum.value * epsilon / 8 ||
                   std::fabs(term.slope) > std::fabs(sum.slope) * epsilon / 8;
       ++k) {
    term = term * (Dual(x) / Dual(a + k, 1));
    sum = sum + term;
  }
  return sum;
}

// igammac(a, x) / gammaPower, and the derivative by a.
static Dual gammaFraction(Long a, Long x) {
  Dual denominator = fraction(Dual(x + 1 - a, -1), [&](int k) {
    return std::pair(Dual(-k) * Dual(k - a, -1), Dual(x + 2 * k + 1 - a, -1));
  });
  return 1 / denominator;
}

// Of an a above 1e7 next to the mean, where the distribution is nearly a normal one (Temme 1979),
// igammac(a, x) is
// erfc(eta sqrt(a / 2)) / 2 + exp(-a eta^2 / 2) / sqrt(2 pi a) (c0 + c1 / a + c2 / a^2).
namespace {
struct NearNormal {
  NearNormal(Long a, Long x) : a(a), m((x - a) / a) {
    eta = std::copysign(std::sqrt(-2 * logMinus(x / a, m)), m);
    const Long c0[] = {-1.0L / 3,   1.0L / 12,        -2.0L / 135,  1.0L / 864,
                       1.0L / 2835, -139.0L / 777600, 1.0L / 25515, -571.0L / 261273600};
    const Long c1[] = {-1.0L / 540, -1.0L / 288, 1.0L / 378, -77.0L / 77760};
    const Long c2[] = {25.0L / 6048, -139.0L / 51840};
    sum = Dual(0);
    for (int k = 7; k >= 0; --k)
      sum = sum * Dual(eta, 1) +
            Dual(c0[k] + (k < 4 ? c1[k] / a : 0) + (k < 2 ? c2[k] / (a * a) : 0));
    slopeByA = -c1[0] / (a * a);
  }
  // igamma, or 1 minus that.
  Long part(bool isUpper) const {
    const Long sign = isUpper ? 1 : -1;
    return std::erfc(sign * eta * std::sqrt(a / 2)) / 2 +
           sign * std::exp(-a * eta * eta / 2) / std::sqrt(2 * pi * a) * sum.value;
  }
  Long sampleGradient() const {
    const Long quotient = eta == 0 ? 1 : m / eta;
    return -(1 + m) * std::exp(stirlingRest(a)) *
           (eta / 2 - quotient - std::log1p(m) * sum.value + sum.value / (2 * a) - slopeByA +
            sum.slope * quotient / a);
  }

  Long a, m, eta;
  Dual sum = 0; // and its derivative by eta
  Long slopeByA;
};
} // namespace

// Where the fraction takes over from the series.
static bool isUpper(Long a, Long x) { return x >= a + 1; }
static bool isNearNormal(Long a, Long x) { return a > 1e7L && std::fabs(x - a) < 0.01L * a; }

// log gamma(1 + a) of a small a.
static Long logGammaOfNext(Long a) {
  Long sum = 0, power = a * a;
  for (int k = 2; k < 80; ++k) {
    sum += zeta(k, 1) * power / k;
    power *= -a;
  }
  return sum - 0.577215664901532860606512090082L * a;
}

// igammac(a, x) of small ones: 1 - x^a / gamma(a + 1), and what the series has more.
static Long gammaOfSmall(Long a, Long x) {
  const Long logarithm = a * std::log(x) - logGammaOfNext(a);
  Long term = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  return -std::expm1(logarithm) - std::exp(logarithm) * a * sum;
}

static Long gammaPart(Long a, Long x, bool wantsUpper) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == infinity && x == infinity))
    return notANumber;
  if (a == 0 || x == infinity)
    return wantsUpper ? 0 : 1;
  if (x == 0 || a == infinity)
    return wantsUpper ? 1 : 0;
  if (isNearNormal(a, x))
    return NearNormal(a, x).part(wantsUpper);
  const bool isTiny = a < 0.5L && x < 0.05L;
  if (wantsUpper && isTiny)
    return gammaOfSmall(a, x);
  if (isUpper(a, x) || (wantsUpper && a < 0.5L)) {
    const Long upper = gammaPower(a, x) * gammaFraction(a, x).value;
    return wantsUpper ? upper : 1 - upper;
  }
  const Long lower = gammaPower(a, x) * gammaSeries(a, x).value / a;
  return wantsUpper ? 1 - lower : lower;
}

Long igamma(Long a, Long x) { return gammaPart(a, x, false); }
Long igammac(Long a, Long x) { return gammaPart(a, x, true); }

Long gammaSampleGradient(Long a, Long x) {
  if (!(a > 0) || !(x >= 0) || a == infinity || x == infinity)
    return notANumber;
  if (x == 0)
    return 0;
  if (isNearNormal(a, x))
    return NearNormal(a, x).sampleGradient();
  const Long logarithm = std::log(x) - digamma(a + 1);
  if (isUpper(a, x)) {
    Dual f = gammaFraction(a, x);
    return x * ((logarithm + 1 / a) * f.value + f.slope);
  }
  Dual f = gammaSeries(a, x);
  return -x / a * (logarithm * f.value + f.slope);
}

//===-- Beta ----------------------------------------------------------------------------------===//

// x b - (1 - x) a, which is 0 at the mean, of numbers with the digits of a double.
static Long betaFromMean(Long a, Long b, Long x) {
  const Long y = 1 - x, roundingOfY = (1 - y) - x, first = x * b, second = y * a;
  const Long rest = std::fma(x, b, -first) - std::fma(y, a, -second) - roundingOfY * a;
  return (first - second) + rest;
}

// x^a y^b / beta(a, b), with y = 1 - x and d = x b - y a.
static Long betaPower(Long a, Long b, Long x, Long y, Long d) {
  const Long n = a + b;
  return std::sqrt(a * (b / n) / (2 * pi)) *
         std::exp(a * logMinus(x * n / a, d / a) + b * logMinus(y * n / b, -d / b) +
                  stirlingRest(n) - stirlingRest(a) - stirlingRest(b));
}

namespace {
// The rule of Gauss and Legendre on [0, 1].
struct GaussRule {
  static constexpr int count = 20;
  GaussRule() {
    for (int k = 0; k < count; ++k) {
      Long x = std::cos(pi * (k + 0.75L) / (count + 0.5L)), slope = 0;
      for (int step = 0; step < 6; ++step) {
        Long before = 1, value = x;
        for (int n = 2; n <= count; ++n) {
          const Long next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
          before = value;
          value = next;
        }
        slope = count * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      points[k] = (1 + x) / 2;
      weights[k] = 1 / ((1 - x * x) * slope * slope);
    }
  }
  Long points[count], weights[count];
};

// The incomplete function of p, q, of a number x at the mean or below, y being 1 - x and
// d = x q - y p, by betaPower. It is 1 / p, and that of p + 1, which is an integral over the
// logarithm of the odds, whose density falls from there on.
class BetaBelow {
public:
  BetaBelow(Long p, Long q, Long x, Long y, Long d) : p(p), q(q), n(p + q), x(x), y(y), d(d) {}

  Long value() const {
    return 1 / p + x * (n / p) * integral([](Long, Long) { return Long(1); });
  }
  // The derivatives by p, and by q, by the same: the logarithm of the density changes as that of
  // the number does, and as that of 1 minus it.
  Long slopeByP() const {
    const Long ofPower =
        p < 100 ? std::log(x) + digamma(n) - digamma(p + 1)
                : logOfRatio(x * n / p, d / p) + logMinusDigamma(p) - logMinusDigamma(n) - 1 / p;
    return ofPower / p +
           x * (n / p) * integral([&](Long ofNumber, Long) { return ofPower + 1 / n + ofNumber; });
  }
  Long slopeByQ() const {
    const Long ofPower =
        q < 100 ? std::log(y) + digamma(n) - digamma(q)
                : logOfRatio(y * n / q, -d / q) + logMinusDigamma(q) - logMinusDigamma(n);
    return ofPower / p +
           x * (n / p) * integral([&](Long, Long ofRest) { return ofPower + 1 / n + ofRest; });
  }

private:
  // Of a ratio that is 1 + m.
  static Long logOfRatio(Long ratio, Long m) {
    return std::fabs(m) < 0.5L ? std::log1p(m) : std::log(ratio);
  }
  static Long logMinusDigamma(Long z) {
    return z < 100 ? std::log(z) - digamma(z)
                   : 1 / (2 * z) + 1 / (12 * z * z) - 1 / (120 * z * z * z * z) +
                         1 / (252 * z * z * z * z * z * z);
  }

  // log(y + x e^-v) + x v: of the smaller of x and y, and by the series next to 0.
  Long excess(Long v) const {
    const Long z = x <= y ? x : y, u = x <= y ? -v : v;
    if (std::fabs(u) > 0.1L)
      return std::log1p(z * std::expm1(u)) - z * u;
    Long beyond = 0, power = u * u / 2;
    for (int k = 3; k < 20; ++k) {
      beyond += power;
      power *= u / k;
    }
    const Long m = z * (u + beyond);
    return logMinus(1 + m, m) + z * beyond;
  }

  // Over the logarithm of the odds, v below that of x; the weight is given by how the logarithms of
  // the number and of 1 minus it change.
  template <typename Weight> Long integral(Weight weight) const {
    static const GaussRule rule;
    const Long fall = y - d; // y (p + 1) - x q
    const Long scale = 1 / (1 + fall + std::sqrt((n + 1) * x * y));
    const Long end = 400 * std::fmax(scale, 1 / (p + 1)) + 60 - std::log(y);
    Long sum = 0, largest = 0, start = 0;
    // What may be flat ends about here, on a scale of 1.
    const Long flat = -std::log(y * (n + 1));
    for (Long width = scale / 4; start < end;) {
      Long part = 0, most = 0;
      for (int k = 0; k < GaussRule::count; ++k) {
        const Long v = start + width * rule.points[k];
        const Long density = std::exp(-fall * v - (n + 1) * excess(v));
        // That of the larger of both changes little: without cancellation.
        const bool isSmall = 2 * x < 1;
        const Long ofLarger = -std::log1p(isSmall ? x * std::expm1(-v) : y * std::expm1(v));
        part += rule.weights[k] * density *
                weight(isSmall ? ofLarger - v : ofLarger, isSmall ? ofLarger : ofLarger + v);
        most = std::fmax(most, density);
      }
      sum += width * part;
      largest = std::fmax(largest, most * width);
      if (most * end < largest * 1e-30L)
        break;
      start += width;
      width = std::fmin(width * 2, std::fmax(Long(3), (flat - start) / 4));
    }
    return sum;
  }

  Long p, q, n, x, y, d;
};
} // namespace

Long betainc(Long a, Long b, Long x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1) || (a == 0 && b == 0) ||
      (a == infinity && b == infinity))
    return notANumber;
  if (a == 0 || b == infinity)
    return x > 0 ? 1 : 0;
  if (b == 0 || a == infinity)
    return x < 1 ? 0 : 1;
  if (x == 0 || x == 1)
    return x;
  const Long y = 1 - x, d = betaFromMean(a, b, x), power = betaPower(a, b, x, y, d);
  return d <= 0 ? power * BetaBelow(a, b, x, y, d).value()
                : 1 - power * BetaBelow(b, a, y, x, -d).value();
}

Long betaSampleGradient(Long a, Long b, Long x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) || a == infinity || b == infinity)
    return notANumber;
  if (x == 0 || x == 1)
    return 0;
  const Long y = 1 - x, d = betaFromMean(a, b, x);
  return x * y *
         (d <= 0 ? -BetaBelow(a, b, x, y, d).slopeByP() : BetaBelow(b, a, y, x, -d).slopeByQ());
}

} // namespace keratin::ir::reference

#include "ir/reference/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace keratin::ir::reference {

static constexpr Long infinity = std::numeric_limits<Long>::infinity();
static constexpr Long notANumber = std::numeric_limits<Long>::quiet_NaN();
static constexpr Long pi = std::numbers::pi_v<Long>;

// Bernoulli's numbers B(2 j), j = 1, 2, ...
static constexpr Long bernoulli[] = {1.0L / 6,         -1.0L / 30,      1.0L / 42,
                                     -1.0L / 30,       5.0L / 66,       -691.0L / 2730,
                                     7.0L / 6,         -3617.0L / 510,  43867.0L / 798,
                                     -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// Halley's steps from where the function is in the first order.
Long erfinv(Long x) {
  Long a = std::fabs(x);
  if (!(a < 1))
    return a == 1 ? std::copysign(infinity, x) : notANumber;
  const bool isSmall = a < 0.5L;
  Long w = -std::log1p(-a * a);
  Long y = w > 2 ? std::sqrt(w) : a * std::sqrt(pi) / 2;
  for (int i = 0; i < 60; ++i) {
    Long slope = 2 / std::sqrt(pi) * std::exp(-y * y);
    Long step = (isSmall ? std::erf(y) - a : (1 - a) - std::erfc(y)) / slope;
    step /= 1 + y * step;
    y -= step;
    if (std::fabs(step) <= std::numeric_limits<Long>::epsilon() * y / 4)
      break;
  }
  return std::copysign(y, x);
}

Long logGamma(Long x) { return std::lgamma(x); }

// For x > 0, as a multiple of the distance from its root, so that it keeps its digits there:
// digamma(x) - digamma(root) is the sum of d / ((x + k) (root + k)), whose rest follows from the
// asymptotic series of both.
static Long digammaOfPositive(Long x) {
  constexpr Long root = 1.46163214496836234128091663864L, rootLow = -1.8257096315963484214601e-20L;
  constexpr int terms = 20;
  Long d = (x - root) - rootLow;
  Long a = 1 / (x + terms), b = 1 / (root + terms);
  // (a^2 - b^2) / d, and of the powers of both.
  Long square = -a * b * (a + b), difference = square, power = b * b;
  Long rest = a * b / 2;
  for (int j = 1; j <= 12; ++j) {
    rest -= bernoulli[j - 1] / (2 * j) * difference;
    difference = a * a * difference + square * power;
    power *= b * b;
  }
  Long sum = d * rest + std::log1p(d / (root + terms));
  for (int k = terms - 1; k >= 0; --k)
    sum += d / ((x + k) * (root + k));
  return sum;
}

Long digamma(Long x) {
  if (x > 0)
    return x < infinity ? digammaOfPositive(x) : x;
  if (x == 0)
    return -1 / x;
  Long fraction = x - std::nearbyint(x);
  if (!(x > -infinity) || fraction == 0)
    return notANumber;
  Long angle = pi * fraction;
  return digammaOfPositive(1 - x) - pi * std::cos(angle) / std::sin(angle);
}

// By the formula of Euler and Maclaurin, of s > 1 and q > 0.
static Long zetaOfPositive(Long s, Long q) {
  constexpr int terms = 24;
  Long w = q + terms, bounded = std::fmin(s, Long(20000));
  Long factor = bounded / w, rest = 0.5L, factorial = 1;
  for (int j = 1; j <= 12; ++j) {
    factorial *= Long(2 * j - 1) * Long(2 * j);
    rest += bernoulli[j - 1] / factorial * factor;
    factor *= (bounded + (2 * j - 1)) * (bounded + 2 * j) / (w * w);
  }
  Long root = std::pow(w, -s / 2);
  Long sum = root * (root * rest + root * w / (s - 1));
  for (int k = terms - 1; k >= 0; --k)
    sum += std::pow(q + k, -s);
  return sum;
}

Long zeta(Long s, Long q) {
  if (!(s >= 1) || std::isnan(q))
    return notANumber;
  if (s == 1)
    return infinity;
  if (q > 0)
    return q < infinity ? zetaOfPositive(s, q) : 0;
  if (q == std::floor(q))
    return infinity;
  if (s != std::floor(s))
    return notANumber;
  // The terms of negative numbers are those from their distance to 0 on, but for the ones that
  // follow on q.
  const bool isEven = std::isinf(s) || std::fmod(s, Long(2)) == 0;
  Long below = q - std::floor(q), above = std::ceil(q) - q;
  // Of a difference of infinite powers the farther number's counts for nothing.
  if (Long farther = std::fmax(below, above); !isEven && std::pow(farther, -s) == infinity) {
    below = below == farther ? 1 : below;
    above = above == farther ? 1 : above;
  }
  Long sign = isEven ? 1 : -1;
  return zetaOfPositive(s, below) + sign * zetaOfPositive(s, above) -
         sign * zetaOfPositive(s, 1 - q);
}

// The sum of (a/2)^(2 k + order) / (k! (k + order)!), or the asymptotic series.
static Long scaledBessel(Long a, int order) {
  if (a < 25) {
    Long term = order == 0 ? 1 : a / 2, sum = term;
    for (int k = 1; term > sum * std::numeric_limits<Long>::epsilon() / 8; ++k) {
      term *= a * a / (Long(4) * k * (k + order));
      sum += term;
    }
    return sum * std::exp(-a);
  }
  Long term = 1, sum = 1;
  for (int k = 1; k <= 40; ++k) {
    term *= (Long((2 * k - 1) * (2 * k - 1)) - 4 * order) / (8 * a * k);
    sum += term;
  }
  return sum / std::sqrt(2 * pi * a);
}

Long besselI0e(Long x) { return std::isnan(x) ? x : scaledBessel(std::fabs(x), 0); }

Long besselI1e(Long x) {
  return std::isnan(x) ? x : std::copysign(scaledBessel(std::fabs(x), 1), x);
}

} // namespace keratin::ir::reference

#include "ir/reference/FourierTransform.h"

#include <cmath>
#include <utility>

using namespace keratin::ir;

using Complex = std::complex<double>;

std::optional<std::string> keratin::ir::neededOfFourierLength(int64_t length) {
  constexpr int64_t kMost = int64_t(1) << 30, kMostConvolved = int64_t(1) << 22;
  if (length > kMost)
    return std::to_string(kMost) + " at most";
  if (length <= kMostConvolved)
    return std::nullopt;
  int64_t rest = length;
  for (int64_t factor = 2; factor <= kLargestFourierFactor; ++factor)
    while (rest % factor == 0)
      rest /= factor;
  if (rest == 1)
    return std::nullopt;
  return std::to_string(kMostConvolved) + " at most, or no prime factor above " +
         std::to_string(kLargestFourierFactor);
}

std::complex<double> keratin::ir::rootOfUnity(int64_t k, int64_t n) {
  k %= n;
  // In units of an eighth of 1 / n of a turn, so that each mirror below is exact.
  int64_t angle = 8 * (k < 0 ? k + n : k);
  const bool isBelow = angle > 4 * n;
  if (isBelow)
    angle = 8 * n - angle;
  const bool isLeft = angle > 2 * n;
  if (isLeft)
    angle = 4 * n - angle;
  const bool isSteep = angle > n;
  if (isSteep)
    angle = 2 * n - angle;
  const double radians = M_PI * double(angle) / double(4 * n);
  double re = std::cos(radians), im = std::sin(radians);
  if (isSteep)
    std::swap(re, im);
  return {isLeft ? -re : re, isBelow ? -im : im};
}

namespace {

// Transforms of n elements and of n / p, n / (p q) and so on, n = p q ....
class Transform {
public:
  Transform(int64_t n, bool inverse) : size(n) {
    for (int64_t k = 0; k < n; ++k)
      roots.push_back(rootOfUnity(inverse ? k : -k, n));
  }

  // n elements of x, so far apart, into n of y.
  void run(const Complex *x, int64_t apart, Complex *y, int64_t n) const;

private:
  static int64_t factorOf(int64_t n) {
    for (int64_t p = 2; p * p <= n; ++p)
      if (n % p == 0)
        return p;
    return n;
  }

  int64_t size;
  std::vector<Complex> roots;
};

} // namespace

void Transform::run(const Complex *x, int64_t apart, Complex *y, int64_t n) const {
  if (n == 1) {
    *y = *x;
    return;
  }
  const int64_t p = factorOf(n), rest = n / p;
  for (int64_t j = 0; j < p; ++j)
    run(x + j * apart, p * apart, y + j * rest, rest);
  std::vector<Complex> parts(p);
  for (int64_t k = 0; k < rest; ++k) {
    for (int64_t j = 0; j < p; ++j)
      parts[size_t(j)] = y[j * rest + k] * roots[size_t(j * k * (size / n))];
    for (int64_t q = 0; q < p; ++q) {
      Complex sum = 0;
      for (int64_t j = 0; j < p; ++j)
        sum += parts[size_t(j)] * roots[size_t(j * q % p * (size / p))];
      y[q * rest + k] = sum;
    }
  }
}

std::vector<Complex> keratin::ir::fourierTransform(const std::vector<Complex> &x, bool inverse) {
  std::vector<Complex> y(x.size());
  if (!x.empty())
    Transform(int64_t(x.size()), inverse).run(x.data(), 1, y.data(), int64_t(x.size()));
  return y;
}

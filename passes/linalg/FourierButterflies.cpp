// Transforms of a few numbers, written out: sums and differences of what lies opposite each other,
// and a few products.
#include "passes/linalg/Fourier.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

using Numbers = SmallVector<ComplexParts>;

static ComplexParts sum(GraphMath &g, const ComplexParts &a, const ComplexParts &b) {
  return {g.add(a.re, b.re), g.add(a.im, b.im)};
}

static ComplexParts difference(GraphMath &g, const ComplexParts &a, const ComplexParts &b) {
  return {g.sub(a.re, b.re), g.sub(a.im, b.im)};
}

// -i z is {z.im, -z.re}: of z it is subtracted what is added of the other.
static ComplexParts plusTurned(GraphMath &g, const ComplexParts &a, const ComplexParts &z) {
  return {g.add(a.re, z.im), g.sub(a.im, z.re)};
}

static ComplexParts minusTurned(GraphMath &g, const ComplexParts &a, const ComplexParts &z) {
  return {g.sub(a.re, z.im), g.add(a.im, z.re)};
}

// Of an odd number r: with s[m] = x[m] + x[r - m] and d[m] = x[m] - x[r - m], results k and r - k
// are x[0] + sum of cos(2 pi k m / r) s[m], minus and plus i times the sum of sin(2 pi k m / r)
// d[m].
static Numbers ofOddNumber(GraphMath &g, ArrayRef<ComplexParts> x) {
  const size_t count = x.size(), half = count / 2;
  Numbers sums, differences, y(count);
  y[0] = x[0];
  for (size_t m = 1; m <= half; ++m) {
    sums.push_back(sum(g, x[m], x[count - m]));
    differences.push_back(difference(g, x[m], x[count - m]));
    y[0] = sum(g, y[0], sums.back());
  }
  auto weighted = [&](const ComplexParts &z, double weight) {
    return ComplexParts{g.scale(z.re, weight), g.scale(z.im, weight)};
  };
  for (size_t k = 1; k <= half; ++k) {
    ComplexParts even = x[0], odd;
    for (size_t m = 1; m <= half; ++m) {
      const double angle = 2 * M_PI * double(k * m % count) / double(count);
      even = sum(g, even, weighted(sums[m - 1], std::cos(angle)));
      const ComplexParts turned = weighted(differences[m - 1], std::sin(angle));
      odd = m == 1 ? turned : sum(g, odd, turned);
    }
    y[k] = plusTurned(g, even, odd);
    y[count - k] = minusTurned(g, even, odd);
  }
  return y;
}

// Of twice as many from those at even and at odd places; exp(-2 pi i k / n) of the latter has equal
// parts, but for signs, at every odd eighth of a turn.
static Numbers ofPowerOfTwo(GraphMath &g, ArrayRef<ComplexParts> x) {
  const size_t count = x.size(), half = count / 2;
  if (count == 1)
    return {x[0]};
  Numbers places[2], y(count);
  for (size_t j = 0; j < count; ++j)
    places[j % 2].push_back(x[j]);
  const Numbers even = ofPowerOfTwo(g, places[0]), odd = ofPowerOfTwo(g, places[1]);
  for (size_t k = 0; k < half; ++k) {
    if (4 * k == count) {
      y[k] = plusTurned(g, even[k], odd[k]);
      y[k + half] = minusTurned(g, even[k], odd[k]);
      continue;
    }
    ComplexParts turned = odd[k];
    if (8 * k == count)
      turned = {g.scale(g.add(odd[k].re, odd[k].im), M_SQRT1_2),
                g.scale(g.sub(odd[k].im, odd[k].re), M_SQRT1_2)};
    else if (8 * k == 3 * count)
      turned = {g.scale(g.sub(odd[k].im, odd[k].re), M_SQRT1_2),
                g.scale(g.add(odd[k].im, odd[k].re), -M_SQRT1_2)};
    else
      assert(k == 0 && "eight numbers at most");
    y[k] = sum(g, even[k], turned);
    y[k + half] = difference(g, even[k], turned);
  }
  return y;
}

SmallVector<ComplexParts> transformWrittenOut(GraphMath &g, ArrayRef<ComplexParts> x) {
  return x.size() % 2 == 0 ? ofPowerOfTwo(g, x) : ofOddNumber(g, x);
}

} // namespace keratin::passes

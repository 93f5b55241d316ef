// Transforms of real numbers, and those of whose results the real parts alone are asked for, are
// transforms of half the length: of what stands at even and at odd places as real and imaginary
// parts.
#include "ir/reference/FourierTransform.h"
#include "passes/linalg/Fourier.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// So many elements of each line.
static Value elements(GraphMath &g, Value x, int64_t first, int64_t size) {
  return g.slice(x, {DimExpr(0), DimExpr(first)}, {getShape(x)[0], DimExpr(size)}, {1, 1});
}

static Value joined(GraphMath &g, Value a, Value b) { return g.concatenate({a, b}, 1); }

// exp(-2 pi i k / n) for the first k, along the lines.
static ComplexParts rotations(GraphMath &g, int64_t length, int64_t count, Value like,
                              bool inverse) {
  std::vector<double> re, im;
  for (int64_t k = 0; k < count; ++k) {
    const std::complex<double> w = rootOfUnity(inverse ? k : -k, length);
    re.push_back(w.real());
    im.push_back(w.imag());
  }
  auto lines = [&](ArrayRef<double> numbers) {
    return g.broadcast(constantOf(g, {count}, numbers, getElementType(like)),
                       {getShape(like)[0], DimExpr(count)}, {1});
  };
  return {lines(re), lines(im)};
}

// With Z of the pairs, E of the even and O of the odd elements: Z = E + i O, of which E and O are
// the parts that a mirror leaves and turns; y = E + exp(-2 pi i k / n) O.
ComplexParts transformReals(GraphMath &g, Value x, int64_t length, bool inverse) {
  const int64_t half = length / 2;
  const DimExpr lines = getShape(x)[0];
  const SmallVector<Value> parts =
      transformLines(g, inMemory(g, g.reshape(x, {lines, DimExpr(half), DimExpr(2)})), inverse,
                     /*makesPairs=*/false);
  ComplexParts z{parts[0], parts[1]};
  auto whole = [&](Value part) { return joined(g, part, elements(g, part, 0, 1)); };
  z = {whole(z.re), whole(z.im)};
  const ComplexParts mirror{g.reverse(z.re, {1}), g.reverse(z.im, {1})};
  const ComplexParts even{g.scale(g.add(z.re, mirror.re), 0.5),
                          g.scale(g.sub(z.im, mirror.im), 0.5)};
  const ComplexParts odd{g.scale(g.add(z.im, mirror.im), 0.5),
                         g.scale(g.sub(mirror.re, z.re), 0.5)};
  const ComplexParts turned = multiplied(g, odd, rotations(g, length, half + 1, z.re, inverse));
  return {g.add(even.re, turned.re), g.add(even.im, turned.im)};
}

ComplexParts mirrored(GraphMath &g, const ComplexParts &half, int64_t length) {
  const int64_t rest = length - length / 2 - 1;
  auto behind = [&](Value part) { return g.reverse(elements(g, part, 1, rest), {1}); };
  return {joined(g, half.re, behind(half.re)), joined(g, half.im, g.neg(behind(half.im)))};
}

// Of real results those at even and at odd places, as pairs, are the transform of the sums h[j] +
// h[j + n / 2] and of the differences.
static Value fromSums(GraphMath &g, const ComplexParts &sum, const ComplexParts &difference,
                      int64_t length, bool inverse) {
  const ComplexParts turned =
      multiplied(g, difference, rotations(g, length, length / 2, sum.re, inverse));
  const SmallVector<Value> pairs =
      transformLines(g, {g.sub(sum.re, turned.im), g.add(sum.im, turned.re)}, inverse,
                     /*makesPairs=*/true);
  return g.reshape(pairs[0], {getShape(sum.re)[0], DimExpr(length)});
}

// The real parts are the transform of h[j] = (x[j] + conj(x[n - j])) / 2, which is real: its
// elements at even places of h[j] + h[j + n / 2], those at odd ones of (h[j] - h[j + n / 2]) exp(-2
// pi i j / n).
Value transformToReals(GraphMath &g, const ComplexParts &x, int64_t length, bool inverse) {
  const int64_t half = length / 2;
  auto first = [&](Value part) { return elements(g, part, 0, half); };
  auto second = [&](Value part) { return elements(g, part, half, half); };
  // Mirrors of both: of 0, n - 1, ..., n / 2 + 1 and of n / 2, ..., 1.
  auto ofFirst = [&](Value part) {
    return joined(g, elements(g, part, 0, 1),
                  g.reverse(elements(g, part, half + 1, half - 1), {1}));
  };
  auto ofSecond = [&](Value part) { return g.reverse(elements(g, part, 1, half), {1}); };
  const ComplexParts a{g.add(first(x.re), ofFirst(x.re)), g.sub(first(x.im), ofFirst(x.im))};
  const ComplexParts b{g.add(second(x.re), ofSecond(x.re)), g.sub(second(x.im), ofSecond(x.im))};
  const ComplexParts sum{g.scale(g.add(a.re, b.re), 0.5), g.scale(g.add(a.im, b.im), 0.5)};
  const ComplexParts difference{g.scale(g.sub(a.re, b.re), 0.5), g.scale(g.sub(a.im, b.im), 0.5)};
  return fromSums(g, sum, difference, length, inverse);
}

// h[j + n / 2] is the conjugate of h[n / 2 - j]. The first and the last of the half are their own:
// of them the real parts count.
Value transformHalfToReals(GraphMath &g, const ComplexParts &x, int64_t length, bool inverse) {
  const int64_t half = length / 2;
  const DimExpr lines = getShape(x.re)[0];
  Value im = g.pad(elements(g, x.im, 1, half - 1), {DimExpr(0), DimExpr(1)}, {0, 0},
                   {lines, DimExpr(half + 1)});
  auto first = [&](Value part) { return elements(g, part, 0, half); };
  auto mirror = [&](Value part) { return g.reverse(elements(g, part, 1, half), {1}); };
  const ComplexParts sum{g.add(first(x.re), mirror(x.re)), g.sub(first(im), mirror(im))};
  const ComplexParts difference{g.sub(first(x.re), mirror(x.re)), g.add(first(im), mirror(im))};
  return fromSums(g, sum, difference, length, inverse);
}

} // namespace keratin::passes

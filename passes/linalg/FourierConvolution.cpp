// With j k = (j^2 + k^2 - (k - j)^2) / 2 a transform is a convolution of rotated elements with a
// chirp, exp(i pi j^2 / n), which two transforms of any length from 2 n - 1 on compute. That of the
// chirp itself is a constant.
#include "ir/reference/FourierTransform.h"
#include "passes/linalg/Fourier.h"
#include "passes/linalg/FourierPlan.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

using ComplexNumbers = std::vector<std::complex<double>>;

// Along the lines of a matrix with so many.
static ComplexParts alongLines(GraphMath &g, const ComplexNumbers &numbers, const DimExpr &lines,
                               Type elementType) {
  const int64_t length = int64_t(numbers.size());
  auto constant = [&](double (*part)(const std::complex<double> &)) {
    std::vector<double> parts;
    for (const std::complex<double> &number : numbers)
      parts.push_back(part(number));
    return g.broadcast(constantOf(g, {length}, parts, elementType), {lines, DimExpr(length)}, {1});
  };
  return {constant([](const std::complex<double> &z) { return z.real(); }),
          constant([](const std::complex<double> &z) { return z.imag(); })};
}

ComplexParts transformByConvolution(GraphMath &g, const ComplexParts &x, int64_t length,
                                    bool inverse) {
  const DimExpr lines = getShape(x.re)[0];
  const Type element = getElementType(x.re);
  const int64_t padded = lengthOfSmallFactors(2 * length - 1);
  ComplexNumbers rotations, chirp(size_t(padded), 0);
  int64_t square = 0; // j^2 modulo 2 n, as j^2 itself may be too large
  for (int64_t j = 0; j < length; ++j) {
    rotations.push_back(rootOfUnity(inverse ? square : -square, 2 * length));
    // What a transform there and back multiplies by is divided here.
    chirp[size_t(j)] = chirp[size_t((padded - j) % padded)] =
        std::conj(rotations.back()) / double(padded);
    square = (square + 2 * j + 1) % (2 * length);
  }
  ComplexParts rotation = alongLines(g, rotations, lines, element);
  ComplexParts y = multiplied(g, x, rotation);
  auto resized = [&](Value part) {
    return g.pad(part, {DimExpr(0), DimExpr(0)}, {0, 0}, {lines, DimExpr(padded)});
  };
  auto transform = [&](const ComplexParts &z, bool isInverse) {
    const SmallVector<Value> parts =
        transformLines(g, {z.re, z.im}, isInverse, /*makesPairs=*/false);
    return ComplexParts{parts[0], parts[1]};
  };
  y = transform({resized(y.re), resized(y.im)}, /*isInverse=*/false);
  y = multiplied(g, y, alongLines(g, fourierTransform(chirp, /*inverse=*/false), lines, element));
  y = transform(y, /*isInverse=*/true);
  auto cut = [&](Value part) {
    return g.slice(part, {DimExpr(0), DimExpr(0)}, {lines, DimExpr(length)}, {1, 1});
  };
  return multiplied(g, {cut(y.re), cut(y.im)}, rotation);
}

} // namespace keratin::passes

// A transform of n = r1 r2 ... elements is a transform of r1 for each of n / r1 places, a rotation
// of each element, and a transform of n / r1 for each of the r1 results. Each stage is a
// contraction with a constant matrix over the real and imaginary parts at once; the rotation behind
// it puts the elements where the next stage wants them, and moves whole runs of neighbours
// (Stockham's order).
#include "ir/reference/FourierTransform.h"
#include "passes/linalg/Fourier.h"
#include "passes/linalg/FourierPlan.h"

#include <complex>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

Value constantOf(GraphMath &g, ArrayRef<int64_t> dims, ArrayRef<double> numbers, Type elementType) {
  auto type = RankedTensorType::get(dims, elementType);
  DenseElementsAttr elements =
      elementType.isF64()
          ? DenseElementsAttr::get(type, numbers)
          : DenseElementsAttr::get(
                type, ArrayRef<float>(SmallVector<float, 0>(numbers.begin(), numbers.end())));
  return g.builder().create<ConstantOp>(g.location(), type, elements);
}

namespace {

// On the way numbers are one tensor (2, factor, lines, places, done): the real parts of what a
// stage has made, then the imaginary ones. For each of the `done` results so far all `places` are
// to be transformed yet.
class Stages {
public:
  Stages(GraphMath &g, const ComplexParts &x, ArrayRef<int64_t> factors, bool inverse)
      : g(g), element(getElementType(x.re)), factors(factors), lines(getShape(x.re)[0]),
        length(getShape(x.re)[1].constantValue()), inverse(inverse) {}

  ComplexParts run(const ComplexParts &x) const;

private:
  std::complex<double> root(int64_t k, int64_t n) const { return rootOfUnity(inverse ? k : -k, n); }
  DimExpr columns(int64_t each) const { return product({lines, DimExpr(each)}).value(); }
  Value matrix(int64_t factor, bool transposed) const;
  Value first(const ComplexParts &x) const;
  Value stage(Value x, size_t number) const;
  SmallVector<int64_t> digitsOf(size_t number) const;
  // Factors of a number itself, and of its other part, which come to its own part.
  ComplexParts rotation(const Shape &shape, ArrayRef<int64_t> digits) const;
  ComplexParts table(const Shape &shape, ArrayRef<int64_t> digits, int64_t before,
                     ArrayRef<int64_t> axes) const;
  Value rotated(Value x, size_t number) const;

  GraphMath &g;
  Type element;
  ArrayRef<int64_t> factors;
  DimExpr lines;
  int64_t length;
  bool inverse;
};

} // namespace

// Rows are the real parts of results, then the imaginary ones; columns those of operands.
Value Stages::matrix(int64_t factor, bool transposed) const {
  std::vector<double> numbers(size_t(4 * factor * factor));
  auto set = [&](int64_t row, int64_t column, double number) {
    numbers[size_t(transposed ? column * 2 * factor + row : row * 2 * factor + column)] = number;
  };
  for (int64_t k = 0; k < factor; ++k)
    for (int64_t j = 0; j < factor; ++j) {
      const std::complex<double> w = root(j * k, factor);
      set(k, j, w.real());
      set(k, factor + j, -w.imag());
      set(factor + k, j, w.imag());
      set(factor + k, factor + j, w.real());
    }
  return constantOf(g, {2 * factor, 2 * factor}, numbers, element);
}

// A line has its elements in rows of n / r, which the columns of the contraction lie along.
Value Stages::first(const ComplexParts &x) const {
  const int64_t factor = factors[0], places = length / factor;
  auto rows = [&](Value part) {
    return g.transpose(g.reshape(part, {lines, DimExpr(factor), DimExpr(places)}), {1, 0, 2});
  };
  Value both =
      g.reshape(g.concatenate({rows(x.re), rows(x.im)}, 0), {DimExpr(2 * factor), columns(places)});
  Value y = g.dotGeneral(both, matrix(factor, /*transposed=*/true), {}, {}, {0}, {0});
  Value parts = g.reshape(y, {lines, DimExpr(places), DimExpr(2), DimExpr(factor), DimExpr(1)});
  return g.transpose(parts, {2, 3, 0, 1, 4});
}

// How the places behind a stage are told, the next factor's digit first: as one table of rotations
// allows it or, for long lengths, by as few digits as tables of this size do.
SmallVector<int64_t> Stages::digitsOf(size_t number) const {
  const int64_t factor = factors[number - 1];
  ArrayRef<int64_t> others = factors.drop_front(number + 1);
  SmallVector<int64_t> digits;
  if (productOf(others) * factors[number] * factor <= kTableElements) {
    digits.push_back(productOf(others));
  } else {
    int64_t digit = 1;
    for (int64_t further : llvm::reverse(others)) {
      if (digit > 1 && digit * further * factor > kTableElements) {
        digits.push_back(digit);
        digit = 1;
      }
      digit *= further;
    }
    digits.push_back(digit);
  }
  digits.push_back(factors[number]);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// exp(-2 pi i p k / n) for what these digits of the place p say, which lie along axes of the shape;
// those before them have so many values together.
ComplexParts Stages::table(const Shape &shape, ArrayRef<int64_t> digits, int64_t before,
                           ArrayRef<int64_t> axes) const {
  const int64_t last = int64_t(shape.size()) - 2, factor = shape[size_t(last)].constantValue(),
                rows = productOf(digits);
  std::vector<double> re, im;
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t k = 0; k < factor; ++k) {
      const std::complex<double> w = root(p * k, before * rows * factor);
      re.push_back(w.real());
      im.push_back(w.imag());
    }
  SmallVector<int64_t> sizes(digits), to(axes);
  sizes.push_back(factor);
  to.push_back(last);
  return {g.broadcast(constantOf(g, sizes, re, element), shape, to),
          g.broadcast(constantOf(g, sizes, im, element), shape, to)};
}

// The shape is (2, first digit, lines, other digits, k, done).
ComplexParts Stages::rotation(const Shape &shape, ArrayRef<int64_t> digits) const {
  SmallVector<int64_t> axes{1};
  for (size_t digit = 1; digit < digits.size(); ++digit)
    axes.push_back(int64_t(digit) + 2);
  ComplexParts all;
  if (digits.size() == 2) {
    all = table(shape, digits, 1, axes);
  } else {
    int64_t before = 1;
    for (auto [size, axis] : llvm::zip(digits, axes)) {
      ComplexParts one = table(shape, {size}, before, {axis});
      all = all.re ? multiplied(g, all, one) : one;
      before *= size;
    }
  }
  // The real part loses what the imaginary one gets.
  Value sign = g.broadcast(constantOf(g, {2}, {-1, 1}, element), shape, {0});
  return {all.re, g.mul(all.im, sign)};
}

// From (2, factor of the stage before, lines, places, done) to (2, this factor, lines, places,
// factor of the stage before, done).
Value Stages::rotated(Value x, size_t number) const {
  const Shape given = getShape(x);
  const SmallVector<int64_t> digits = digitsOf(number);
  Shape split{given[0], given[1], lines};
  for (int64_t digit : digits)
    split.push_back(DimExpr(digit));
  split.push_back(given[4]);
  const int64_t last = int64_t(split.size()) - 1;
  SmallVector<int64_t> order{0, 3, 2};
  for (int64_t axis = 4; axis < last; ++axis)
    order.push_back(axis);
  order.append({1, last});
  Value own = g.transpose(g.reshape(x, split), order);
  ComplexParts factor = rotation(getShape(own), digits);
  return g.add(g.mul(own, factor.re), g.mul(g.reverse(own, {0}), factor.im));
}

Value Stages::stage(Value x, size_t number) const {
  const int64_t factor = factors[number], done = productOf(factors.take_front(number)),
                places = productOf(factors.drop_front(number + 1));
  Value rows = g.reshape(rotated(x, number), {DimExpr(2 * factor), columns(places * done)});
  Value y = g.dotGeneral(matrix(factor, /*transposed=*/false), rows, {}, {}, {1}, {0});
  return g.reshape(y, {DimExpr(2), DimExpr(factor), lines, DimExpr(places), DimExpr(done)});
}

ComplexParts Stages::run(const ComplexParts &x) const {
  Value y = first(x);
  for (size_t number = 1; number < factors.size(); ++number)
    y = stage(y, number);
  // There is one place, and results lie behind lines.
  auto part = [&](int64_t start) {
    Shape starts(5, DimExpr(0)), sizes = getShape(y);
    starts[0] = DimExpr(start);
    sizes[0] = DimExpr(1);
    Value one = g.slice(y, starts, sizes, {1, 1, 1, 1, 1});
    return g.reshape(g.transpose(one, {0, 2, 3, 1, 4}), {lines, DimExpr(length)});
  };
  return {part(0), part(1)};
}

ComplexParts transformInStages(GraphMath &g, const ComplexParts &x, ArrayRef<int64_t> factors,
                               bool inverse) {
  return Stages(g, x, factors, inverse).run(x);
}

} // namespace keratin::passes

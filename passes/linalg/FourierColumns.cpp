// Transforms in two rounds, of lengths without large prime factors. A line of n = a b elements is a
// matrix of a rows: its columns are transformed, each element is rotated, and of the transposed
// matrix the columns are transformed again. So vectors lie along whole rows throughout, and the
// result is in order. (Bailey: FFTs in external or hierarchical memory, 1990.)
//
// A round has a stage for each factor of its length, which transforms r numbers, written out, at
// once. Of what a stage makes the results k are joined along the first axis, each as it lies: they
// are made where they are read (Stockham's order).
#include "ir/reference/FourierTransform.h"
#include "passes/linalg/Fourier.h"
#include "passes/linalg/FourierPlan.h"

#include <complex>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

namespace {

// Numbers on the way are one tensor (2, done, lines, places, width): real parts, then imaginary
// ones. For each of the `done` results so far all `places` are to be transformed yet.
class Columns {
public:
  Columns(GraphMath &g, Type element, const DimExpr &lines, bool inverse)
      : g(g), element(element), lines(lines), inverse(inverse) {}

  Value transform(Value x, const FourierRounds &rounds) const;
  // Of numbers in memory, (2, length, width), a column each; so is the result.
  Value transformOnce(Value x, ArrayRef<int64_t> factors) const;

private:
  // What a round is the first or the last of: all of them, or the only one.
  struct Round {
    ArrayRef<int64_t> factors;
    bool isFirst, isLast;
    int64_t rotatedBy; // of the first of two, the length of the whole; else 1
  };
  Value round(Value x, const Round &round) const;
  Value stage(Value x, const Round &round, size_t number) const;
  Value table(ArrayRef<int64_t> sizes, llvm::function_ref<std::complex<double>(int64_t)> number,
              bool imaginary) const;
  ComplexParts rotated(const ComplexParts &y, ArrayRef<int64_t> sizes, ArrayRef<int64_t> axes,
                       llvm::function_ref<std::complex<double>(int64_t)> number) const;
  ComplexParts rotatedBetweenRounds(const ComplexParts &y, int64_t k, int64_t length) const;

  GraphMath &g;
  Type element;
  DimExpr lines;
  bool inverse;
};

} // namespace

static int64_t sizeOf(Value x, size_t axis) { return getShape(x)[axis].constantValue(); }

// Times numbers that lie along axes of a table of these sizes.
ComplexParts Columns::rotated(const ComplexParts &y, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> axes,
                              llvm::function_ref<std::complex<double>(int64_t)> number) const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<double> re, im;
  for (int64_t place = 0; place < count; ++place) {
    const std::complex<double> w = number(place);
    re.push_back(w.real());
    im.push_back(w.imag());
  }
  auto everywhere = [&](ArrayRef<double> numbers) {
    return g.broadcast(constantOf(g, sizes, numbers, element), getShape(y.re), axes);
  };
  return multiplied(g, y, {everywhere(re), everywhere(im)});
}

// Of results k, of which there are as many along the first axis: exp(-2 pi i (k done + first) place
// / length), the place that along the last axis.
ComplexParts Columns::rotatedBetweenRounds(const ComplexParts &y, int64_t k, int64_t length) const {
  const int64_t done = sizeOf(y.re, 1), width = sizeOf(y.re, 5);
  auto at = [&](int64_t first, int64_t place) {
    return rootOfUnity(-((k * done + first) * place), length);
  };
  if (done * width <= kTableElements)
    return rotated(y, {done, width}, {1, 5}, [&](int64_t i) { return at(i / width, i % width); });
  // Neighbours first, then runs of them.
  int64_t run = 1;
  for (int64_t divisor = 2; divisor * divisor <= width; ++divisor)
    if (width % divisor == 0)
      run = divisor;
  Shape split = getShape(y.re), whole = split;
  split.back() = DimExpr(width / run);
  split.push_back(DimExpr(run));
  ComplexParts z{g.reshape(y.re, split), g.reshape(y.im, split)};
  z = rotated(z, {done, run}, {1, 6}, [&](int64_t i) { return at(i / run, i % run); });
  z = rotated(z, {done, width / run}, {1, 5},
              [&](int64_t i) { return at(i / (width / run), i % (width / run) * run); });
  return {g.reshape(z.re, whole), g.reshape(z.im, whole)};
}

Value Columns::stage(Value x, const Round &round, size_t number) const {
  const int64_t factor = round.factors[number], done = sizeOf(x, 1), rotatedBy = round.rotatedBy;
  const bool isLast = number + 1 == round.factors.size();
  const int64_t places = sizeOf(x, 3) / factor;
  const DimExpr width = getShape(x)[4];
  x = g.reshape(x, {DimExpr(2), DimExpr(done), lines, DimExpr(factor), DimExpr(places), width});
  Shape starts(6, DimExpr(0)), sizes = getShape(x);
  sizes[0] = sizes[3] = DimExpr(1);
  auto part = [&](int64_t which, int64_t j) {
    starts[0] = DimExpr(which);
    starts[3] = DimExpr(j);
    return g.slice(x, starts, sizes, SmallVector<int64_t>(6, 1));
  };
  // The inverse transform is the other one of imaginary parts as real ones, and the other way
  // round.
  const int64_t real = inverse && round.isFirst && number == 0;
  SmallVector<ComplexParts> parts;
  for (int64_t j = 0; j < factor; ++j) {
    Value re = part(real, j);
    parts.push_back({re, part(1 - real, j)});
  }
  SmallVector<Value> re, im;
  for (auto [k, result] : llvm::enumerate(transformWrittenOut(g, parts))) {
    ComplexParts y = result;
    if (k != 0 && places > 1)
      y = rotated(y, {places}, {4}, [&, k = int64_t(k)](int64_t place) {
        return rootOfUnity(-k * place, factor * places);
      });
    if (isLast && rotatedBy > 1)
      y = rotatedBetweenRounds(y, int64_t(k), rotatedBy);
    re.push_back(y.re);
    im.push_back(y.im);
  }
  if (inverse && round.isLast && isLast)
    std::swap(re, im);
  re.append(im);
  return inMemory(g, g.reshape(g.concatenate(re, 0), {DimExpr(2), DimExpr(done * factor), lines,
                                                      DimExpr(places), width}));
}

Value Columns::round(Value x, const Round &round) const {
  for (size_t number = 0; number < round.factors.size(); ++number)
    x = stage(x, round, number);
  return x;
}

// Of numbers in memory, (2, lines, length); the result is (2, columns, lines, rows).
Value Columns::transform(Value x, const FourierRounds &rounds) const {
  const DimExpr one(1), two(2), rows(rounds.rows()), columns(rounds.columns());
  x = round(g.reshape(x, {two, one, lines, rows, columns}),
            {rounds.first, /*isFirst=*/true, /*isLast=*/false, rounds.rows() * rounds.columns()});
  // (2, rows, lines, 1, columns) to (2, 1, lines, columns, rows)
  x = g.transpose(g.reshape(x, {two, rows, lines, columns}), {0, 2, 3, 1});
  x = round(g.reshape(inMemory(g, x), {two, one, lines, columns, rows}),
            {rounds.second, /*isFirst=*/false, /*isLast=*/true, 1});
  return g.reshape(x, {two, columns, lines, rows});
}

Value Columns::transformOnce(Value x, ArrayRef<int64_t> factors) const {
  const Shape shape = getShape(x);
  x = g.reshape(x, {shape[0], DimExpr(1), lines, shape[1], shape[2]});
  return g.reshape(round(x, {factors, /*isFirst=*/true, /*isLast=*/true, 1}), shape);
}

// Pairs, or two parts, as two planes in memory: (2, lines, length).
static Value planesOf(GraphMath &g, ValueRange x) {
  return x.size() == 1 ? inMemory(g, g.transpose(x[0], {2, 0, 1})) : joinedInMemory(g, x);
}

SmallVector<Value> transformInRounds(GraphMath &g, ValueRange x, const FourierRounds &rounds,
                                     bool inverse, bool makesPairs) {
  const Shape shape = getShape(x[0]);
  const DimExpr lines = shape[0], columns(rounds.columns()), rows(rounds.rows());
  Value y = planesOf(g, x);
  y = Columns(g, getElementType(y), lines, inverse).transform(y, rounds);
  if (makesPairs) {
    // Rows are brought to their lines first: pairs are then mixed of two runs of numbers.
    if (lines != DimExpr(1))
      y = inMemory(g, g.transpose(y, {0, 2, 1, 3}));
    return {g.transpose(g.reshape(y, {DimExpr(2), lines, shape[1]}), {1, 2, 0})};
  }
  auto part = [&](int64_t which) {
    Value z = g.slice(y, {DimExpr(which), DimExpr(0), DimExpr(0), DimExpr(0)},
                      {DimExpr(1), columns, lines, rows}, {1, 1, 1, 1});
    z = g.transpose(g.reshape(z, {columns, lines, rows}), {1, 0, 2});
    return g.reshape(z, {lines, shape[1]});
  };
  Value re = part(0);
  return {re, part(1)};
}

SmallVector<Value> transformSideBySide(GraphMath &g, ValueRange x, ArrayRef<int64_t> factors,
                                       bool inverse, bool makesPairs) {
  const Shape shape = getShape(x[0]), lines(shape.begin(), shape.begin() + 2);
  Value y = planesOf(g, x);
  y = inMemory(g, g.transpose(g.reshape(y, {DimExpr(2), lines[0], lines[1]}), {0, 2, 1}));
  y = Columns(g, getElementType(y), DimExpr(1), inverse).transformOnce(y, factors);
  y = inMemory(g, g.transpose(y, {0, 2, 1}));
  if (makesPairs)
    return {g.transpose(y, {1, 2, 0})};
  auto part = [&](int64_t which) {
    Value z = g.slice(y, {DimExpr(which), DimExpr(0), DimExpr(0)}, {DimExpr(1), lines[0], lines[1]},
                      {1, 1, 1});
    return g.reshape(z, lines);
  };
  Value re = part(0);
  return {re, part(1)};
}

} // namespace keratin::passes

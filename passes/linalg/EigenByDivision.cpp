// Divide and conquer (Cuppen 1981) in the form whose eigenvectors are orthogonal by construction
// (Gu, Eisenstat: A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem, 1995):
// with T = diag(T1, T2) + rho v v^T, and T1, T2 diagonalised, what is left is D + rho z z^T. Its
// eigenvalues are the zeros of the secular equation, one between each two elements of D; a z for
// which they are exact gives the vectors. All nodes of a level are done at once, a level has half
// as many nodes of twice the size.
#include "passes/linalg/Eigen.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/SecularEquation.h"

#include "ir/builder/MatrixMath.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Rows of the parts that are not divided further, at most.
static constexpr int64_t kMostLeafRows = 8;

namespace {

// Nodes are the dimension before that of values. Of eigenvectors, the rows, all columns are here or
// only the first and the last.
struct Level {
  Value values, rows;
};

// Of a level: some values, their rows, and all columns of these.
struct Wanted {
  int64_t first, count;
  bool rows, columns;
};

} // namespace

// The shape's batch, then these sizes.
static Shape sized(const Shape &shape, size_t batchRank, std::initializer_list<int64_t> sizes) {
  Shape result(shape.begin(), shape.begin() + ptrdiff_t(batchRank));
  for (int64_t size : sizes)
    result.push_back(size);
  return result;
}

// Numbers that are eigenvalues of nothing else, behind the diagonal: they stay alone to the end.
static Value padded(GraphMath &g, Value diagonal, int64_t size) {
  const size_t axis = getShape(diagonal).size() - 1;
  const int64_t rows = getShape(diagonal)[axis].constantValue();
  if (rows == size)
    return diagonal;
  Shape shape = getShape(diagonal);
  shape[axis] = size - rows;
  return g.concatenate(
      {diagonal, g.splat(kAboveAll, getTensorType(shape, getElementType(diagonal)))},
      int64_t(axis));
}

static Value paddedWithZeros(GraphMath &g, Value x, int64_t size) {
  Shape shape = getShape(x), low(shape.size(), DimExpr(0));
  shape.back() = size;
  return g.pad(x, low, SmallVector<int64_t>(low.size(), 0), shape);
}

// The parts as matrices, from their diagonals and what is behind each element of them.
static Value leafMatrices(GraphMath &g, Value diagonal, Value behind) {
  Shape shape = getShape(diagonal);
  const int64_t axis = int64_t(shape.size());
  shape.push_back(shape.back());
  Value like = g.splat(0.0, getTensorType(shape, getElementType(diagonal)));
  Value place = diagonalNumbers(g, like);
  auto isAt = [&](double number) { return g.equal(place, g.constantLike(number, place)); };
  auto ofRow = [&](Value x) { return g.broadcastAlong(x, shape, {axis}); };
  auto ofColumn = [&](Value x) { return g.broadcastAlong(x, shape, {axis - 1}); };
  Value beside = g.select(isAt(1), ofRow(behind), g.select(isAt(-1), ofColumn(behind), like));
  return g.select(isAt(0), ofRow(diagonal), beside);
}

// Two neighbours become one: `joint` is what was taken out between them, for each pair.
static Level joined(GraphMath &g, const Level &level, Value joint, const Wanted &wanted) {
  const Shape shape = getShape(level.rows); // …, nodes, size, columns
  const size_t batchRank = shape.size() - 3;
  const int64_t pairs = shape[batchRank].constantValue() / 2,
                size = shape[batchRank + 1].constantValue(), columns = shape.back().constantValue();
  Value rows = g.reshape(level.rows, sized(shape, batchRank, {pairs, 2, size, columns}));
  auto half = [&](int64_t number, int64_t column, int64_t width) {
    Value part = placesAlong(g, placesAlong(g, rows, batchRank + 1, number, 1), batchRank + 3,
                             column, width);
    return g.reshape(part, sized(shape, batchRank, {pairs, size, width}));
  };
  auto vector = [&](Value x) { return g.reshape(x, sized(shape, batchRank, {pairs, size})); };
  Value last = vector(half(0, columns - 1, 1)), first = vector(half(1, 0, 1));
  Value sign =
      g.select(g.less(joint, g.zeroLike(joint)), g.constantLike(-1, joint), g.oneLike(joint));
  first = g.mul(first, repeatAlong(g, sign, first, batchRank + 1));
  const int64_t axis = int64_t(batchRank) + 1;
  SecularEquation equation;
  equation.poles = g.reshape(level.values, sized(shape, batchRank, {pairs, 2 * size}));
  equation.weights = g.concatenate({last, first}, axis);
  equation.factor = g.abs(joint);
  auto [values, turned] = solved(g, equation, wanted.first, wanted.count, wanted.rows);
  if (!wanted.rows)
    return {values, Value()};
  auto product = [&](int64_t number) {
    Value part = placesAlong(g, turned, batchRank + 2, number * size, size);
    return wanted.columns ? matrixProduct(g, part, half(number, 0, columns))
                          : matrixProduct(g, part, half(number, number * (columns - 1), 1));
  };
  return {values, g.concatenate({product(0), product(1)}, axis + 1)};
}

Eigen eigenByDivision(GraphMath &g, const Tridiagonal &t, int64_t count, bool hasVectors) {
  const Shape shape = getShape(t.diagonal);
  const size_t axis = shape.size() - 1;
  const int64_t rows = shape.back().constantValue();
  int64_t levels = 0;
  while (llvm::divideCeil(rows, int64_t(1) << levels) > uint64_t(kMostLeafRows))
    ++levels;
  const int64_t leaves = int64_t(1) << levels, leaf = llvm::divideCeil(rows, leaves),
                size = leaf * leaves;
  Value diagonal = padded(g, t.diagonal, size), behind = paddedWithZeros(g, t.beside, size);
  // What is beside the diagonal between two leaves, taken out of both elements there.
  Value numbers =
      g.iota(withElementType(getTensorType(behind), g.builder().getI64Type()), int64_t(axis));
  auto isAtLeaf = [&](int64_t place) {
    Value rest = g.mod(numbers, g.constantLike(double(leaf), numbers));
    return g.equal(rest, g.constantLike(double(place), numbers));
  };
  Value zeros = g.zeroLike(behind), isLast = isAtLeaf(leaf - 1);
  Value taken = g.select(isLast, g.abs(behind), zeros);
  Shape one(shape.size(), DimExpr(0));
  one.back() = 1;
  Value takenBefore = g.pad(placesAlong(g, taken, axis, 0, size - 1), one,
                            SmallVector<int64_t>(one.size(), 0), getShape(taken));
  diagonal = g.sub(g.sub(diagonal, taken), takenBefore);
  Value inside = g.select(isLast, zeros, behind);
  Value matrices = leafMatrices(g, g.reshape(diagonal, sized(shape, axis, {leaves, leaf})),
                                g.reshape(inside, sized(shape, axis, {leaves, leaf})));
  Eigen parts = eigenByRotations(g, matrices);
  Level level{parts.values, parts.rows};
  if (!hasVectors && levels > 0)
    level.rows = placesAlong(g, level.rows, axis + 2, 0, 2, leaf - 1);
  for (int64_t each = leaf; each < size; each *= 2) {
    const bool isLast = 2 * each == size;
    const Wanted wanted{isLast ? rows - count : 0, isLast ? count : 2 * each, hasVectors || !isLast,
                        hasVectors};
    // Joints are at each - 1, and every 2 * each from there.
    Value joints = placesAlong(g, behind, axis, each - 1, size / each / 2, 2 * each);
    level = joined(g, level, joints, wanted);
  }
  if (levels == 0)
    level = {placesAlong(g, level.values, axis + 1, rows - count, count),
             placesAlong(g, level.rows, axis + 1, rows - count, count)};
  Value values = g.reshape(level.values, sized(shape, axis, {count}));
  if (!hasVectors)
    return {values, Value()};
  Value all = g.reshape(level.rows, sized(shape, axis, {count, size}));
  return {values, placesAlong(g, all, axis + 1, 0, rows)};
}

} // namespace keratin::passes

// Of A + c I, where c is more than all eigenvalues of A are in size: J (A + c I) with orthogonal
// rows has those of the eigenvectors, and J and rows are the same but for their lengths. So rows
// alone are turned. The eigenvalues follow from A and the vectors, with errors of the order of
// rounding, however close the vectors are.
#include "passes/linalg/Eigen.h"
#include "passes/linalg/Rotations.h"

#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Repeated to each element of the matrices.
static Value overMatrices(GraphMath &g, Value number, Value x) {
  const int64_t rank = getTensorType(x).getRank();
  return g.broadcastAlong(number, getShape(x), {rank - 2, rank - 1});
}

// x, or 1 where it is 0.
static Value divisor(GraphMath &g, Value x) {
  return g.select(g.equal(x, g.zeroLike(x)), g.oneLike(x), x);
}

static Value squareSum(GraphMath &g, Value x) {
  const int64_t rank = getTensorType(x).getRank();
  return g.reduceSum(g.mul(x, x), {rank - 2, rank - 1});
}

Eigen eigenByRotations(GraphMath &g, Value x) {
  const Shape shape = getShape(x);
  const int64_t axis = int64_t(shape.size()) - 2;
  // Divided by its largest element, then by the root of the sum of squares.
  Value largest = divisor(g, g.reduceMax(g.abs(x), {axis, axis + 1}));
  Value a = g.div(x, overMatrices(g, largest, x));
  Value root = divisor(g, g.sqrt(squareSum(g, a)));
  a = g.div(a, overMatrices(g, root, a));
  Value scale = g.mul(largest, root);
  // The root of the sum of squares of A^4 is sqrt(n) times the largest eigenvalue of it at most:
  // its fourth root is little above that of A.
  Value square = matrixProduct(g, a, a);
  Value fourth = g.sqrt(squareSum(g, matrixProduct(g, square, square)));
  Value shift = divisor(g, g.scale(g.sqrt(g.sqrt(fourth)), 1.25));
  Value place = diagonalNumbers(g, a), isDiagonal = g.equal(place, g.zeroLike(place));
  Value shifted = g.select(isDiagonal, g.add(a, overMatrices(g, shift, a)), a);
  Value rows = withOrthogonalRows(g, shifted, shape.back());

  auto along = [&](Value each) { return g.broadcastAlong(each, shape, {axis + 1}); };
  Value vectors = g.div(rows, along(g.sqrt(g.reduceSum(g.mul(rows, rows), {axis + 1}))));
  Value values = g.reduceSum(g.mul(matrixProduct(g, vectors, a), vectors), {axis + 1});
  values = g.mul(values, g.broadcastAlong(scale, getShape(values), {axis}));
  auto numbers = withElementType(getTensorType(values), g.builder().getI64Type());
  Value order = g.builder().create<TopKOp>(g.location(), numbers, g.neg(values));
  return {gatherRows(g, values, order), gatherRows(g, vectors, order)};
}

} // namespace keratin::passes

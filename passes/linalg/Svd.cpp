// A matrix is made square by QR, which leaves rotations less to do as well (Drmač, Veselić: New
// fast and accurate Jacobi SVD algorithm, 2008). Up to some rows, or where nobody knows how many,
// its rows become orthogonal: J M has the singular values as lengths of rows, and J is U^T. The
// rows, ordered by length, are made a whole orthonormal basis by another QR, whose reflections do
// not mind that some have no direction. Of more rows it becomes bidiagonal.
#include "passes/linalg/Bidiagonal.h"
#include "passes/linalg/Eigen.h"
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/Rotations.h"

#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

namespace {

// u diag(s) v^T.
struct Singular {
  Value u, s, v;
};

struct Orthogonal {
  Value q, r;
};

} // namespace

static Orthogonal orthogonal(GraphMath &g, Value x) {
  Shape q = getShape(x), r = q;
  const size_t axis = q.size() - 2;
  const DimExpr k = *min(q[axis], q.back());
  q.back() = r[axis] = k;
  Type element = getElementType(x);
  auto op = g.builder().create<QrOp>(g.location(), getTensorType(q, element),
                                     getTensorType(r, element), x);
  return {op.getQ(), op.getR()};
}

// The columns, longest first, or those that matter first, as a whole orthonormal basis.
static Value basisOf(GraphMath &g, Value columns) {
  auto [q, r] = orthogonal(g, columns);
  Value diagonal = mainDiagonal(g, r);
  Value signs = g.select(g.less(diagonal, g.zeroLike(diagonal)), g.constantLike(-1, diagonal),
                         g.oneLike(diagonal));
  return g.mul(q, g.broadcastAlong(signs, getShape(q), {getTensorType(q).getRank() - 2}));
}

// Of square matrices; without vectors, which nobody needs, u and v are null.
static Singular decomposeByRotations(GraphMath &g, Value x, bool hasVectors) {
  const Shape shape = getShape(x);
  const int64_t axis = int64_t(shape.size()) - 2;
  const DimExpr n = shape.back();
  Value beside = hasVectors ? g.concatenate({x, unitMatrices(g, x)}, axis + 1) : x;
  Value turned = withOrthogonalRows(g, beside, n);
  Value rows = matrixPart(g, turned, 0, n, 0, n);
  Value s = g.sqrt(g.reduceSum(g.mul(rows, rows), {axis + 1}));
  auto numbers = withElementType(getTensorType(s), g.builder().getI64Type());
  Value order = g.builder().create<TopKOp>(g.location(), numbers, s);
  if (!hasVectors)
    return {Value(), gatherRows(g, s, order), Value()};
  Value ut = matrixPart(g, turned, 0, n, n, n);
  Value v = basisOf(g, matrixTranspose(g, gatherRows(g, rows, order)));
  return {matrixTranspose(g, gatherRows(g, ut, order)), gatherRows(g, s, order), v};
}

// The eigenvalues of a tridiagonal matrix with zeros on the diagonal, and beside it the elements of
// a bidiagonal one in turn, are the singular values and their negatives; the eigenvectors have
// those of v and u in turn (Golub, Kahan 1965). Of small singular values they are no more than as
// long together, so each becomes a basis by itself.
static Singular decomposeByBidiagonal(GraphMath &g, Value x, bool hasVectors) {
  const Shape shape = getShape(x);
  const size_t axis = shape.size() - 2;
  const int64_t n = shape.back().constantValue();
  BidiagonalFactors factors = bidiagonalOf(g, x, hasVectors);
  Shape pair = getShape(factors.diagonal), whole = pair;
  pair.push_back(1);
  whole.back() = 2 * n;
  Value beside =
      g.reshape(g.concatenate({g.reshape(factors.diagonal, pair), g.reshape(factors.beside, pair)},
                              int64_t(axis) + 1),
                whole);
  Value largest = g.reduceMax(g.abs(beside), {int64_t(axis)});
  largest = g.select(g.equal(largest, g.zeroLike(largest)), g.oneLike(largest), largest);
  beside = g.div(beside, repeatAlong(g, largest, beside, axis));
  Tridiagonal t{g.zeroLike(beside), placesAlong(g, beside, axis, 0, 2 * n - 1)};
  auto [values, rows] = eigenByDivision(g, t, n, hasVectors);
  Value s = g.reverse(g.maximum(values, g.zeroLike(values)), {int64_t(axis)});
  s = g.mul(s, repeatAlong(g, largest, s, axis));
  if (!hasVectors)
    return {Value(), s, Value()};
  rows = g.reverse(rows, {int64_t(axis)});
  auto basis = [&](int64_t first, ArrayRef<ReflectionPanel> panels) {
    Value parts = placesAlong(g, rows, axis + 1, first, n, 2);
    return basisOf(g, matrixTranspose(g, reflectedByAll(g, parts, panels)));
  };
  return {basis(1, factors.u), s, basis(0, factors.v)};
}

static bool hasManyRows(const DimExpr &n) {
  return n.isConstant() && n.constantValue() > kTurnedRows;
}

static Singular decompose(GraphMath &g, Value x, bool hasVectors) {
  return hasManyRows(getShape(x).back()) ? decomposeByBidiagonal(g, x, hasVectors)
                                         : decomposeByRotations(g, x, hasVectors);
}

// Of matrices with as many rows as columns or more, or without anyone knowing which are more.
static Singular decomposeTall(GraphMath &g, Value x, bool hasVectors) {
  const Shape shape = getShape(x);
  if (hasManyRows(shape.back()) && shape[shape.size() - 2] == shape.back())
    return decompose(g, x, hasVectors);
  auto [q, r] = orthogonal(g, x);
  Value right; // times the transpose of a square matrix: the transpose of r
  if (getShape(r)[getShape(r).size() - 2] != getShape(r).back()) {
    auto [factor, square] = orthogonal(g, matrixTranspose(g, r));
    right = factor;
    r = matrixTranspose(g, square);
  }
  auto [u, s, v] = decompose(g, r, hasVectors);
  if (!hasVectors)
    return {u, s, v};
  return {matrixProduct(g, q, u), s, right ? matrixProduct(g, right, v) : v};
}

SmallVector<Value> expandSvd(OpBuilder &builder, SvdOp op) {
  GraphMath g(builder, op.getLoc());
  const DimExpr k = getShape(op.getS()).back();
  if (k == DimExpr(0))
    return {g.zeroLike(op.getU()), g.zeroLike(op.getS()), g.zeroLike(op.getVt())};
  Value x = op.getX();
  const Shape shape = getShape(x);
  const int64_t axis = int64_t(shape.size()) - 2;
  // Squares neither overflow nor vanish.
  Value largest = g.reduceMax(g.abs(x), {axis, axis + 1});
  largest = g.select(g.equal(largest, g.zeroLike(largest)), g.oneLike(largest), largest);
  x = g.div(x, g.broadcastAlong(largest, shape, {axis, axis + 1}));
  const bool isWide = shape[axis] == k && shape.back() != k;
  const bool hasVectors = !op.getU().use_empty() || !op.getVt().use_empty();
  Singular made = decomposeTall(g, isWide ? matrixTranspose(g, x) : x, hasVectors);
  Value s = g.mul(made.s, g.broadcastAlong(largest, getShape(made.s), {axis}));
  if (!hasVectors)
    return {g.zeroLike(op.getU()), s, g.zeroLike(op.getVt())};
  if (isWide)
    std::swap(made.u, made.v);
  Value vt = matrixTranspose(g, made.v), signs = signsOfRows(g, vt);
  vt = g.mul(vt, g.broadcastAlong(signs, getShape(vt), {axis + 1}));
  Value u = g.mul(made.u, g.broadcastAlong(signs, getShape(made.u), {axis}));
  return {u, s, vt};
}

} // namespace keratin::passes

// A matrix is made square by QR, which leaves rotations less to do as well (Drmač, Veselić: New
// fast and accurate Jacobi SVD algorithm, 2008); then its rows become orthogonal: J M has the
// singular values as lengths of rows, and J is U^T. The rows, ordered by length, are made a whole
// orthonormal basis by another QR, whose reflections do not mind that some have no direction.
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

// Of square matrices; without vectors, which nobody needs, u and v are null.
static Singular decompose(GraphMath &g, Value x, bool hasVectors) {
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
  auto [v, r] = orthogonal(g, matrixTranspose(g, gatherRows(g, rows, order)));
  Value diagonal = mainDiagonal(g, r);
  Value signs = g.select(g.less(diagonal, g.zeroLike(diagonal)), g.constantLike(-1, diagonal),
                         g.oneLike(diagonal));
  v = g.mul(v, g.broadcastAlong(signs, shape, {axis}));
  return {matrixTranspose(g, gatherRows(g, ut, order)), gatherRows(g, s, order), v};
}

// Of matrices with as many rows as columns or more, or without anyone knowing which are more.
static Singular decomposeTall(GraphMath &g, Value x, bool hasVectors) {
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

// Gradients of factorizations with orthonormal factors.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

// Row i of x times factors[i], and column j times factors[j].
static Value scaleRows(GraphMath &g, Value x, Value factors) {
  return g.mul(x, g.broadcastAlong(factors, getShape(x), {getTensorType(x).getRank() - 1}));
}
static Value scaleColumns(GraphMath &g, Value x, Value factors) {
  return g.mul(x, g.broadcastAlong(factors, getShape(x), {getTensorType(x).getRank() - 2}));
}

static Value diagonalMatrix(GraphMath &g, Value elements, Value like) {
  return scaleRows(g, unitMatrices(g, like), elements);
}

// With M = R dR^T - dQ^T Q, of which the lower triangle counts and is made symmetric:
// dX = (dQ + Q M) R^-T (Walter, Lehmann: Algorithmic differentiation of linear algebra functions
// with application in optimum experimental design, 2010).
LogicalResult QrOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                             SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  Value dq = cotangents[0], dr = cotangents[1];
  if (!dq && !dr)
    return success();
  const Shape ofR = getShape(getR());
  if (ofR[ofR.size() - 2] != ofR.back())
    return emitOpError("the gradient needs as many rows as columns, or more, found ")
           << getX().getType();
  GraphMath g(builder, gradientLocation(*this));
  Value middle; // the zeros below the diagonal of R depend on nothing
  if (dr)
    middle = matrixProduct(g, getR(), upperTriangle(g, dr), {false, /*bTransposed=*/true});
  if (dq) {
    Value ofQ = matrixProduct(g, dq, getQ(), {/*aTransposed=*/true});
    middle = middle ? g.sub(middle, ofQ) : g.neg(ofQ);
  }
  Value symmetric =
      g.add(lowerTriangle(g, middle), matrixTranspose(g, lowerTriangle(g, middle, -1)));
  Value sum = matrixProduct(g, getQ(), symmetric);
  if (dq)
    sum = g.add(dq, sum);
  Value right = matrixTranspose(g, sum);
  Value solved = builder.create<TriangularSolveOp>(g.location(), right.getType(), getR(), right,
                                                   /*lower=*/false, /*transposed=*/false,
                                                   /*unit_diagonal=*/false);
  gradients[0] = matrixTranspose(g, solved);
  return success();
}

// b[j] - b[i] in row i and column j, but 1 on the diagonal.
static Value differences(GraphMath &g, Value b, Value like) {
  const Shape shape = getShape(like);
  const int64_t row = int64_t(shape.size()) - 2;
  Value gaps = g.sub(g.broadcastAlong(b, shape, {row}), g.broadcastAlong(b, shape, {row + 1}));
  return withDiagonal(g, gaps, 1);
}

// dX = V (diag(dw) + (V^T dV) / (w[j] - w[i])) V^T, made symmetric.
LogicalResult EighOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  Value dw = cotangents[0], dv = cotangents[1], v = getVectors();
  if (!dw && !dv)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value scaled, middle; // V times what is diagonal, and what is not
  if (dw)
    scaled = scaleColumns(g, v, dw);
  if (dv) {
    middle = matrixProduct(g, v, dv, {/*aTransposed=*/true});
    middle = withDiagonal(g, g.div(middle, differences(g, getValues(), middle)), 0);
    Value turned = matrixProduct(g, v, middle);
    scaled = scaled ? g.add(scaled, turned) : turned;
  }
  Value dx = matrixProduct(g, scaled, v, {false, /*bTransposed=*/true});
  gradients[0] = g.scale(g.add(dx, matrixTranspose(g, dx)), 0.5);
  return success();
}

// X - X^T of X = q^T dq, over the differences of squared singular values.
static Value turning(GraphMath &g, Value q, Value dq, Value s) {
  Value product = matrixProduct(g, q, dq, {/*aTransposed=*/true});
  Value skew = g.sub(product, matrixTranspose(g, product));
  return g.div(skew, differences(g, g.mul(s, s), skew));
}

// What of dq, over the singular values, is orthogonal to q.
static Value beside(GraphMath &g, Value q, Value dq, Value s) {
  Value over = scaleColumns(g, dq, g.div(g.oneLike(s), s));
  return g.sub(over, matrixProduct(g, q, matrixProduct(g, q, over, {/*aTransposed=*/true})));
}

// dX = U (A S + S B + diag(ds)) V^T + C V^T + U D^T, where A and B are what turns U and V, C and D
// what of them leaves their columns (Townsend: Differentiating the singular value decomposition,
// 2016).
LogicalResult SvdOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  Value du = cotangents[0], ds = cotangents[1], dvt = cotangents[2];
  if (!du && !ds && !dvt)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value u = getU(), s = getS(), vt = getVt();
  Value middle, left;
  auto addTo = [&](Value &sum, Value x) { sum = sum ? g.add(sum, x) : x; };
  if (du) {
    addTo(middle, scaleColumns(g, turning(g, u, du, s), s));
    if (getShape(u)[getShape(u).size() - 2] != getShape(u).back())
      left = beside(g, u, du, s);
  }
  Value right;
  if (dvt) {
    Value v = matrixTranspose(g, vt), dv = matrixTranspose(g, dvt);
    addTo(middle, scaleRows(g, turning(g, v, dv, s), s));
    if (getShape(v)[getShape(v).size() - 2] != getShape(v).back())
      right = beside(g, v, dv, s);
  }
  if (ds && middle)
    addTo(middle, diagonalMatrix(g, ds, middle));
  Value factor = middle ? matrixProduct(g, u, middle) : scaleColumns(g, u, ds);
  if (left)
    factor = g.add(factor, left);
  Value dx = matrixProduct(g, factor, vt);
  if (right)
    addTo(dx, matrixProduct(g, u, right, {false, /*bTransposed=*/true}));
  gradients[0] = dx;
  return success();
}

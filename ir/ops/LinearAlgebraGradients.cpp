// Gradients of factorizations and of what is solved by them.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

// Solves with a triangle of a, or with its transpose.
static Value solve(GraphMath &g, Value a, Value b, bool lower, bool transposed,
                   bool unitDiagonal = false) {
  return g.builder().create<TriangularSolveOp>(g.location(), b.getType(), a, b, lower, transposed,
                                               unitDiagonal);
}

// L^-T X L^-1 for X in the middle: twice a solve with L^T, of X and of what is then transposed.
// Murray (Differentiation of the Cholesky decomposition, 2016), (8): X is the lower triangle of
// L^T dL, whose diagonal is halved; the gradient is the symmetric part of that.
LogicalResult CholeskyOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  // The zeros above the diagonal depend on nothing.
  Value dy = lowerTriangle(g, cotangents[0]);
  Value product = matrixProduct(g, getY(), dy, {/*aTransposed=*/true});
  Value place = diagonalNumbers(g, product);
  Value halved = g.select(g.equal(place, g.zeroLike(place)), g.scale(product, 0.5),
                          lowerTriangle(g, product, -1));
  Value half = solve(g, getY(), halved, /*lower=*/true, /*transposed=*/true);
  Value both = solve(g, getY(), matrixTranspose(g, half), /*lower=*/true, /*transposed=*/true);
  gradients[0] = g.scale(g.add(both, matrixTranspose(g, both)), 0.5);
  return success();
}

LogicalResult TriangularSolveOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                          SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  Value dy = cotangents[0];
  if (!dy)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value db = solve(g, getA(), dy, getLower(), !getTransposed(), getUnitDiagonal());
  gradients[1] = db;
  Value product = getTransposed() ? matrixProduct(g, getY(), db, {false, true})
                                  : matrixProduct(g, db, getY(), {false, true});
  int64_t beside = getUnitDiagonal() ? 1 : 0; // ones are none of a's
  product = g.neg(product);
  gradients[0] =
      getLower() ? lowerTriangle(g, product, -beside) : upperTriangle(g, product, beside);
  return success();
}

// With P x = L U the differential is P dx = dL U + L dU. Of L^-1 P dx U^-1 the part below the
// diagonal is L^-1 dL, the rest dU U^-1. Transposed: x's rows in their order in L^-T X U^-T, X
// being L^T dL below the diagonal and dU U^T elsewhere.
LogicalResult LuOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                             SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  Value dy = cotangents[0];
  if (!dy)
    return success();
  Shape shape = getShape(getX());
  if (shape[shape.size() - 2] != shape.back())
    return emitOpError("the gradient needs square matrices, found ") << getX().getType();
  GraphMath g(builder, gradientLocation(*this));
  Value lower = withDiagonal(g, lowerTriangle(g, getFactors(), -1), 1);
  Value ofLower = matrixProduct(g, lower, lowerTriangle(g, dy, -1), {/*aTransposed=*/true});
  Value ofUpper = matrixProduct(g, upperTriangle(g, dy), upperTriangle(g, getFactors()),
                                {false, /*bTransposed=*/true});
  Value middle = g.add(lowerTriangle(g, ofLower, -1), upperTriangle(g, ofUpper));
  Value left = solve(g, getFactors(), middle, /*lower=*/true, /*transposed=*/true,
                     /*unitDiagonal=*/true);
  Value both = solve(g, getFactors(), matrixTranspose(g, left), /*lower=*/false,
                     /*transposed=*/false);
  gradients[0] = scatterRows(g, matrixTranspose(g, both), getPermutation());
  return success();
}

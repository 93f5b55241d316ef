// Few rows, or rows whose number nobody knows, are turned until they are eigenvectors; more rows
// become tridiagonal first, which is several times less arithmetic.
#include "passes/linalg/Eigen.h"
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/Rotations.h"

#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// The largest size of elements along the axes, but 1 where all are 0.
static Value scaleOf(GraphMath &g, Value x, ArrayRef<int64_t> axes) {
  Value largest = g.reduceMax(g.abs(x), axes);
  return g.select(g.equal(largest, g.zeroLike(largest)), g.oneLike(largest), largest);
}

static Eigen eigenByTridiagonal(GraphMath &g, Value x, bool hasVectors) {
  const int64_t axis = getTensorType(x).getRank() - 2;
  auto over = [&](Value x, Value scale, ArrayRef<int64_t> axes) {
    return g.div(x, g.broadcastAlong(scale, getShape(x), axes));
  };
  Value ofMatrix = scaleOf(g, x, {axis, axis + 1});
  TridiagonalFactors factors = tridiagonalOf(g, over(x, ofMatrix, {axis, axis + 1}), hasVectors);
  Tridiagonal &t = factors.t;
  Value ofBand = scaleOf(g, g.concatenate({t.diagonal, t.beside}, axis), {axis});
  t = {over(t.diagonal, ofBand, {axis}), over(t.beside, ofBand, {axis})};
  Eigen eigen = eigenByDivision(g, t, getShape(x).back().constantValue(), hasVectors);
  Value scale = g.mul(ofMatrix, ofBand);
  eigen.values = g.mul(eigen.values, g.broadcastAlong(scale, getShape(eigen.values), {axis}));
  if (hasVectors)
    eigen.rows = reflectedByAll(g, eigen.rows, factors.panels);
  return eigen;
}

SmallVector<Value> expandEigh(OpBuilder &builder, EighOp op) {
  GraphMath g(builder, op.getLoc());
  const Shape shape = getShape(op.getX());
  const int64_t axis = int64_t(shape.size()) - 2;
  const DimExpr n = shape.back();
  if (n == DimExpr(0))
    return {g.zeroLike(op.getValues()), g.zeroLike(op.getVectors())};
  Value x = op.getX(), place = diagonalNumbers(g, x);
  x = g.select(g.greater(place, g.zeroLike(place)), matrixTranspose(g, x), x);
  const bool hasVectors = !op.getVectors().use_empty();
  auto [values, rows] = n.isConstant() && n.constantValue() > kTurnedRows
                            ? eigenByTridiagonal(g, x, hasVectors)
                            : eigenByRotations(g, x);
  if (!hasVectors)
    return {values, g.zeroLike(op.getVectors())};
  Value signs = g.broadcastAlong(signsOfRows(g, rows), shape, {axis + 1});
  return {values, matrixTranspose(g, g.mul(rows, signs))};
}

} // namespace keratin::passes

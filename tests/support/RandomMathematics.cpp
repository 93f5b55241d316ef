// Steps of random graphs: sorting, linear algebra, Fourier transforms and complex numbers.
#include "tests/support/GraphMaker.h"

#include "ir/builder/MatrixMath.h"

#include <numeric>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

// The places of the largest along the last axis, and what lies there.
void GraphMaker::sort() {
  Value x = anyValue();
  Shape dims = getShape(x);
  if (dims.empty() || getElementType(x).isInteger(1))
    return;
  if (dims.back().isConstant() && dims.back().constantValue() > 1 && chance(40))
    dims.back() = DimExpr(1 + below(dims.back().constantValue()));
  Value places = b.create<TopKOp>(loc, getTensorType(dims, b.getI64Type()), x);
  if (chance(40))
    add(places);
  add(gatherRows(math, x, places));
}

//===-- Linear algebra ------------------------------------------------------------------------===//

// Square matrices of the last two dimensions of x: a product with the transpose, and what is added
// to its diagonal so that it is positive definite, or so large that no pivot is in doubt.
Value GraphMaker::conditioned(Value x, bool isSymmetric) {
  x = math.tanh(x);
  Value product = matrixProduct(math, x, x, {false, true});
  const int64_t rank = getTensorType(x).getRank();
  Type element = getElementType(x);
  Value size = math.count(x, {rank - 1}, element);
  size = math.maximum(size, math.oneLike(size));
  Value matrix = math.div(product, math.broadcastScalar(size, getShape(product)));
  Value unit = unitMatrices(math, matrix);
  if (isSymmetric)
    return math.add(matrix, unit);
  Value rows = math.count(x, {rank - 2}, element);
  matrix = math.mul(matrix, math.cos(math.iota(getTensorType(matrix), rank - 2)));
  return math.add(matrix, math.mul(unit, math.broadcastScalar(math.add(rows, math.oneLike(rows)),
                                                              getShape(unit))));
}

// Triangles, and what is solved by them.
void GraphMaker::matrices() {
  Value x = anyFloat();
  if (getTensorType(x).getRank() < 2)
    return;
  if (chance(30)) {
    Value matrix = conditioned(x, /*isSymmetric=*/false);
    Shape rows = getShape(matrix);
    rows.pop_back();
    auto op = b.create<LuOp>(loc, matrix.getType(), getTensorType(rows, b.getI64Type()), matrix);
    add(op.getFactors());
    return add(op.getPermutation());
  }
  const bool isFactored = chance(70);
  Value triangle = conditioned(x, /*isSymmetric=*/isFactored);
  if (isFactored) {
    triangle = b.create<CholeskyOp>(loc, triangle.getType(), triangle);
    add(triangle);
  }
  if (chance(60))
    add(b.create<TriangularSolveOp>(loc, x.getType(), triangle, x, /*lower=*/chance(70),
                                    /*transposed=*/chance(50), /*unit_diagonal=*/false));
}

// Of full rank, with values apart.
void GraphMaker::orthogonalFactors() {
  Value x = anyFloat();
  if (getTensorType(x).getRank() < 2)
    return;
  const int64_t rank = getTensorType(x).getRank();
  Value matrix = conditioned(x, /*isSymmetric=*/true);
  Value apart = math.mul(unitMatrices(math, matrix), math.iota(getTensorType(matrix), rank - 1));
  matrix = math.add(matrix, math.scale(apart, 2));
  Shape values = getShape(matrix);
  values.pop_back();
  Type square = matrix.getType(), vector = getTensorType(values, getElementType(x));
  if (chance(40)) {
    auto op = b.create<QrOp>(loc, square, square, matrix);
    add(op.getQ());
    add(op.getR());
  } else if (chance(50)) {
    auto op = b.create<EighOp>(loc, vector, square, matrix);
    add(op.getValues());
    add(op.getVectors());
  } else {
    auto op = b.create<SvdOp>(loc, square, vector, square, matrix);
    add(op.getU());
    add(op.getS());
    add(op.getVt());
  }
}

//===-- Transforms and complex numbers --------------------------------------------------------===//

static bool isPart(Type element) { return element.isF32() || element.isF64(); }

void GraphMaker::fourier() {
  Value re = anyFloat();
  if (!isPart(getElementType(re)) || getTensorType(re).getRank() == 0)
    return;
  Value im = chance(30) ? math.zeroLike(re) : like(re);
  auto op = b.create<FftOp>(loc, re, im, /*inverse=*/chance(50));
  add(op.getYRe());
  if (chance(70))
    add(op.getYIm());
}

// What complex numbers are moved, added and chosen by, and the parts of what comes of it.
void GraphMaker::complexNumbers() {
  Value re = anyFloat();
  if (!isPart(getElementType(re)))
    return;
  Type element = ComplexType::get(getElementType(re));
  auto make = [&](Value x) -> Value {
    return b.create<ComplexOp>(loc, getTensorType(getShape(x), element), x, like(x));
  };
  Value z = make(re);
  auto part = [&](bool isReal) -> Value {
    Type type = getTensorType(getShape(z), getElementType(re));
    return isReal ? b.create<RealOp>(loc, type, z).getResult()
                  : b.create<ImagOp>(loc, type, z).getResult();
  };
  for (int64_t i = 0, n = 1 + below(4); i < n; ++i) {
    Shape dims = getShape(z);
    Axes order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    switch (below(8)) {
    case 0:
      z = math.neg(z);
      break;
    case 1:
      z = math.add(z, make(part(true)));
      break;
    case 2:
      z = math.sub(make(part(false)), z);
      break;
    case 3:
      z = math.reverse(z, someAxes(z));
      break;
    case 4:
      std::reverse(order.begin(), order.end());
      z = math.transpose(z, order);
      break;
    case 5:
      z = math.reduceSum(z, someAxes(z));
      break;
    case 6:
      if (!dims.empty())
        z = math.cumsum(z, anyAxis(z), chance(50), chance(50));
      break;
    default:
      z = math.select(compareWith(part(true)), z, math.neg(z));
    }
  }
  add(part(true));
  add(part(false));
}

// K functions: factorizations of matrices in the last two axes, and what is solved by them.
#include "frontend/backend/Factorizations.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Reductions.h"
#include "frontend/graph/GivenGradient.h"
#include "ir/builder/MatrixMath.h"
#include "keratin/linear_algebra.h"
#include "runtime/abi/keratin_site_message.h"

#include <algorithm>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

Value keratin::frontend::asMatrices(Call &call, Value x, const std::string &argument) {
  if (call.rank(x) < 2)
    call.valueError(argument + " has shape " + describe(x) + "; needed rank 2 or more");
  return x;
}

Value keratin::frontend::asSquareMatrices(Call &call, Value x, const std::string &argument) {
  ir::Shape shape = ir::getShape(asMatrices(call, x, argument));
  const std::string what = "rows and columns of " + argument;
  shape[shape.size() - 2] = shape.back() = call.unify(shape[shape.size() - 2], shape.back(), what);
  return call.requireShape(x, shape, what);
}

//===-- Values --------------------------------------------------------------------------------===//

// Two operands of one floating dtype.
static std::pair<Value, Value> promotedFloats(Call &call, const Operand &x, const Operand &y) {
  auto [a, b] = call.promoted(x, y);
  const DType floats = isFloating(call.dtypeOf(a)) ? call.dtypeOf(a) : Configuration::floatx();
  return {call.cast(a, floats), call.cast(b, floats)};
}

namespace {

// How a message names one matrix of a batch (runtime/abi/keratin_site_message.h).
struct NamedMatrix {
  Value number; // of each matrix
  std::string name;
};

} // namespace

// Matrices are numbered row-major. Axes of unknown size have as many places as there are bits for;
// matrices beyond them have the number that tells of none.
static NamedMatrix named(Call &call, const ir::Shape &batch, const std::string &argument) {
  ir::GraphMath &g = call.g;
  auto type = ir::getTensorType(batch, call.elementType(DType::Int64));
  if (batch.empty())
    return {g.splat(0, type), argument};
  int64_t places = 1, unknown = 0;
  for (const DimExpr &size : batch)
    if (!size.isConstant())
      ++unknown;
    else if (places < KERATIN_SITE_MOST_NUMBERS)
      places *= std::clamp<int64_t>(size.constantValue(), 1, KERATIN_SITE_MOST_NUMBERS);
  places = std::min(places, KERATIN_SITE_MOST_NUMBERS);
  int64_t bits = 0;
  while (unknown && places << ((bits + 1) * unknown) < KERATIN_SITE_MOST_NUMBERS)
    ++bits;
  places <<= bits * unknown;
  if (unknown && bits == 0)
    return {g.splat(0, type), "a matrix of " + argument};
  const int64_t beyond = std::min(places, KERATIN_SITE_MOST_NUMBERS - 1);
  Value number = g.splat(0, type), isBeyond;
  std::string indices;
  int64_t stride = 1;
  for (int64_t axis = int64_t(batch.size()) - 1; axis >= 0; --axis) {
    const bool isKnown = batch[size_t(axis)].isConstant();
    const int64_t size =
        isKnown ? std::max<int64_t>(batch[size_t(axis)].constantValue(), 1) : int64_t(1) << bits;
    Value place = g.iota(type, axis);
    number = g.add(number, g.scale(place, double(stride)));
    if (!isKnown) {
      Value isFar = g.greaterEqual(place, g.constantLike(double(size), place));
      isBeyond = isBeyond ? g.or_(isBeyond, isFar) : isFar;
    }
    std::string index = "#";
    if (stride > 1)
      index += "/" + std::to_string(stride);
    if (axis > 0)
      index += "%" + std::to_string(size);
    indices = index + (indices.empty() ? "" : ", " + indices);
    // Beyond the places that are told apart anything will do.
    stride =
        std::min(stride * std::min(size, KERATIN_SITE_MOST_NUMBERS), KERATIN_SITE_MOST_NUMBERS);
  }
  if (isBeyond)
    number = g.select(isBeyond, g.constantLike(double(beyond), number), number);
  if (batch.size() > 1)
    indices = "(" + indices + ")";
  return {number,
          "{" + std::to_string(beyond + 1) + "|a matrix|matrix " + indices + "} of " + argument};
}

// Of the matrices that fail; with `check` the call fails, and names the first of them.
static Value checked(Call &call, Value fails, bool check, const std::string &argument,
                     const std::string &what) {
  if (!check)
    return fails;
  ir::GraphMath &g = call.g;
  NamedMatrix matrix = named(call, ir::getShape(fails), argument);
  Value none = g.constantLike(-1, matrix.number);
  Value number = call.inRange(g.select(fails, matrix.number, none), DimExpr(-1), DimExpr(0),
                              matrix.name + " " + what);
  return g.notEqual(number, none);
}

// The result, but NaN in the batches that fail.
static Value unlessFailed(Call &call, Value result, Value fails) {
  ir::GraphMath &g = call.g;
  const int64_t rank = call.rank(result);
  Value failsEach = g.broadcastAlong(fails, ir::getShape(result), {rank - 2, rank - 1});
  Value nan = g.constantLike(std::numeric_limits<double>::quiet_NaN(), result);
  return g.select(failsEach, nan, result);
}

static Value hasZeroOnDiagonal(Call &call, Value x) {
  Value diagonal = ir::mainDiagonal(call.g, x);
  return call.g.reduceAny(call.g.equal(diagonal, call.g.zeroLike(diagonal)),
                          {call.rank(diagonal) - 1});
}

//===-- Ops -----------------------------------------------------------------------------------===//

static Value factorSymmetric(Call &call, Value x) {
  return call.builder.create<ir::CholeskyOp>(call.g.location(), x.getType(), x);
}

namespace {

struct Factored {
  Value factors, permutation;
};

struct Triangle {
  bool lower = true, transposed = false, unitDiagonal = false;
};

} // namespace

static Factored factored(Call &call, Value x) {
  ir::Shape rows = ir::getShape(x);
  rows.pop_back();
  auto op = call.builder.create<ir::LuOp>(
      call.g.location(), x.getType(), ir::getTensorType(rows, call.elementType(DType::Int64)), x);
  return {op.getFactors(), op.getPermutation()};
}

static Value solveTriangle(Call &call, Value a, Value b, const Triangle &triangle) {
  return call.builder.create<ir::TriangularSolveOp>(call.g.location(), b.getType(), a, b,
                                                    triangle.lower, triangle.transposed,
                                                    triangle.unitDiagonal);
}

static Value solveFactored(Call &call, const Factored &a, Value b) {
  Value exchanged = ir::gatherRows(call.g, b, a.permutation);
  Value y = solveTriangle(call, a.factors, exchanged,
                          {/*lower=*/true, /*transposed=*/false, /*unitDiagonal=*/true});
  return solveTriangle(call, a.factors, y, {/*lower=*/false});
}

// What belongs to each matrix, repeated to this batch.
static Value overBatch(Call &call, Value x, const ir::Shape &own, const ir::Shape &batch) {
  ir::Shape shape = ir::getShape(x);
  shape.erase(shape.begin(), shape.begin() + ptrdiff_t(own.size()));
  shape.insert(shape.begin(), batch.begin(), batch.end());
  call.checkBytes(ir::getTensorType(shape, ir::getElementType(x)));
  return call.broadcastTo(x, shape);
}

static ir::Shape batchOf(Value x) {
  ir::Shape shape = ir::getShape(x);
  shape.resize(shape.size() - 2);
  return shape;
}

// b has the batch of the result, a one that is broadcast to it: its matrices are factored once.
static Value solveGeneral(Call &call, Value a, Value b, bool check, const std::string &argument) {
  Factored factors = factored(call, a);
  Value fails =
      checked(call, hasZeroOnDiagonal(call, factors.factors), check, argument, "is singular");
  auto repeated = [&](Value x) { return overBatch(call, x, batchOf(a), batchOf(b)); };
  Value y = solveFactored(call, {repeated(factors.factors), repeated(factors.permutation)}, b);
  return unlessFailed(call, y, repeated(fails));
}

Value keratin::frontend::inverseOf(Call &call, Value x, bool check) {
  const DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  return call.cast(solveGeneral(call, x, ir::unitMatrices(call.g, x), check, "x"), dtype);
}

Value keratin::frontend::solutionOf(Call &call, Value a, Value b) {
  Value solved = solveGeneral(call, widened(call, a), widened(call, b), /*check=*/false, "a");
  return call.cast(solved, call.dtypeOf(b));
}

//===-- Systems of equations ------------------------------------------------------------------===//

// Solves a y = b with `solve`, which is given square matrices and columns, these with the batch
// that both are broadcast to. A vector b is one column, of each of the matrices.
static Tensor solveSystem(Call &call, const Operand &first, const Operand &second,
                          llvm::function_ref<Value(Value, Value)> solve,
                          const std::string &argument = "a") {
  ir::GraphMath &g = call.g;
  auto [a, b] = promotedFloats(call, first, second);
  const DType dtype = call.dtypeOf(a);
  a = asSquareMatrices(call, widened(call, a), argument);
  b = widened(call, b);
  if (call.rank(b) == 0)
    call.valueError("b is a scalar; needed a vector or matrices");
  const bool isVector = call.rank(b) == 1;
  if (isVector)
    b = g.reshape(b, {ir::getShape(b)[0], DimExpr(1)});
  ir::Shape ofA = ir::getShape(a), ofB = ir::getShape(b);
  const std::string what = "rows of " + argument + " and b";
  const DimExpr rows = call.unify(ofA.back(), ofB[ofB.size() - 2], what);
  ir::Shape batch = call.broadcastShape(ir::Shape(ofA.begin(), ofA.end() - 2),
                                        ir::Shape(ofB.begin(), ofB.end() - 2));
  for (int64_t behind : {1, 2})
    a = call.withSize(a, call.rank(a) - behind, rows, what);
  b = overBatch(call, call.withSize(b, call.rank(b) - 2, rows, what), batchOf(b), batch);
  Value y = call.cast(solve(a, b), dtype);
  if (isVector) {
    ir::Shape shape = ir::getShape(y);
    shape.pop_back();
    y = g.reshape(y, shape);
  }
  return call.tensor(y);
}

namespace keratin::backend {

Tensor cholesky(const Operand &operand, bool check, SourceLocation location) {
  Call call("cholesky", location);
  Value given = asSquareMatrices(call, call.floating(operand)), x = widened(call, given);
  Value y = factorSymmetric(call, x);
  if (check) {
    Value diagonal = ir::mainDiagonal(call.g, y);
    Value fails = call.g.reduceAny(call.g.notEqual(diagonal, diagonal), {call.rank(diagonal) - 1});
    y = unlessFailed(call, y, checked(call, fails, check, "x", "is not positive definite"));
  }
  return call.tensor(call.cast(y, call.dtypeOf(given)));
}

Tensor cholesky_solve(const Operand &l, const Operand &b, SourceLocation location) {
  Call call("cholesky_solve", location);
  return solveSystem(
      call, l, b,
      [&](Value factor, Value columns) {
        factor = overBatch(call, factor, batchOf(factor), batchOf(columns));
        Value y = solveTriangle(call, factor, columns, {});
        return solveTriangle(call, factor, y, {/*lower=*/true, /*transposed=*/true});
      },
      "l");
}

Tensor triangular_solve(const Operand &a, const Operand &b, bool lower, bool transposed,
                        bool unit_diagonal, bool check, SourceLocation location) {
  Call call("triangular_solve", location);
  return solveSystem(call, a, b, [&](Value matrix, Value columns) {
    auto repeated = [&](Value x) { return overBatch(call, x, batchOf(matrix), batchOf(columns)); };
    Value y = solveTriangle(call, repeated(matrix), columns, {lower, transposed, unit_diagonal});
    if (unit_diagonal)
      return y;
    return unlessFailed(call, y,
                        repeated(checked(call, hasZeroOnDiagonal(call, matrix), check, "a",
                                         "has a zero on its diagonal")));
  });
}

Lu lu(const Operand &operand, SourceLocation location) {
  Call call("lu", location);
  Value x = asMatrices(call, call.floating(operand));
  Factored result = factored(call, widened(call, x));
  return {call.tensor(call.cast(result.factors, call.dtypeOf(x))), call.tensor(result.permutation)};
}

Tensor solve(const Operand &a, const Operand &b, bool check, SourceLocation location) {
  Call call("solve", location);
  return solveSystem(call, a, b, [&](Value matrix, Value columns) {
    return solveGeneral(call, matrix, columns, check, "a");
  });
}

Tensor inv(const Operand &x, bool check, SourceLocation location) {
  Call call("inv", location);
  return call.tensor(inverseOf(call, asSquareMatrices(call, call.floating(x)), check));
}

} // namespace keratin::backend

//===-- Determinants --------------------------------------------------------------------------===//

// 1 for permutations with an even number of pairs in the wrong order, else -1: the product over all
// pairs.
static Value signOf(Call &call, Value permutation, mlir::Type type) {
  ir::GraphMath &g = call.g;
  ir::Shape pairs = ir::getShape(permutation);
  const int64_t axis = call.rank(permutation) - 1;
  pairs.push_back(pairs.back());
  call.checkBytes(ir::getTensorType(pairs, type));
  Value first = g.broadcastAlong(permutation, pairs, {axis + 1}),
        second = g.broadcastAlong(permutation, pairs, {axis});
  Value place = ir::diagonalNumbers(g, first);
  Value isWrong = g.and_(g.greater(place, g.zeroLike(place)), g.greater(first, second));
  Value one = g.splat(1, ir::getTensorType(pairs, type));
  return g.reduceProd(g.select(isWrong, g.neg(one), one), {axis, axis + 1});
}

namespace {

// The determinant as its sign and the elements whose product it is but for that.
struct Determinant {
  Determinant(Call &call, const Operand &operand)
      : given(asSquareMatrices(call, call.floating(operand))), x(widened(call, given)),
        factors(factored(call, x)), pivots(ir::mainDiagonal(call.g, factors.factors)),
        sign(signOf(call, factors.permutation, ir::getElementType(pivots))),
        axis(call.rank(pivots) - 1) {}

  Value given, x;
  Factored factors;
  Value pivots, sign;
  int64_t axis;
};

} // namespace

// Of the largest element of each matrix, as much as roundings are; at least the least number that
// is as exact as others.
static Value roundingOf(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  const bool isDouble = call.dtypeOf(x) == DType::Float64;
  const double epsilon = isDouble ? std::numeric_limits<double>::epsilon()
                                  : double(std::numeric_limits<float>::epsilon()),
               least = isDouble ? std::numeric_limits<double>::min()
                                : double(std::numeric_limits<float>::min());
  const int64_t rank = call.rank(x);
  // Of no elements there is no largest.
  ir::Shape wider = ir::getShape(x);
  wider.back() = call.check(ir::add(wider.back(), DimExpr(1)));
  wider[size_t(rank) - 2] = wider.back();
  Value padded = g.pad(g.abs(x), ir::Shape(wider.size(), DimExpr(0)),
                       std::vector<int64_t>(wider.size(), 0), wider);
  Value largest = g.reduceMax(padded, {rank - 2, rank - 1});
  largest = g.select(g.equal(largest, g.zeroLike(largest)), g.oneLike(largest), largest);
  return g.maximum(g.scale(largest, epsilon), g.constantLike(least, largest));
}

// The determinant times the sum of the diagonal of x^-1 dx. A pivot that is 0 is taken for a
// rounding, by which the cofactors change as little: of one they are what they are, of more they
// are 0 but for roundings, though x^-1 is not.
static Value tangentOf(Call &call, const Determinant &of, Value dx) {
  ir::GraphMath &g = call.g;
  Value factors = of.factors.factors;
  const ir::Shape shape = ir::getShape(factors);
  auto overMatrix = [&](Value each) {
    return g.broadcastAlong(each, shape, {of.axis, of.axis + 1});
  };
  Value place = ir::diagonalNumbers(g, factors);
  Value isZero = g.and_(g.equal(place, g.zeroLike(place)), g.equal(factors, g.zeroLike(factors)));
  Value regular = g.select(isZero, overMatrix(roundingOf(call, of.x)), factors);
  Value product = g.mul(of.sign, g.reduceProd(ir::mainDiagonal(g, regular), {of.axis}));
  Value solved = solveFactored(call, {regular, of.factors.permutation}, dx);
  return g.mul(product, g.reduceSum(ir::mainDiagonal(g, solved), {of.axis}));
}

namespace keratin::backend {

Tensor det(const Operand &x, SourceLocation location) {
  Call call("det", location);
  Determinant of(call, x);
  Value y = call.g.mul(of.sign, call.g.reduceProd(of.pivots, {of.axis}));
  y = withTangents(call, "the tangents of det", {y}, {of.x},
                   [&](llvm::ArrayRef<Value>, llvm::ArrayRef<Value> tangents) {
                     return std::vector<Value>{tangentOf(call, of, tangents[0])};
                   })
          .front();
  return call.tensor(call.cast(y, call.dtypeOf(of.given)));
}

SlogDet slogdet(const Operand &x, SourceLocation location) {
  Call call("slogdet", location);
  ir::GraphMath &g = call.g;
  Determinant of(call, x);
  const DType dtype = call.dtypeOf(of.given);
  Value sign = g.mul(of.sign, g.reduceProd(g.sign(of.pivots), {of.axis}));
  Value size = g.reduceSum(g.log(g.abs(of.pivots)), {of.axis});
  return {call.tensor(call.cast(sign, dtype)), call.tensor(call.cast(size, dtype))};
}

} // namespace keratin::backend

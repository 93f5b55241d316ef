// K functions: factorizations of matrices with orthonormal factors, and what is made of them.
#include "frontend/backend/OrthogonalFactors.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Factorizations.h"
#include "frontend/backend/Reductions.h"
#include "frontend/graph/GivenGradient.h"
#include "ir/builder/MatrixMath.h"
#include "keratin/linear_algebra.h"

#include <algorithm>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

//===-- Ops -----------------------------------------------------------------------------------===//

namespace {

struct Orthogonal {
  Value q, r;
};

struct Eigen {
  Value values, vectors;
};

} // namespace

// The shape of x's batches, then these sizes.
static mlir::RankedTensorType typeOf(Value x, std::initializer_list<DimExpr> sizes) {
  ir::Shape shape = ir::getShape(x);
  shape.resize(shape.size() - 2);
  shape.insert(shape.end(), sizes);
  return ir::getTensorType(shape, ir::getElementType(x));
}

static DimExpr smallerSize(Call &call, Value x) {
  const ir::Shape shape = ir::getShape(x);
  return call.check(ir::min(shape[shape.size() - 2], shape.back()));
}

static Orthogonal orthogonal(Call &call, Value x) {
  const ir::Shape shape = ir::getShape(x);
  const DimExpr k = smallerSize(call, x);
  auto op = call.builder.create<ir::QrOp>(
      call.g.location(), typeOf(x, {shape[shape.size() - 2], k}), typeOf(x, {k, shape.back()}), x);
  return {op.getQ(), op.getR()};
}

static Eigen eigen(Call &call, Value x) {
  auto op = call.builder.create<ir::EighOp>(call.g.location(), typeOf(x, {ir::getShape(x).back()}),
                                            x.getType(), x);
  return {op.getValues(), op.getVectors()};
}

SingularFactors keratin::frontend::singularFactors(Call &call, Value x) {
  const ir::Shape shape = ir::getShape(x);
  const DimExpr k = smallerSize(call, x);
  auto op =
      call.builder.create<ir::SvdOp>(call.g.location(), typeOf(x, {shape[shape.size() - 2], k}),
                                     typeOf(x, {k}), typeOf(x, {k, shape.back()}), x);
  return {op.getU(), op.getS(), op.getVt()};
}

//===-- Pseudoinverses ------------------------------------------------------------------------===//

// What singular values must be above to count: so much of the largest, or as many roundings as
// there are rows or columns.
static Value smallestCounted(Call &call, Value x, Value s, const std::optional<double> &relative) {
  ir::GraphMath &g = call.g;
  const int64_t axis = call.rank(s) - 1;
  const mlir::Type type = ir::getElementType(s);
  // Of none there is no largest.
  ir::Shape wider = ir::getShape(s);
  wider.back() = call.check(ir::add(wider.back(), DimExpr(1)));
  const std::vector<int64_t> none(wider.size(), 0);
  Value largest = g.reduceMax(g.pad(s, ir::Shape(wider.size(), DimExpr(0)), none, wider), {axis});
  if (relative)
    return g.mul(largest, call.like(largest, *relative));
  const ir::Shape shape = ir::getShape(x);
  const DimExpr size = call.check(ir::max(shape[shape.size() - 2], shape.back()));
  const double epsilon = call.dtypeOf(s) == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                           : std::numeric_limits<float>::epsilon();
  Value factor = g.mul(call.scalar(size, call.dtypeOf(s)), g.scalar(epsilon, type));
  return g.mul(largest, g.broadcastScalar(factor, ir::getShape(largest)));
}

static Value isCounted(Call &call, Value s, Value least) {
  return call.g.greater(s, call.g.broadcastAlong(least, ir::getShape(s), {call.rank(s) - 1}));
}

static Value fromFactors(Call &call, Value x, const std::optional<double> &rcond) {
  ir::GraphMath &g = call.g;
  auto [u, s, vt] = singularFactors(call, x);
  Value counts = isCounted(call, s, smallestCounted(call, x, s, rcond));
  Value one = g.oneLike(s);
  Value inverse = g.select(counts, g.div(one, g.select(counts, s, one)), g.zeroLike(s));
  // NaN is above nothing.
  inverse = g.select(g.equal(s, s), inverse, s);
  Value scaled = g.mul(u, g.broadcastAlong(inverse, ir::getShape(u), {call.rank(s) - 1}));
  return ir::matrixProduct(g, vt, scaled, {/*aTransposed=*/true, /*bTransposed=*/true});
}

// The tangent of p, the pseudoinverse of x, where singular values that do not count are 0: the rank
// stays, and no difference of singular values is divided by (Golub, Pereyra: The differentiation of
// pseudo-inverses and nonlinear least squares problems whose variables separate, 1973).
static Value tangentOf(ir::GraphMath &g, Value x, Value p, Value dx) {
  const ir::ProductOf transposedLast{false, /*bTransposed=*/true};
  auto product = [&](Value a, Value b, ir::ProductOf of = {}) {
    return ir::matrixProduct(g, a, b, of);
  };
  // p p^T dx^T (I - x p), and (I - p x) dx^T p^T p.
  Value left = product(product(p, p, transposedLast), dx, transposedLast);
  left = g.sub(left, product(product(left, x), p));
  Value right = product(dx, product(p, p, {/*aTransposed=*/true}), {/*aTransposed=*/true});
  right = g.sub(right, product(p, product(x, right)));
  return g.sub(g.add(left, right), product(product(p, dx), p));
}

// With rcond some singular values that do not count may not be 0, so the gradient is that of the
// factors.
static Value pseudoinverse(Call &call, Value x, const std::optional<double> &rcond) {
  Value p = fromFactors(call, x, rcond);
  if (rcond)
    return p;
  return withTangents(call, "the tangents of pinv", {p}, {x},
                      [&](llvm::ArrayRef<Value> results, llvm::ArrayRef<Value> tangents) {
                        return std::vector<Value>{tangentOf(call.g, x, results[0], tangents[0])};
                      })
      .front();
}

// Products of matrices whose batches are broadcast; `sizes` are those that meet.
static Value productOf(Call &call, Value a, Value b, const std::string &sizes) {
  ir::Shape ofA = ir::getShape(a), ofB = ir::getShape(b);
  const DimExpr size = call.unify(ofA.back(), ofB[ofB.size() - 2], sizes);
  a = call.withSize(a, call.rank(a) - 1, size, sizes);
  b = call.withSize(b, call.rank(b) - 2, size, sizes);
  const ir::Shape batch = call.broadcastShape(ir::Shape(ofA.begin(), ofA.end() - 2),
                                              ir::Shape(ofB.begin(), ofB.end() - 2));
  auto shaped = [&](Value x) {
    ir::Shape shape = batch, own = ir::getShape(x);
    shape.insert(shape.end(), own.end() - 2, own.end());
    call.checkBytes(ir::getTensorType(shape, ir::getElementType(x)));
    return call.broadcastTo(x, shape);
  };
  return ir::matrixProduct(call.g, shaped(a), shaped(b));
}

static void checkTolerance(Call &call, const char *name, const std::optional<double> &number) {
  if (number && !(*number >= 0))
    call.valueError(std::string(name) + " is " + toString(Array(*number)) +
                    "; needed 0 or more, or None");
}

namespace keratin::backend {

Qr qr(const Operand &operand, SourceLocation location) {
  Call call("qr", location);
  auto [q, r] = orthogonal(call, asMatrices(call, call.floating(operand)));
  return {call.tensor(q), call.tensor(r)};
}

Eigh eigh(const Operand &operand, SourceLocation location) {
  Call call("eigh", location);
  auto [values, vectors] = eigen(call, asSquareMatrices(call, call.floating(operand)));
  return {call.tensor(values), call.tensor(vectors)};
}

Tensor eigvalsh(const Operand &operand, SourceLocation location) {
  Call call("eigvalsh", location);
  return call.tensor(eigen(call, asSquareMatrices(call, call.floating(operand))).values);
}

Svd svd(const Operand &operand, SourceLocation location) {
  Call call("svd", location);
  auto [u, s, vt] = singularFactors(call, asMatrices(call, call.floating(operand)));
  return {call.tensor(u), call.tensor(s), call.tensor(vt)};
}

Tensor pinv(const Operand &operand, std::optional<double> rcond, SourceLocation location) {
  Call call("pinv", location);
  checkTolerance(call, "rcond", rcond);
  Value x = asMatrices(call, call.floating(operand));
  return call.tensor(call.cast(pseudoinverse(call, widened(call, x), rcond), call.dtypeOf(x)));
}

Tensor lstsq(const Operand &first, const Operand &second, std::optional<double> rcond,
             SourceLocation location) {
  Call call("lstsq", location);
  checkTolerance(call, "rcond", rcond);
  auto [a, b] = call.promoted(first, second);
  const DType dtype = isFloating(call.dtypeOf(a)) ? call.dtypeOf(a) : Configuration::floatx();
  a = widened(call, call.cast(asMatrices(call, a, "a"), dtype));
  b = widened(call, call.cast(b, dtype));
  if (call.rank(b) == 0)
    call.valueError("b is a scalar; needed a vector or matrices");
  const bool isVector = call.rank(b) == 1;
  if (isVector)
    b = call.g.reshape(b, {ir::getShape(b)[0], DimExpr(1)});
  Value y = call.cast(productOf(call, pseudoinverse(call, a, rcond), b, "rows of a and b"), dtype);
  if (isVector) {
    ir::Shape shape = ir::getShape(y);
    shape.pop_back();
    y = call.g.reshape(y, shape);
  }
  return call.tensor(y);
}

Tensor matrix_rank(const Operand &operand, std::optional<double> tol, SourceLocation location) {
  Call call("matrix_rank", location);
  checkTolerance(call, "tol", tol);
  Value x = widened(call, asMatrices(call, call.floating(operand)));
  Value s = singularFactors(call, x).s;
  const int64_t axis = call.rank(s) - 1;
  Value counts = tol ? call.g.greater(s, call.like(s, *tol))
                     : isCounted(call, s, smallestCounted(call, x, s, std::nullopt));
  return call.tensor(call.g.reduceSum(call.cast(counts, DType::Int64), {axis}));
}

} // namespace keratin::backend

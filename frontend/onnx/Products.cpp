// Ops of ONNX on matrices: products and determinants.
#include "frontend/backend/Reductions.h"
#include "frontend/graph/Loop.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

Values matMul(ModelNode &node) { return one(K::matmul(node.input(0), node.input(1), node.place)); }

// alpha A' B' + beta C.
Values gemm(ModelNode &node) {
  const SourceLocation at = node.place;
  Tensor a = node.input(0), b = node.input(1);
  if (a.ndim() != 2 || b.ndim() != 2)
    node.fail("has operands of rank " + std::to_string(a.ndim()) + " and " +
              std::to_string(b.ndim()) + "; needed 2");
  if (node.integer("transA", 0))
    a = K::transpose(a, at);
  if (node.integer("transB", 0))
    b = K::transpose(b, at);
  Tensor product = K::dot(a, b, at);
  const double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  Call call("load_onnx", at);
  Value y = call.value(product);
  if (alpha != 1)
    y = call.g.mul(y, call.like(y, alpha));
  if (!node.has(2))
    return one(call.tensor(y));
  Value c = call.value(node.input(2));
  if (beta != 1)
    c = call.g.mul(c, call.like(c, beta));
  const ir::Shape shape = call.broadcastShape(ir::getShape(y), ir::getShape(c));
  return one(call.tensor(call.g.add(call.broadcastTo(y, shape), call.broadcastTo(c, shape))));
}

Values einsum(ModelNode &node) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.inputCount(); ++i)
    operands.push_back(node.input(i));
  return one(K::einsum(node.text("equation", ""), operands, node.place));
}

Values matMulInteger(ModelNode &node) { return one(exactProduct(node, {0, 2}, {1, 3})); }

// Of matrices (batch, n, n), by elimination: each step takes the row whose first element is the
// largest of those that are left, takes it off the others, and moves on to the next column, which
// becomes the first. The sign is that of the order in which rows were taken.
Value determinants(Call &call, Value matrices) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(matrices), rows{shape[0], shape[1]};
  const mlir::Type type = ir::getElementType(matrices);
  const auto numbers = [&](const ir::Shape &of, int64_t axis) {
    return g.iota(ir::getTensorType(of, call.elementType(DType::Int64)), axis);
  };
  const Value one = g.splat(1, ir::getTensorType({shape[0]}, type));
  const Value none = g.splat(0, ir::getTensorType(rows, call.elementType(DType::Bool)));
  Loop loop(call, "the elimination of Det", shape[1], /*reverse=*/false);
  const Value matrix = loop.addState(matrices.getType()), product = loop.addState(one.getType());
  const Value taken = loop.addState(none.getType());
  const Value first =
      g.reshape(g.slice(matrix, {0, 0, 0}, {shape[0], shape[1], 1}, {1, 1, 1}), rows);
  const Value score = g.select(taken, call.like(first, -1), g.abs(first));
  const Value place = call.builder.create<ir::ArgMaxOp>(
      g.location(), ir::getTensorType({shape[0]}, call.elementType(DType::Int64)), score, 1);
  const Value row = g.gather(g.reshape(matrix, {call.check(ir::mul(shape[0], shape[1])), shape[1]}),
                             flatIndex(call, {numbers({shape[0]}, 0), place}, rows));
  const Value pivot = g.reshape(g.slice(row, {0, 0}, {shape[0], 1}, {1, 1}), {shape[0]});
  const Value number = numbers(rows, 1), places = g.broadcast(place, rows, {0});
  const Value isTaken = g.or_(taken, g.equal(number, places)), isLeft = g.not_(isTaken);
  const Value before =
      g.reduceSum(call.cast(g.and_(isLeft, g.less(number, places)), DType::Int64), {1});
  const Value isOdd = g.equal(g.mod(before, call.like(before, 2)), g.oneLike(before));
  const Value factor = g.mul(product, g.select(isOdd, g.neg(pivot), pivot));
  // A column of zeros leaves the product 0.
  const Value by = g.select(g.equal(pivot, g.zeroLike(pivot)), g.oneLike(pivot), pivot);
  const Value times = g.select(isLeft, g.div(first, g.broadcast(by, rows, {0})), g.zeroLike(first));
  const Value rest =
      g.sub(matrix, g.mul(g.broadcast(times, shape, {0, 1}), g.broadcast(row, shape, {0, 2})));
  const DimExpr fewer = call.check(ir::sub(shape[1], 1));
  const Value turned =
      g.concatenate({g.slice(rest, {0, 0, 1}, {shape[0], shape[1], fewer}, {1, 1, 1}),
                     g.slice(rest, {0, 0, 0}, {shape[0], shape[1], 1}, {1, 1, 1})},
                    2);
  loop.end();
  return loop.finish({matrices, one, none}, {turned, factor, isTaken}, {}).lastStates[1];
}

Values determinant(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value given = call.value(node.input(0));
  const int64_t rank = call.rank(given);
  if (rank < 2 || !isFloating(call.dtypeOf(given)))
    node.fail("needs matrices of floats");
  ir::Shape batch = ir::getShape(given);
  const DimExpr size = call.unify(batch[size_t(rank) - 2], batch.back(), "a matrix is square");
  const Value x = widened(
      call, call.required(call.withSize(call.withSize(given, rank - 1, size, "a matrix is square"),
                                        rank - 2, size, "a matrix is square")));
  batch.resize(size_t(rank) - 2);
  const DimExpr count = call.check(ir::product(batch));
  const Value found = size == DimExpr(0)
                          ? call.g.splat(1, ir::getTensorType({count}, ir::getElementType(x)))
                          : determinants(call, call.g.reshape(x, {count, size, size}));
  return one(call.tensor(call.cast(call.g.reshape(found, batch), call.dtypeOf(given))));
}

const OpRecord productRecords[] = {
    {"Det", determinant},
    {"Einsum", einsum},
    {"Gemm", gemm},
    {"MatMul", matMul},
    {"MatMulInteger", matMulInteger},
};

} // namespace

// (x - p) (w - q) = x w - p (sum of w) - (sum of x - p) q: factors stay the short integers that
// they are, and the sum of constant weights is a constant.
Tensor keratin::frontend::onnx_models::exactProduct(ModelNode &node, Quantized a, Quantized b) {
  const SourceLocation at = node.place;
  auto factor = [&](Quantized operand, int64_t newAxis) {
    const Tensor x = K::cast(node.input(operand.integers), DType::Int32, at);
    return x.ndim() == 1 ? K::expand_dims(x, newAxis, at) : x;
  };
  auto zeroPoint = [&](Quantized operand) {
    return K::cast(node.input(operand.zeroPoint), DType::Int32, at);
  };
  auto minus = [&](const Tensor &x, const Tensor &y) {
    Call call("load_onnx", at);
    auto [from, what] = call.binary(x, y);
    return call.tensor(call.g.sub(from, what));
  };
  auto times = [&](const Tensor &x, const Tensor &y) {
    Call call("load_onnx", at);
    auto [left, right] = call.binary(x, y);
    return call.tensor(call.g.mul(left, right));
  };
  Tensor left = factor(a, 0);
  const Tensor right = factor(b, -1);
  Tensor sums = K::matmul(left, right, at);
  if (node.has(a.zeroPoint)) {
    Tensor zero = zeroPoint(a);
    if (zero.ndim() == 1) // one a row
      zero = K::expand_dims(zero, -1, at);
    sums = minus(sums, times(zero, K::sum(right, -2, /*keepdims=*/true, at)));
    left = minus(left, zero);
  }
  if (node.has(b.zeroPoint))
    sums = minus(sums, times(K::sum(left, -1, /*keepdims=*/true, at), zeroPoint(b)));
  if (node.input(a.integers).ndim() == 1)
    sums = K::squeeze(sums, -2, at);
  return node.input(b.integers).ndim() == 1 ? K::squeeze(sums, -1, at) : sums;
}

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::productOps() { return productRecords; }

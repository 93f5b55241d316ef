// Ops of ONNX that multiply matrices.
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"

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

// Exact, in int32, of values less their zero points.
Values matMulInteger(ModelNode &node) {
  const SourceLocation at = node.place;
  auto wide = [&](size_t operand, size_t zeroPoint, bool isLeft) {
    Tensor x = K::cast(node.input(operand), DType::Int32, at);
    if (!node.has(zeroPoint))
      return x;
    Tensor zero = K::cast(node.input(zeroPoint), DType::Int32, at);
    Call call("load_onnx", at);
    Value value = call.value(zero);
    // One a row of the left matrix.
    if (isLeft && call.rank(value) == 1) {
      ir::Shape column{ir::getShape(value).front(), 1};
      value = call.g.reshape(value, column);
    }
    auto [a, b] = call.binary(x, call.tensor(value));
    return call.tensor(call.g.sub(a, b));
  };
  return one(K::matmul(wide(0, 2, true), wide(1, 3, false), at));
}

const OpRecord records[] = {
    {"Einsum", einsum},
    {"Gemm", gemm},
    {"MatMul", matMul},
    {"MatMulInteger", matMulInteger},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::productOps() { return records; }

// Ops of ONNX that draw numbers, other ones than another program does.
#include "keratin/random.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/nn.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// Seeds are floats there.
std::optional<int64_t> seedOf(ModelNode &node) {
  if (!node.hasAttribute("seed"))
    return std::nullopt;
  const float seed = float(node.number("seed", 0));
  uint32_t bits;
  std::memcpy(&bits, &seed, sizeof(bits));
  return bits;
}

// The sizes of x, known or not.
Shape shapeLike(ModelNode &node) {
  Tensor x = node.input(0);
  std::vector<Size> sizes;
  Call call("load_onnx", node.place);
  for (const DimExpr &size : ir::getShape(call.value(x)))
    sizes.push_back(size.isConstant() ? Size(size.constantValue())
                                      : Size(call.tensor(call.scalar(size, DType::Int64))));
  return Shape(std::move(sizes));
}

Tensor normal(ModelNode &node, const Shape &shape, DType dtype) {
  return K::random_normal(shape, node.number("mean", 0), node.number("scale", 1), dtype,
                          seedOf(node), node.place);
}
Tensor uniform(ModelNode &node, const Shape &shape, DType dtype) {
  return K::random_uniform(shape, node.number("low", 0), node.number("high", 1), dtype,
                           seedOf(node), node.place);
}

using Draw = Tensor (*)(ModelNode &, const Shape &, DType);
template <Draw draw> Values ofShape(ModelNode &node) {
  return one(draw(node, Shape(node.integers("shape")), node.dtype("dtype", DType::Float32)));
}
template <Draw draw> Values like(ModelNode &node) {
  return one(draw(node, shapeLike(node), node.dtype("dtype", node.input(0).dtype())));
}

// 1 with the probability that each element is.
Values bernoulli(ModelNode &node) {
  const Tensor p = node.input(0);
  const Tensor drawn =
      K::random_uniform(shapeLike(node), 0.0, 1.0, p.dtype(), seedOf(node), node.place);
  return one(K::cast(K::less(drawn, p, node.place), node.dtype("dtype", p.dtype()), node.place));
}

// In training only if the third input says so.
Values dropout(ModelNode &node) {
  const Tensor x = node.input(0);
  bool isTraining = false;
  double ratio = 0.5;
  if (node.opset >= 12) {
    if (node.has(2)) {
      const Array *known = node.constant(2);
      if (!known)
        node.notImplemented("Dropout whose mode only a call knows");
      isTraining = known->item<int64_t>(0);
    }
    if (isTraining && node.has(1)) {
      const Array *known = node.constant(1);
      if (!known)
        node.notImplemented("Dropout whose ratio only a call knows");
      ratio = known->item<double>(0);
    }
  }
  if (!isTraining || ratio == 0) {
    Values values = one(x);
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    values.emplace_back(call.tensor(call.cast(call.like(value, 1), DType::Bool)));
    return values;
  }
  if (!(ratio > 0 && ratio < 1))
    node.fail("has a ratio of " + std::to_string(ratio) + "; needed one from 0 to below 1");
  const Tensor drawn =
      K::random_uniform(shapeLike(node), 0.0, 1.0, DType::Float32, seedOf(node), node.place);
  const Tensor kept = K::greater_equal(drawn, ratio, node.place);
  Call call("load_onnx", node.place);
  const Value value = call.value(x);
  Values values = one(call.tensor(
      call.g.select(call.value(kept), call.g.scale(value, 1 / (1 - ratio)), call.like(value, 0))));
  values.emplace_back(kept);
  return values;
}

const OpRecord randomRecords[] = {
    {"Bernoulli", bernoulli},
    {"Dropout", dropout},
    {"RandomNormal", ofShape<normal>},
    {"RandomNormalLike", like<normal>},
    {"RandomUniform", ofShape<uniform>},
    {"RandomUniformLike", like<uniform>},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::randomOps() { return randomRecords; }

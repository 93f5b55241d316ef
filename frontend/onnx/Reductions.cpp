// Ops of ONNX that reduce axes.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// The axes as an attribute, or since the opset as an input; nullopt: nothing is reduced.
std::optional<std::vector<int64_t>> axesOf(ModelNode &node, int64_t rank, int64_t inputSince) {
  std::vector<int64_t> axes =
      node.opset >= inputSince ? node.has(1) ? node.integersOf(1, "axes") : std::vector<int64_t>()
                               : node.integers("axes");
  if (axes.empty() && node.opset >= inputSince && node.integer("noop_with_empty_axes", 0))
    return std::nullopt;
  for (int64_t &axis : axes)
    axis = node.axis(axis, rank);
  if (axes.empty())
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

using Reduce = Value (*)(Call &, Value, const std::vector<int64_t> &);

template <Reduce reduce, int64_t inputSince> Values reduction(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const auto axes = axesOf(node, call.rank(x), inputSince);
  if (!axes)
    return one(call.tensor(reduce(call, x, {})));
  return one(call.tensor(
      restoreDims(call, reduce(call, x, *axes), x, *axes, node.integer("keepdims", 1))));
}

Value sum(Call &call, Value x, const std::vector<int64_t> &axes) {
  return call.g.reduceSum(x, axes);
}
Value product(Call &call, Value x, const std::vector<int64_t> &axes) {
  return call.g.reduceProd(x, axes);
}
Value largest(Call &call, Value x, const std::vector<int64_t> &axes) {
  if (call.dtypeOf(x) == DType::Bool)
    return call.g.reduceAny(x, axes);
  return call.g.reduceMax(x, axes);
}
Value smallest(Call &call, Value x, const std::vector<int64_t> &axes) {
  if (call.dtypeOf(x) == DType::Bool)
    return call.g.reduceAll(x, axes);
  return call.g.reduceMin(x, axes);
}
Value average(Call &call, Value x, const std::vector<int64_t> &axes) {
  if (isFloating(call.dtypeOf(x)))
    return keratin::frontend::mean(call, x, axes);
  const DType dtype = call.dtypeOf(x);
  return call.cast(keratin::frontend::mean(call, call.cast(x, DType::Float64), axes), dtype);
}
Value sumOfSquares(Call &call, Value x, const std::vector<int64_t> &axes) {
  return call.g.reduceSum(call.g.mul(x, x), axes);
}
Value norm1(Call &call, Value x, const std::vector<int64_t> &axes) {
  return call.g.reduceSum(call.g.abs(x), axes);
}
// What is no float is computed as one, and cut off.
template <typename Compute> Value asFloats(Call &call, Value x, Compute compute) {
  const DType dtype = call.dtypeOf(x);
  if (isFloating(dtype))
    return compute(x);
  return call.cast(compute(call.cast(x, DType::Float64)), dtype);
}
Value norm2(Call &call, Value x, const std::vector<int64_t> &axes) {
  return asFloats(call, x, [&](Value y) { return call.g.sqrt(sumOfSquares(call, y, axes)); });
}
Value logSum(Call &call, Value x, const std::vector<int64_t> &axes) {
  return asFloats(call, x, [&](Value y) { return call.g.log(call.g.reduceSum(y, axes)); });
}
Value logSumOfExponentials(Call &call, Value x, const std::vector<int64_t> &axes) {
  return asFloats(call, x, [&](Value y) { return logSumExp(call, y, axes); });
}

using Extreme = Tensor (*)(const Operand &, Axis, SourceLocation);
template <Extreme extreme> Values position(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  const SourceLocation at = node.place;
  Tensor found;
  if (node.integer("select_last_index", 0)) {
    // The first from the end.
    Tensor first = extreme(K::reverse(x, axis, at), axis, at);
    Call call("load_onnx", at);
    const Value value = call.value(first);
    const Value count = call.g.count(call.value(x), {axis}, ir::getElementType(value));
    const Value last = call.g.broadcastScalar(count, ir::getShape(value));
    found = call.tensor(call.g.sub(call.g.sub(last, call.like(value, 1)), value));
  } else {
    found = extreme(x, axis, at);
  }
  return one(node.integer("keepdims", 1) ? K::expand_dims(found, axis, at) : found);
}

// The k first of the sorted elements.
Values topK(ModelNode &node) {
  Tensor x = node.input(0);
  const SourceLocation at = node.place;
  const int64_t axis = node.axis(node.integer("axis", -1), x.ndim());
  Size k = None;
  if (node.opset < 10) {
    k = node.integer("k");
  } else if (const Array *known = node.constant(1)) {
    k = known->item<int64_t>();
  } else {
    k = scalarOf(node.input(1), at);
  }
  if (node.integer("largest", 1)) {
    TopK found = K::top_k(x, k, axis, at);
    Values values = one(found.values);
    values.emplace_back(found.indices);
    return values;
  }
  // The largest of the negated: of integers the complement, which has no overflow.
  auto turned = [&](const Tensor &y) {
    Call call("load_onnx", at);
    const Value value = call.value(y);
    return call.tensor(isFloating(y.dtype()) ? call.g.neg(value) : call.g.not_(value));
  };
  TopK found = K::top_k(turned(x), k, axis, at);
  Values values = one(turned(found.values));
  values.emplace_back(found.indices);
  return values;
}

Values cumulativeSum(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const std::vector<int64_t> axes = node.integersOf(1, "the axis");
  if (axes.size() != 1)
    node.fail("has " + std::to_string(axes.size()) + " axes; needed one");
  return one(call.tensor(call.g.cumsum(x, node.axis(axes.front(), call.rank(x)),
                                       node.integer("exclusive", 0), node.integer("reverse", 0))));
}

const OpRecord reductionRecords[] = {
    {"ArgMax", position<K::argmax>},
    {"ArgMin", position<K::argmin>},
    {"CumSum", cumulativeSum},
    {"ReduceL1", reduction<norm1, 18>},
    {"ReduceL2", reduction<norm2, 18>},
    {"ReduceLogSum", reduction<logSum, 18>},
    {"ReduceLogSumExp", reduction<logSumOfExponentials, 18>},
    {"ReduceMax", reduction<largest, 18>},
    {"ReduceMean", reduction<average, 18>},
    {"ReduceMin", reduction<smallest, 18>},
    {"ReduceProd", reduction<product, 18>},
    {"ReduceSum", reduction<sum, 13>},
    {"ReduceSumSquare", reduction<sumOfSquares, 18>},
    {"TopK", topK},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::reductionOps() { return reductionRecords; }

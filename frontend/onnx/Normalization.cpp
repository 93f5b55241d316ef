// Ops of ONNX that normalise.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/ModelNode.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// A vector along axis 1 of x's shape.
Value perChannel(Call &call, const Tensor &vector, Value x) {
  if (vector.ndim() != 1)
    call.valueError("numbers of channels have rank " + std::to_string(vector.ndim()) +
                    "; needed 1");
  const Value value = call.cast(call.value(vector), call.dtypeOf(x));
  return call.g.broadcast(
      call.withSize(value, 0, ir::getShape(x)[1], "the channels of x and its scales"),
      ir::getShape(x), {1});
}

// Of what follows NumPy's rule of broadcasting.
Value like(Call &call, const Tensor &tensor, Value x) {
  if (tensor.ndim() > call.rank(x))
    call.valueError("a scale or a bias has rank " + std::to_string(tensor.ndim()) + ", x " +
                    std::to_string(call.rank(x)));
  return call.broadcastTo(call.cast(call.value(tensor), call.dtypeOf(x)), ir::getShape(x));
}

struct Moments {
  Value mean, variance; // their axes removed
};

Moments momentsOf(Call &call, Value x, AxisList axes) {
  return {mean(call, x, axes), variance(call, x, axes)};
}

// 1 / sqrt(variance + epsilon).
Value inverse(Call &call, Value variance, double epsilon) {
  return call.g.rsqrt(call.g.add(variance, call.like(variance, epsilon)));
}

Value normalized(Call &call, Value x, const Moments &moments, AxisList axes, double epsilon) {
  return call.g.mul(call.g.sub(x, spread(call, moments.mean, x, axes)),
                    spread(call, inverse(call, moments.variance, epsilon), x, axes));
}

Values batchNormalization(ModelNode &node) {
  const bool isTraining = node.integer("training_mode", 0);
  if (node.opset < 7 && !node.integer("is_test", 0))
    node.notImplemented("BatchNormalization in training, of opset 6");
  if (node.opset < 9 && !node.integer("spatial", 1))
    node.notImplemented("BatchNormalization that is not spatial");
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  if (call.rank(x) < 2)
    node.fail("has x of rank " + std::to_string(call.rank(x)) + "; needed 2 at least");
  const double epsilon = node.number("epsilon", 1e-5f);
  // What is a channel's is computed once.
  Value centre = call.cast(call.value(node.input(3)), call.dtypeOf(x));
  Value variance = call.cast(call.value(node.input(4)), call.dtypeOf(x));
  Values running;
  if (isTraining) {
    Numbers axes{0};
    for (int64_t i = 2; i < call.rank(x); ++i)
      axes.push_back(i);
    const Moments now = momentsOf(call, x, axes);
    const double momentum = node.number("momentum", 0.9f);
    auto moved = [&](Value running, Value given) {
      const Value before =
          call.requireShape(running, ir::getShape(given), "the running moments and those of x");
      return call.tensor(
          call.g.add(call.g.scale(before, momentum), call.g.scale(given, 1 - momentum)));
    };
    running.emplace_back(moved(centre, now.mean));
    running.emplace_back(moved(variance, now.variance));
    centre = now.mean;
    variance = now.variance;
  }
  const Value given =
      call.requireShape(call.cast(call.value(node.input(1)), call.dtypeOf(x)),
                        ir::getShape(variance), "the scales and the variances of channels");
  const Value scale = call.g.mul(given, inverse(call, variance, epsilon));
  const Value centred = call.g.sub(x, perChannel(call, call.tensor(centre), x));
  const Value scaled = call.g.mul(centred, perChannel(call, call.tensor(scale), x));
  Values values = one(call.tensor(call.g.add(scaled, perChannel(call, node.input(2), x))));
  for (ModelValue &value : running)
    values.push_back(value);
  return values;
}

Values instanceNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  if (call.rank(x) < 3)
    node.fail("has x of rank " + std::to_string(call.rank(x)) + "; needed 3 at least");
  Numbers axes(size_t(call.rank(x)) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  const Value y =
      normalized(call, x, momentsOf(call, x, axes), axes, node.number("epsilon", 1e-5f));
  return one(call.tensor(call.g.add(call.g.mul(y, perChannel(call, node.input(1), x)),
                                    perChannel(call, node.input(2), x))));
}

// From the attribute's axis on.
Numbers axesBehind(ModelNode &node, int64_t rank) {
  Numbers axes;
  for (int64_t i = node.axis(node.integer("axis", -1), rank); i < rank; ++i)
    axes.push_back(i);
  return axes;
}

Values layerNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value given = call.value(node.input(0));
  const DType dtype = call.dtypeOf(given);
  const Value x = widened(call, given);
  const Numbers axes = axesBehind(node, call.rank(x));
  const double epsilon = node.number("epsilon", 1e-5f);
  const Moments moments = momentsOf(call, x, axes);
  Value y = call.cast(normalized(call, x, moments, axes, epsilon), dtype);
  y = call.g.mul(y, like(call, node.input(1), y));
  if (node.has(2))
    y = call.g.add(y, like(call, node.input(2), y));
  Values values = one(call.tensor(y));
  values.emplace_back(call.tensor(restoreDims(call, moments.mean, x, axes, true)));
  values.emplace_back(
      call.tensor(restoreDims(call, inverse(call, moments.variance, epsilon), x, axes, true)));
  return values;
}

// x / sqrt(mean of its squares + epsilon).
Values rmsNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value given = call.value(node.input(0));
  const DType dtype = call.dtypeOf(given);
  const Value x = widened(call, given);
  const Numbers axes = axesBehind(node, call.rank(x));
  const Value squares = mean(call, call.g.mul(x, x), axes);
  const Value y = call.cast(
      call.g.mul(x, spread(call, inverse(call, squares, node.number("epsilon", 1e-5f)), x, axes)),
      dtype);
  return one(call.tensor(call.g.mul(y, like(call, node.input(1), y))));
}

// Channels in groups; scales are a group's before opset 21, then a channel's.
Values groupNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const int64_t groups = node.integer("num_groups");
  const ir::Shape shape = ir::getShape(x);
  if (shape.size() < 3 || groups < 1)
    node.fail("needs x of rank 3 at least, and a group");
  const DimExpr each = call.check(ir::floordiv(shape[1], groups));
  call.requireEqual(call.check(ir::mul(each, groups)), shape[1], "groups must have all channels");
  ir::Shape cut{shape[0], groups, each};
  cut.insert(cut.end(), shape.begin() + 2, shape.end());
  const Value parts = call.g.reshape(call.required(x), cut);
  Numbers axes(cut.size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  Value y =
      normalized(call, parts, momentsOf(call, parts, axes), axes, node.number("epsilon", 1e-5f));
  if (node.opset < 21) {
    y = call.g.mul(y, perChannel(call, node.input(1), y));
    y = call.g.add(y, perChannel(call, node.input(2), y));
    return one(call.tensor(call.g.reshape(y, shape)));
  }
  y = call.g.reshape(y, shape);
  y = call.g.mul(y, perChannel(call, node.input(1), y));
  return one(call.tensor(call.g.add(y, perChannel(call, node.input(2), y))));
}

Values meanVarianceNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  Numbers axes = node.integers("axes");
  if (axes.empty())
    axes = {0, 2, 3};
  for (int64_t &axis : axes)
    axis = node.axis(axis, call.rank(x));
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return one(call.tensor(normalized(call, x, momentsOf(call, x, axes), axes, 0)));
}

// x / (bias + alpha / size * the sum of squares of `size` channels)^beta.
Values localResponse(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const int64_t size = node.integer("size");
  const double alpha = node.number("alpha", 1e-4f), beta = node.number("beta", 0.75),
               bias = node.number("bias", 1);
  if (call.rank(x) < 2 || size < 1 || size > (1 << 30))
    node.fail("needs x of rank 2 at least, and a size of 1 or more");
  Numbers window(size_t(call.rank(x)), 1);
  const Numbers steps = window;
  window[1] = size;
  ir::Shape low(window.size(), 0);
  low[1] = (size - 1) / 2;
  const Value sums = call.g.windowSum(call.g.mul(x, x), window, steps, low, steps, ir::getShape(x));
  const Value base = call.g.add(call.g.scale(sums, alpha / double(size)), call.like(x, bias));
  return one(call.tensor(call.g.div(x, call.g.pow(base, call.like(x, beta)))));
}

Values lpNormalization(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const Numbers axes{node.axis(node.integer("axis", -1), call.rank(x))};
  const int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2)
    node.fail("has p " + std::to_string(p) + "; needed 1 or 2");
  const Value norm = p == 1 ? call.g.reduceSum(call.g.abs(x), axes)
                            : call.g.sqrt(call.g.reduceSum(call.g.mul(x, x), axes));
  return one(call.tensor(call.g.div(x, spread(call, norm, x, axes))));
}

const OpRecord normalizationRecords[] = {
    {"BatchNormalization", batchNormalization},
    {"GroupNormalization", groupNormalization},
    {"InstanceNormalization", instanceNormalization},
    {"LRN", localResponse},
    {"LayerNormalization", layerNormalization},
    {"LpNormalization", lpNormalization},
    {"MeanVarianceNormalization", meanVarianceNormalization},
    {"RMSNormalization", rmsNormalization},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::normalizationOps() {
  return normalizationRecords;
}

// Ops of ONNX that are activations.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/Orders.h"
#include "keratin/elementwise.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

template <typename Formula> Values formula(ModelNode &node, Formula compute) {
  Call call("load_onnx", node.place);
  return one(call.tensor(compute(call, call.value(node.input(0)))));
}

// x where it is positive, else what is given.
Value belowZero(Call &call, Value x, Value negative) {
  return call.g.select(call.g.less(x, call.like(x, 0)), negative, x);
}

Values relu(ModelNode &node) {
  return formula(node, [](Call &call, Value x) { return call.g.maximum(x, call.like(x, 0)); });
}

Values leakyRelu(ModelNode &node) {
  const double alpha = node.number("alpha", 0.01f);
  return formula(node,
                 [&](Call &call, Value x) { return belowZero(call, x, call.g.scale(x, alpha)); });
}

Values prelu(ModelNode &node) {
  Tensor x = node.input(0), slope = node.input(1);
  if (node.opset < 7 && slope.ndim() == 1 && x.ndim() > 1) {
    Call call("load_onnx", node.place);
    const Value value = call.value(slope);
    ir::Shape shape(size_t(x.ndim()) - 1, 1);
    shape.front() = ir::getShape(value).front();
    slope = call.tensor(call.g.reshape(value, shape));
  }
  Call call("load_onnx", node.place);
  auto [a, b] = call.binary(x, slope);
  return one(call.tensor(belowZero(call, a, call.g.mul(a, b))));
}

Values elu(ModelNode &node) {
  const double alpha = node.number("alpha", 1);
  return formula(node, [&](Call &call, Value x) {
    return belowZero(call, x, call.g.scale(call.g.expm1(x), alpha));
  });
}

Values selu(ModelNode &node) {
  const double alpha = node.number("alpha", 1.67326319217681884765625f),
               gamma = node.number("gamma", 1.05070102214813232421875f);
  return formula(node, [&](Call &call, Value x) {
    return call.g.scale(belowZero(call, x, call.g.scale(call.g.expm1(x), alpha)), gamma);
  });
}

// max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
Values celu(ModelNode &node) {
  const double alpha = node.number("alpha", 1);
  return formula(node, [&](Call &call, Value x) {
    return belowZero(call, x,
                     call.g.scale(call.g.expm1(call.g.div(x, call.like(x, alpha))), alpha));
  });
}

Values thresholdedRelu(ModelNode &node) {
  const double alpha = node.number("alpha", 1);
  return formula(node, [&](Call &call, Value x) {
    return call.g.select(call.g.greater(x, call.like(x, alpha)), x, call.like(x, 0));
  });
}

Value hard(Call &call, Value x, double alpha, double beta) {
  const Value line = call.g.add(call.g.scale(x, alpha), call.like(x, beta));
  return call.g.maximum(call.g.minimum(line, call.like(x, 1)), call.like(x, 0));
}

Values hardSigmoid(ModelNode &node) {
  const double alpha = node.number("alpha", 0.2f), beta = node.number("beta", 0.5);
  return formula(node, [&](Call &call, Value x) { return hard(call, x, alpha, beta); });
}

Values hardSwish(ModelNode &node) {
  return formula(node,
                 [](Call &call, Value x) { return call.g.mul(x, hard(call, x, 1.0 / 6, 0.5)); });
}

Values shrink(ModelNode &node) {
  const double bias = node.number("bias", 0), lambda = node.number("lambd", 0.5);
  return formula(node, [&](Call &call, Value x) {
    auto &g = call.g;
    const Value up = g.add(x, call.like(x, bias)), down = g.sub(x, call.like(x, bias));
    const Value above = g.select(g.greater(x, call.like(x, lambda)), down, call.like(x, 0));
    return g.select(g.less(x, call.like(x, -lambda)), up, above);
  });
}

Values sigmoid(ModelNode &node) {
  return formula(node, [](Call &call, Value x) { return call.g.logistic(x); });
}
Values softplus(ModelNode &node) {
  return formula(node, [](Call &call, Value x) { return call.g.softplus(x); });
}
Values tanh(ModelNode &node) {
  return formula(node, [](Call &call, Value x) { return call.g.tanh(x); });
}
Values softsign(ModelNode &node) {
  return formula(node, [](Call &call, Value x) {
    return call.g.div(x, call.g.add(call.like(x, 1), call.g.abs(x)));
  });
}
Values mish(ModelNode &node) {
  return formula(
      node, [](Call &call, Value x) { return call.g.mul(x, call.g.tanh(call.g.softplus(x))); });
}
Values swish(ModelNode &node) {
  const double alpha = node.number("alpha", 1);
  return formula(node, [&](Call &call, Value x) {
    return call.g.mul(x, call.g.logistic(call.g.scale(x, alpha)));
  });
}

Values gelu(ModelNode &node) {
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    node.fail("has approximate '" + approximate + "'; needed none or tanh");
  return formula(node, [&](Call &call, Value x) {
    auto &g = call.g;
    Value inner;
    if (approximate == "tanh") {
      const Value cube = g.scale(g.mul(g.mul(x, x), x), 0.044715);
      inner = g.tanh(g.scale(g.add(x, cube), std::sqrt(2 / M_PI)));
    } else {
      inner = g.erf(g.scale(x, std::sqrt(0.5)));
    }
    return g.scale(g.mul(x, g.add(inner, call.like(x, 1))), 0.5);
  });
}

//===-- Along axes ----------------------------------------------------------------------------===//

// Before opset 13 over all axes from one on, as one; then over one axis.
template <typename Along> Values along(ModelNode &node, Along compute) {
  Tensor x = node.input(0);
  if (x.ndim() == 0)
    node.fail("has an input of rank 0; needed 1 at least");
  const int64_t axis = node.axis(node.integer("axis", node.opset < 13 ? 1 : -1), x.ndim());
  Call call("load_onnx", node.place);
  const Value value = call.value(x);
  std::vector<int64_t> axes{axis};
  if (node.opset < 13)
    for (int64_t i = axis + 1; i < x.ndim(); ++i)
      axes.push_back(i);
  return one(call.tensor(compute(call, value, axes)));
}

Value normalizer(Call &call, Value x, AxisList axes) {
  return spread(call, logSumExp(call, x, axes), x, axes);
}

Values softmax(ModelNode &node) {
  return along(node, [](Call &call, Value x, const std::vector<int64_t> &axes) {
    auto &g = call.g;
    const Value e = g.exp(g.sub(x, spread(call, shift(call, x, axes), x, axes)));
    return g.div(e, spread(call, g.reduceSum(e, axes), e, axes));
  });
}

Values logSoftmax(ModelNode &node) {
  return along(node, [](Call &call, Value x, const std::vector<int64_t> &axes) {
    return call.g.sub(x, normalizer(call, x, axes));
  });
}

// 1 at the first of the largest.
Values hardmax(ModelNode &node) {
  return along(node, [](Call &call, Value x, const std::vector<int64_t> &axes) {
    auto &g = call.g;
    // Its number among all that are looked at, which lie last.
    std::vector<int64_t> order;
    for (int64_t i = 0; i < call.rank(x); ++i)
      if (i < axes.front() || i > axes.back())
        order.push_back(i);
    const size_t outer = order.size();
    order.insert(order.end(), axes.begin(), axes.end());
    const Value moved = g.transpose(x, order);
    const ir::Shape shape = ir::getShape(moved);
    ir::Shape flat(shape.begin(), shape.begin() + int64_t(outer));
    flat.push_back(call.check(ir::product({shape.begin() + int64_t(outer), shape.end()})));
    const Value rows = g.reshape(moved, flat);
    const Tensor best = K::argmax(call.tensor(rows), -1, call.location);
    const Value places = g.iota(ir::getTensorType({flat.back()}, call.builder.getI64Type()), 0);
    const int64_t last = int64_t(flat.size()) - 1;
    const Value wide = g.broadcast(places, flat, {last});
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < last; ++i)
      kept.push_back(i);
    const Value chosen = g.broadcast(call.value(best), flat, kept);
    const Value ones = g.cast(g.equal(wide, chosen), ir::getElementType(x));
    return g.transpose(g.reshape(ones, shape), inverseOf(order));
  });
}

const OpRecord activationRecords[] = {
    {"Celu", celu},           {"Elu", elu},
    {"Gelu", gelu},           {"HardSigmoid", hardSigmoid},
    {"HardSwish", hardSwish}, {"Hardmax", hardmax},
    {"LeakyRelu", leakyRelu}, {"LogSoftmax", logSoftmax},
    {"Mish", mish},           {"PRelu", prelu},
    {"Relu", relu},           {"Selu", selu},
    {"Shrink", shrink},       {"Sigmoid", sigmoid},
    {"Softmax", softmax},     {"Softplus", softplus},
    {"Softsign", softsign},   {"Swish", swish},
    {"Tanh", tanh},           {"ThresholdedRelu", thresholdedRelu},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::activationOps() {
  return activationRecords;
}

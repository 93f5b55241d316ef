// Ops of ONNX that train: gradients, and the rules of optimizers. Their domain is
// ai.onnx.preview.training.
#include "keratin/training.h"
#include "frontend/onnx/GraphImporter.h"

#include "keratin/io.h"
#include "keratin/options.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// Inputs (rate, count, the tensors, and for each of them `states` lists of others); the function
// gets them for one tensor, and returns its new value and states.
template <typename Rule> Values optimize(ModelNode &node, size_t lists, Rule rule) {
  if (node.inputCount() < 2 || (node.inputCount() - 2) % lists)
    node.fail("has " + std::to_string(node.inputCount()) + " inputs; needed a rate, a count and " +
              std::to_string(lists) + " for each tensor");
  const size_t count = (node.inputCount() - 2) / lists;
  std::vector<Values> made;
  for (size_t i = 0; i < count; ++i) {
    Call call("load_onnx", node.place);
    const Value x = call.value(node.input(2 + i));
    const ir::Shape shape = ir::getShape(x);
    auto like = [&](Value value) {
      return call.g.broadcastScalar(call.g.reshape(call.cast(value, call.dtypeOf(x)), {}), shape);
    };
    const Value rate = like(call.value(node.input(0))), step = like(call.value(node.input(1)));
    const Value decay = call.like(x, node.number("norm_coefficient", 0));
    std::vector<Value> all;
    for (size_t k = 1; k < lists; ++k)
      all.push_back(call.requireShape(call.value(node.input(2 + k * count + i)), shape,
                                      "a tensor, its gradient and its states"));
    all.front() = call.g.add(call.g.mul(decay, x), all.front());
    Values values;
    for (Value result : rule(call, rate, step, x, all))
      values.emplace_back(call.tensor(result));
    made.push_back(std::move(values));
  }
  Values values;
  for (size_t k = 0; k + 1 < lists; ++k)
    for (size_t i = 0; i < count; ++i)
      values.push_back(made[i][k]);
  return values;
}

// Duchi, Hazan, Singer (2011), "Adaptive subgradient methods".
Values adagrad(ModelNode &node) {
  const double factor = node.number("decay_factor", 0), epsilon = node.number("epsilon", 1e-6f);
  return optimize(node, 3, [&](Call &call, Value rate, Value step, Value x, const auto &given) {
    auto &g = call.g;
    const Value gradient = given[0], sum = g.add(given[1], g.mul(gradient, gradient));
    const Value by = g.add(call.like(x, 1), g.scale(step, factor));
    const Value change =
        g.div(g.mul(g.div(rate, by), gradient), g.add(g.sqrt(sum), call.like(x, epsilon)));
    return std::vector<Value>{g.sub(x, change), sum};
  });
}

// Kingma, Ba (2015), "Adam: a method for stochastic optimization".
Values adam(ModelNode &node) {
  const double alpha = node.number("alpha", 0.9f), beta = node.number("beta", 0.999f),
               epsilon = node.number("epsilon", 1e-6f),
               after = node.number("norm_coefficient_post", 0);
  return optimize(node, 4, [&](Call &call, Value rate, Value step, Value x, const auto &given) {
    auto &g = call.g;
    const Value gradient = given[0];
    const Value v = g.add(g.scale(given[1], alpha), g.scale(gradient, 1 - alpha));
    const Value h = g.add(g.scale(given[2], beta), g.scale(g.mul(gradient, gradient), 1 - beta));
    const Value unit = call.like(x, 1);
    const Value adjusted = g.div(g.mul(rate, g.sqrt(g.sub(unit, g.pow(call.like(x, beta), step)))),
                                 g.sub(unit, g.pow(call.like(x, alpha), step)));
    const Value by = g.select(g.greater(step, call.like(x, 0)), adjusted, rate);
    const Value change = g.div(g.mul(by, v), g.add(g.sqrt(h), call.like(x, epsilon)));
    return std::vector<Value>{g.scale(g.sub(x, change), 1 - after), v, h};
  });
}

Values momentum(ModelNode &node) {
  const double alpha = node.number("alpha", 0), beta = node.number("beta", 1);
  const std::string mode = node.text("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    node.fail("has mode '" + mode + "'; needed standard or nesterov");
  return optimize(node, 3, [&](Call &call, Value rate, Value step, Value x, const auto &given) {
    auto &g = call.g;
    const Value gradient = given[0];
    const Value scale =
        g.select(g.greater(step, call.like(x, 0)), call.like(x, beta), call.like(x, 1));
    const Value v = g.add(g.scale(given[1], alpha), g.mul(scale, gradient));
    const Value direction = mode == "standard" ? v : g.add(gradient, g.scale(v, alpha));
    return std::vector<Value>{g.sub(x, g.mul(rate, direction)), v};
  });
}

// Of y by the tensors named xs, where they have the values that they have in the graph.
Values gradient(ModelNode &node) {
  const std::vector<std::string> names = node.texts("xs");
  auto find = [&](const std::string &name) {
    ModelValue *value = node.importer.lookUp(name);
    if (!value)
      node.fail("differentiates '" + name + "', which nothing computes");
    return value->tensor(node.place);
  };
  std::vector<Tensor> by;
  for (size_t i = 0; i < names.size(); ++i) {
    by.push_back(find(names[i]));
    if (!node.has(i) || !K::is_same(by.back(), node.input(i)))
      node.notImplemented("gradients where other values stand for '" + names[i] + "'");
  }
  Values values;
  const std::vector<Gradient> found = K::gradients(find(node.text("y", "")), by, node.place);
  for (size_t i = 0; i < found.size(); ++i)
    values.emplace_back(found[i].value_or(K::zeros_like(by[i], None, "", node.place)));
  return values;
}

constexpr const char *domain = "ai.onnx.preview.training";
const OpRecord trainingRecords[] = {
    {"Adagrad", adagrad, domain},
    {"Adam", adam, domain},
    {"Gradient", gradient, domain},
    {"Momentum", momentum, domain},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::trainingOps() { return trainingRecords; }

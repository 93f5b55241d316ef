// Layers and an optimiser, as a few K functions each.
#ifndef KERATIN_EXAMPLES_COMMON_LAYERS_H
#define KERATIN_EXAMPLES_COMMON_LAYERS_H

#include <keratin/backend.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace layers {

namespace K = keratin::backend;

// Glorot's uniform initialisation (Glorot and Bengio, AISTATS 2010).
inline K::Tensor glorot(const std::vector<int64_t> &shape, int64_t inputs, int64_t outputs,
                        int64_t seed) {
  double limit = std::sqrt(6.0 / double(inputs + outputs));
  return K::random_uniform_variable(shape, -limit, limit, {.name = "weights", .seed = seed});
}

struct Dense {
  K::Tensor weights, bias;

  Dense(int64_t inputs, int64_t outputs, int64_t seed)
      : weights(glorot({inputs, outputs}, inputs, outputs, seed)),
        bias(K::zeros({outputs}, {.name = "bias"})) {}
  K::Tensor operator()(const K::Tensor &x) const { return K::bias_add(K::dot(x, weights), bias); }
  void collect(std::vector<K::Tensor> &parameters) const {
    parameters.insert(parameters.end(), {weights, bias});
  }
};

struct Conv3x3 {
  K::Tensor weights, bias;

  Conv3x3(int64_t inputs, int64_t outputs, int64_t seed)
      : weights(glorot({3, 3, inputs, outputs}, 9 * inputs, 9 * outputs, seed)),
        bias(K::zeros({outputs}, {.name = "bias"})) {}
  K::Tensor operator()(const K::Tensor &x) const {
    return K::bias_add(K::conv2d(x, weights, {.padding = "same"}), bias);
  }
  void collect(std::vector<K::Tensor> &parameters) const {
    parameters.insert(parameters.end(), {weights, bias});
  }
};

// Long short-term memory (Hochreiter and Schmidhuber, Neural Computation 9, 1997), with a forget
// gate that begins open.
struct Lstm {
  int64_t units;
  K::Tensor input, recurrent, bias;

  Lstm(int64_t inputs, int64_t units, int64_t seed)
      : units(units), input(glorot({inputs, 4 * units}, inputs, units, seed)),
        recurrent(glorot({units, 4 * units}, units, units, seed + 1)) {
    std::vector<float> start(size_t(4 * units), 0.0f);
    std::fill_n(start.begin() + units, units, 1.0f);
    bias = K::variable(K::Array(start), {.name = "bias"});
  }

  // x is (batch, time, inputs). Gives the last output and all of them.
  std::pair<K::Tensor, K::Tensor> operator()(const K::Tensor &x, bool backwards = false) const {
    K::Tensor zeros = K::zeros({K::shape(x)[0], units});
    auto step = [&](const K::Tensor &now, const std::vector<K::Tensor> &states) {
      K::Tensor z = K::bias_add(K::dot(now, input) + K::dot(states[0], recurrent), bias);
      auto part = [&](int64_t i) { return z[{K::All, K::Slice(i * units, (i + 1) * units)}]; };
      K::Tensor cell = K::sigmoid(part(1)) * states[1] + K::sigmoid(part(0)) * K::tanh(part(2));
      K::Tensor output = K::sigmoid(part(3)) * K::tanh(cell);
      return std::make_pair(output, std::vector<K::Tensor>{output, cell});
    };
    auto [last, all, states] = K::rnn(step, x, {zeros, zeros}, {.go_backwards = backwards});
    return {last, all};
  }
  void collect(std::vector<K::Tensor> &parameters) const {
    parameters.insert(parameters.end(), {input, recurrent, bias});
  }
};

template <typename... Layer> std::vector<K::Tensor> parametersOf(const Layer &...layer) {
  std::vector<K::Tensor> parameters;
  (layer.collect(parameters), ...);
  return parameters;
}

// Adam (Kingma and Ba, ICLR 2015) as updates of the graph.
inline std::vector<K::Update> adam(const K::Tensor &loss, const std::vector<K::Tensor> &parameters,
                                   double rate) {
  const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;
  std::vector<K::Update> updates;
  K::Tensor iterations = K::variable(0.0, {.name = "iterations"});
  K::Tensor t = iterations + 1.0;
  K::Tensor step = rate * K::sqrt(1.0 - K::pow(beta2, t)) / (1.0 - K::pow(beta1, t));
  updates.push_back(K::update(iterations, t));
  auto gradients = K::gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const K::Tensor &p = parameters[i], &g = gradients[i];
    K::Tensor m = K::zeros(p.shape()), v = K::zeros(p.shape());
    K::Tensor newM = beta1 * m + (1.0 - beta1) * g;
    K::Tensor newV = beta2 * v + (1.0 - beta2) * K::square(g);
    updates.push_back(K::update(m, newM));
    updates.push_back(K::update(v, newV));
    updates.push_back(K::update(p, p - step * newM / (K::sqrt(newV) + epsilon)));
  }
  return updates;
}

} // namespace layers

#endif // KERATIN_EXAMPLES_COMMON_LAYERS_H

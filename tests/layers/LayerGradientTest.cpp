// Gradients of layers that have formulas of their own, against finite differences.
#include "tests/layers/LayersTest.h"

#include "tests/frontend/GradientCheck.h"

TEST_CASE("gradients of normalisation", "[layers]") {
  const Doubles doubles;
  layers::LayerNorm layerNorm(3);
  layers::BatchNorm batchNorm(3);
  checkGradient({"LayerNorm", [&](const Tensor &x) { return layerNorm(K::reshape(x, {-1, 3})); }});
  checkGradient(
      {"BatchNorm", [&](const Tensor &x) { return batchNorm(K::reshape(x, {-1, 3}), true); }});
}

// The gradient by every variable of a layer, one element of each moved.
template <typename Layer> static void checkVariables(const Layer &layer, const Array &at) {
  Tensor x = K::constant(at), value = weighted(layer(x));
  std::vector<Tensor> variables = layer.trainable();
  std::vector<keratin::Gradient> gradients = K::gradients(value, variables);
  std::vector<K::Output> outputs(gradients.begin(), gradients.end());
  outputs.emplace_back(value);
  K::Function f = K::function({}, outputs);
  const auto values = [&] { return f(std::vector<Array>()); };
  const K::Results start = values();
  const double step = 1e-5;
  for (size_t i = 0; i < variables.size(); ++i) {
    INFO(variables[i].name());
    const Array before = K::get_value(variables[i]);
    const int64_t place = before.size() / 2;
    double ends[2];
    for (int side : {0, 1}) {
      Array moved = before;
      moved.data<double>()[place] += side ? step : -step;
      K::set_value(variables[i], moved);
      ends[side] = values().back().item();
    }
    K::set_value(variables[i], before);
    CHECK(start[i].item(place) ==
          Approx((ends[1] - ends[0]) / (2 * step)).epsilon(1e-6).margin(1e-8));
  }
}

TEST_CASE("gradients of recurrent layers and attention", "[layers]") {
  const Doubles doubles;
  const layers::RecurrentOptions options{.return_sequences = true, .seed = 1};
  checkVariables(layers::LSTM(2, 3, options), wave(0, {2, 3, 2}));
  checkVariables(layers::GRU(2, 3, options), wave(0, {2, 3, 2}));
  checkVariables(layers::MultiHeadAttention(4, 2, {.seed = 1}), wave(0, {2, 3, 4}));
  checkVariables(layers::SeparableConv2D(2, 2, 2, {.padding = "same", .seed = 1}),
                 wave(0, {1, 3, 3, 2}));
}

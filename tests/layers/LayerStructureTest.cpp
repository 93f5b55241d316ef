// Layers as values: names, parts, how variables begin, errors.
#include "tests/layers/LayersTest.h"

static std::vector<std::string> namesOf(const std::vector<Tensor> &variables) {
  std::vector<std::string> names;
  for (const Tensor &variable : variables)
    names.push_back(variable.name());
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("variables are named after their layers", "[layers]") {
  const Doubles doubles;
  layers::Dense first(2, 3), second(3, 3, {.use_bias = false}), last(3, 1, {.name = "logits"});
  CHECK(namesOf(first.variables()) == Names{"dense/kernel:0", "dense/bias:0"});
  CHECK(namesOf(second.variables()) == Names{"dense_1/kernel:0"});
  CHECK(last.name() == "logits");
  const K::name_scope scope("block");
  layers::Dense inner(2, 3);
  CHECK(inner.name() == "block/dense");
  // What a layer makes is named after it wherever it is called.
  CHECK(has(inner(K::placeholder({None, 2})).name(), "block/dense/"));
}

struct Net : layers::Layer {
  layers::Dense hidden = add(layers::Dense(2, 3)), last = add(layers::Dense(3, 1));
  layers::BatchNorm norm = add(layers::BatchNorm(3));
  Tensor scale = add(K::variable(2.0, {.name = "scale"}));

  Tensor operator()(const Tensor &x, const Operand &training = None) const {
    return scale * last(norm(hidden(x), training));
  }
};

TEST_CASE("a model is made of parts, and copies share them", "[layers]") {
  const Doubles doubles;
  Net net;
  CHECK(net.variables().size() == 9);
  CHECK(net.trainable().size() == 7);
  Net copy = net;
  copy.hidden.setTrainable(false);
  CHECK(net.trainable().size() == 5);
  net.setTrainable(true);
  CHECK(net.trainable().size() == 7);
  net(K::placeholder({None, 2}), true);
  CHECK(copy.updates().size() == 2);
  // A part of two is there once.
  layers::Sequential twice{net.hidden, [](const Tensor &x) { return K::tanh(x); },
                           layers::Dense(3, 2), net.hidden};
  CHECK(twice.variables().size() == 4);
}

TEST_CASE("Sequential gives training to those that take it", "[layers]") {
  const Doubles doubles;
  layers::Sequential net{layers::Dense(2, 4, {.kernel_initializer = 1.0}),
                         layers::BatchNorm(4),
                         layers::Dropout(0.5, {.seed = 1}),
                         [](const Tensor &x, const Operand &) { return K::expand_dims(x, 1); },
                         layers::MultiHeadAttention(4, 2, {.dropout = 0.5}),
                         layers::GRU(4, 2)};
  Tensor x = K::placeholder({None, 2});
  (void)net(x, false);
  CHECK(net.updates().empty());
  Tensor y = net(x, true);
  CHECK(net.updates().size() == 2);
  CHECK(keratin::toString(y.shape()) == "(None, 2)");
}

TEST_CASE("variables begin as their initializers say", "[layers]") {
  const Doubles doubles;
  auto kernel = [](const layers::Initializer &initializer) {
    return K::get_value(
        layers::Dense(200, 100, {.kernel_initializer = initializer, .seed = 5}).variables()[0]);
  };
  const std::pair<const char *, double> cases[] = {
      {"glorot_uniform", 2.0 / 300}, {"glorot_normal", 2.0 / 300},
      {"he_uniform", 2.0 / 200},     {"he_normal", 2.0 / 200},
      {"lecun_uniform", 1.0 / 200},  {"lecun_normal", 1.0 / 200},
      {"uniform", 0.0025 / 3},       {"normal", 0.0025}};
  for (const auto &[name, variance] : cases) {
    INFO(name);
    const Array drawn = kernel(name);
    CHECK(K::eval(K::var(drawn)).item() == Approx(variance).epsilon(0.05));
    checkArray(kernel(name), drawn); // the same seed
    const double most = K::eval(K::max(K::abs(drawn))).item();
    CHECK((most <= std::sqrt(3 * variance)) == has(name, "uniform"));
  }
  checkArray(kernel("ones"), K::eval(K::ones({200, 100})));
  checkArray(kernel(0.5), K::eval(0.5 * K::ones({200, 100})));
  // Forget gates are open at first.
  checkArray(K::get_value(layers::LSTM(2, 1).variables()[2]), Array{0.0, 1.0, 0.0, 0.0});
}

TEST_CASE("layers say what they cannot do", "[layers]") {
  const Doubles doubles;
  Tensor row = K::placeholder({None, 3}), image = K::placeholder({None, 8, 8, 3});
  auto check = [](auto &&work, const std::string &part) {
    std::string message = errorOf<K::ValueError>(work);
    CHECK(has(message, part));
    CHECK(has(message, "LayerStructureTest.cpp:"));
  };
  check([&] { layers::Dense(0, 2); }, "Dense 'dense': inputs is 0; needed at least 1; at ");
  check([&] { layers::Dense(4, 2, {.name = "logits"})(row); },
        "Dense 'logits': x has shape (None, 3); needed 4 along axis -1; at ");
  check([&] { layers::Dense(4, 2)(K::placeholder({4})); },
        "x has shape (4,); needed 2 axes or more");
  check([&] { layers::Dense(4, 2)(Tensor()); }, "x is an empty Tensor");
  check([&] { layers::Dense(4, 2, {.activation = "rleu"}); },
        "activation: no function is named 'rleu'; there are elu, exponential");
  check([&] { layers::Dense(4, 2, {.kernel_initializer = "xavier"}); },
        "initializer: none is named 'xavier'; there are glorot_normal");
  check([&] { layers::Dense(4, 2, {.bias_initializer = Array{1.0}, .name = "out"}); },
        "Dense 'out': the initial value of bias has shape (1,); needed (2,)");
  check([&] { layers::Embedding(4, 2)(row); }, "x has dtype float64; needed integers");
  check([&] { layers::Conv2D(3, 2, 3)(row); },
        "Conv2D 'conv2d': x has shape (None, 3); needed 4 axes; at ");
  check([&] { layers::Conv2D(3, 2, {3, 3, 3}); },
        "kernel_size is no window; needed one number above 0, or 2");
  check([&] { layers::BatchNorm(3, {.axis = 4})(image); },
        "axis is 4; needed one of x, whose shape is (None, 8, 8, 3)");
  check([&] { layers::BatchNorm(3, {.momentum = 1.5}); },
        "momentum is 1.500000; needed from 0 to 1");
  check([&] { layers::Dropout(1.0); }, "rate is 1.000000; needed at least 0 and below 1");
  check([&] { layers::LSTM(3, 2)(K::placeholder({None, None, 3}), {.initial_state = row}); },
        "LSTM 'lstm': initial_state has 1 tensors; needed 2");
  check([&] { layers::MultiHeadAttention(6, 4); },
        "width is 6; needed a multiple of heads, 4, or key_dim");
  check([&] { layers::MultiHeadAttention(4, 2, {.dropout = 1.0}); }, "dropout is 1.000000");
  layers::MultiHeadAttention attention(4, 2);
  Tensor sequence = K::placeholder({None, None, 4});
  check([&] { attention(sequence, {.value = row}); }, "value has shape (None, 3); needed 3 axes");
  check([&] { attention(sequence, {.mask = 1}); }, "mask is no tensor");
  struct Wrong : layers::Layer {
    Tensor w = add(K::placeholder({2}));
  };
  CHECK(has(errorOf<K::ValueError>([] { Wrong(); }), "Layer::add: "));
}

// The steps of optimizers, against numpy_values.py, and learning rates.
#include "tests/layers/LayersTest.h"

#include <functional>

// Three steps down 0.5 * sum(scale * (p - target)^2): p after each.
static Array threeSteps(optimizers::Optimizer &optimizer) {
  K::clear_session(); // for the name "p"
  Tensor p = K::variable(Array{1.0, -2.0, 0.5}, {.name = "p"});
  Tensor scale = K::constant(Array{1.0, 2.0, 0.5}), target = K::constant(Array{0.0, 1.0, 3.0});
  Tensor loss = 0.5 * K::sum(scale * K::square(p - target));
  K::Function step = K::function({}, loss, optimizer.minimize(loss, p));
  std::vector<Array> found;
  for (int i = 0; i < 3; ++i) {
    step(std::vector<Array>());
    found.push_back(K::get_value(p));
  }
  checkArray(K::get_value(optimizer.iterations()), Array(3));
  return keratin::stackArrays(found.data(), found.size());
}

TEST_CASE("optimizers make the steps of their formulas", "[optimizers]") {
  const Doubles doubles;
  auto check = [](const char *name, optimizers::Optimizer &&optimizer, const Array &expected) {
    INFO(name);
    checkArray(threeSteps(optimizer), expected, 1e-8);
  };
  check("sgd", optimizers::SGD(0.1),
        Array{{0.9, -1.4, 0.625}, {0.81, -0.92, 0.74375}, {0.729, -0.536, 0.8565625}});
  check("momentum", optimizers::SGD(0.1, {.momentum = 0.9}),
        Array{{0.9, -1.4, 0.625}, {0.72, -0.38, 0.85625}, {0.486, 0.814, 1.1715625}});
  check(
      "nesterov", optimizers::SGD(0.1, {.momentum = 0.9, .nesterov = true}),
      Array{{0.81, -0.86, 0.7375}, {0.5751, 0.3328, 1.0536875}, {0.327321, 1.325056, 1.421343438}});
  check("rmsprop", optimizers::RMSprop(0.1),
        Array{{0.683772334, -1.683772251, 0.816227686},
              {0.4988707391, -1.466820803, 1.030427361},
              {0.3691806959, -1.291765819, 1.201638265}});
  check("centered rmsprop", optimizers::RMSprop(0.1, {.momentum = 0.5, .centered = true}),
        Array{{0.6666667778, -1.666666685, 0.8333332444},
              {0.2989012117, -1.25985723, 1.236843503},
              {0.02084107948, -0.8638736751, 1.623391299}});
  check("adam", optimizers::Adam(0.1),
        Array{{0.9000003162, -1.900000053, 0.599999747},
              {0.8004127762, -1.800102798, 0.6998723771},
              {0.7015870149, -1.700381645, 0.7995254811}});
  check("amsgrad", optimizers::Adam(0.1, {.beta_2 = 0.5, .amsgrad = true}),
        Array{{0.9000000141, -1.900000002, 0.5999999887},
              {0.7986254894, -1.799534508, 0.7005578953},
              {0.6954723011, -1.69830957, 0.8020348357}});
  check("adamw", optimizers::AdamW(0.1, {.weight_decay = 0.04}),
        Array{{0.8960003162, -1.892000053, 0.597999747},
              {0.7928521871, -1.784544427, 0.6954833877},
              {0.6909221689, -1.677711037, 0.7923637619}});
  check("clip.value", optimizers::SGD(0.1, {.clip = {.value = 1.0}}),
        Array{{0.9, -1.9, 0.6}, {0.81, -1.8, 0.7}, {0.729, -1.7, 0.8}});
  check("clip.norm", optimizers::SGD(0.1, {.clip = {.norm = 2.0}}),
        Array{{0.9677932127, -1.806759276, 0.5402584841},
              {0.9345790251, -1.614106077, 0.5824670444},
              {0.9002630493, -1.422136006, 0.6268506653}});
  check("AdamW without decay of p", optimizers::AdamW(0.1, {.exclude_from_weight_decay = {"p"}}),
        threeSteps(*std::make_unique<optimizers::Adam>(0.1)));
}

TEST_CASE("gradients are limited together by global_norm", "[optimizers]") {
  const Doubles doubles;
  Tensor a = K::variable(Array{3.0}), b = K::variable(Array{4.0, 0.0});
  Tensor loss = 0.5 * (K::sum(K::square(a)) + K::sum(K::square(b)));
  optimizers::SGD sgd(0.1, {.clip = {.global_norm = 2.0}});
  K::Function step = K::function({}, loss, sgd.minimize(loss, {a, b}));
  step(std::vector<Array>());
  checkArray(K::get_value(a), Array{2.88}, 1e-12);
  checkArray(K::get_value(b), Array{3.84, 0.0}, 1e-12);
}

TEST_CASE("an optimizer has named variables and keeps constraints", "[optimizers]") {
  const Doubles doubles;
  Tensor w = K::variable(
      1.0, {.name = "w", .constraint = [](const Tensor &x) { return K::maximum(x, 0.5); }});
  Tensor loss = K::square(w);
  optimizers::Adam adam(0.3), other(0.3);
  K::Function step =
      K::function({}, {{"learning_rate", adam.learningRate()}}, adam.minimize(loss, w));
  CHECK(other.name() == "adam_1");
  std::vector<std::string> names;
  for (const Tensor &variable : adam.variables()) {
    names.push_back(variable.name());
    CHECK_FALSE(variable.trainable());
  }
  CHECK(names == std::vector<std::string>{"adam/iterations:0", "adam/w/m:0", "adam/w/v:0"});
  for (int i = 0; i < 3; ++i)
    CHECK(step(std::vector<Array>())["learning_rate"].item() == 0.3);
  checkArray(K::get_value(w), 0.5);
  // Another function of the same variables goes on with the same state.
  adam.minimize(loss, w);
  CHECK(adam.variables().size() == 3);
}

// The rates of these steps.
static std::vector<double> ratesOf(const optimizers::Schedule &schedule,
                                   const std::vector<double> &steps) {
  Tensor step = K::placeholder({});
  K::Function f = K::function(step, schedule(step));
  std::vector<double> rates;
  for (double number : steps)
    rates.push_back(f({number})[0].item());
  return rates;
}

TEST_CASE("learning rates at the ends of their parts", "[optimizers]") {
  const Doubles doubles;
  auto check = [](const optimizers::Schedule &schedule, const std::vector<double> &steps,
                  const std::vector<double> &expected) {
    checkArray(Array(ratesOf(schedule, steps)), Array(expected), 1e-14);
  };
  check(0.5, {0, 7}, {0.5, 0.5});
  check(optimizers::PiecewiseConstant({2, 5}, {1, 0.5, 0.1}), {0, 1, 2, 4, 5, 100},
        {1, 1, 0.5, 0.5, 0.1, 0.1});
  check(optimizers::ExponentialDecay(2, 4, 0.25), {0, 2, 4, 8}, {2, 1, 0.5, 0.125});
  check(optimizers::ExponentialDecay(2, 4, 0.25, {.staircase = true}), {0, 3, 4, 7, 8},
        {2, 2, 0.5, 0.5, 0.125});
  check(optimizers::CosineDecay(1, 4), {0, 1, 2, 4, 9}, {1, 0.5 + std::sqrt(0.125), 0.5, 0, 0});
  check(optimizers::CosineDecay(1, 4, {.alpha = 0.2, .warmup_steps = 2}), {0, 1, 2, 4, 6, 7},
        {0, 0.5, 1, 0.6, 0.2, 0.2});
  Tensor variable = K::variable(0.25);
  check(variable, {3}, {0.25});
  check([](const Tensor &step) { return 1.0 / (1.0 + step); }, {0, 3}, {1, 0.25});
}

TEST_CASE("an optimizer says what it cannot do", "[optimizers]") {
  const Doubles doubles;
  Tensor w = K::variable(1.0, {.name = "w"}), lost = K::variable(1.0, {.name = "lost"});
  optimizers::SGD sgd(0.1);
  CHECK(has(errorOf<K::ValueError>([&] { sgd.minimize(K::square(w), {w, lost}); }), "'lost'"));
  CHECK(has(errorOf<K::ValueError>([&] { sgd.minimize(K::square(w), std::vector<Tensor>()); }),
            "sgd: no variables to train; at "));
  CHECK(has(errorOf<K::ValueError>([&] { sgd.apply({w}, {w, lost}); }),
            "sgd: 1 gradients for 2 variables"));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::SGD(0.1, {.clip = {.norm = 0.0}}); }),
            "clip.norm is 0.000000; needed above 0"));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::SGD(-0.1); }),
            "learning rate: found -0.100000; needed 0 or more"));
  Tensor vector = K::constant(Array{1.0, 2.0});
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::SGD rate(vector); }), "is no scalar"));
  CHECK(has(
      errorOf<K::ValueError>([&] { optimizers::SGD rate([&](const Tensor &) { return vector; }); }),
      ": the schedule returns "));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::PiecewiseConstant({2, 5}, {1.0, 0.5}); }),
            "PiecewiseConstant: 2 boundaries and 2 values; needed one value more than boundaries"));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::PiecewiseConstant({5, 2}, {1, 1, 1}); }),
            "PiecewiseConstant: the boundaries do not rise"));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::CosineDecay(1, 0); }),
            "CosineDecay: steps is 0; needed at least 1"));
  CHECK(has(errorOf<K::ValueError>([&] { optimizers::ExponentialDecay(1, 1, 0); }),
            "ExponentialDecay: factor is 0.000000; needed above 0"));
}

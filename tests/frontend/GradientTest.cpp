// Gradients of K functions against central differences in float64, and the gradients of those.
#include "tests/frontend/GradientCheck.h"

#include "keratin/random.h"

#include <limits>

TEST_CASE("gradients of elementwise functions") {
  for (const GradientCase &test : std::vector<GradientCase>{
           {"square", [](auto &x) { return K::square(x); }},
           {"exp", [](auto &x) { return K::exp(x); }},
           {"log", [](auto &x) { return K::log(K::abs(x) + 0.5); }},
           {"sin", [](auto &x) { return K::sin(x) * K::cos(x); }},
           {"sqrt", [](auto &x) { return K::sqrt(K::square(x) + 0.1); }},
           {"sqrt of negative", [](auto &x) { return K::sqrt(x); }},
           {"pow", [](auto &x) { return K::pow(K::abs(x), 1.7) + K::pow(2.0, x); }},
           {"clip", [](auto &x) { return K::clip(x, -1.0, 2.0) * x; }},
           {"maximum", [](auto &x) { return K::maximum(x, 0.35) * K::minimum(x, 1.0); }},
           {"divide", [](auto &x) { return 1.0 / (x + 3.0) - x / 2.0; }},
           {"mod", [](auto &x) { return x % 0.8; }},
           {"relu", [](auto &x) { return K::relu(x, 0.1, 2.0, 0.35) + K::relu(x) * x; }},
           {"elu", [](auto &x) { return K::elu(x, 1.3); }},
           {"sigmoid", [](auto &x) { return K::sigmoid(x) + K::hard_sigmoid(x) * x; }},
           {"softplus", [](auto &x) { return K::softplus(x) * K::softsign(x); }},
           {"tanh", [](auto &x) { return K::tanh(x); }},
           {"tan", [](auto &x) { return K::tan(0.5 * x) * K::atan(x); }},
           {"erf", [](auto &x) { return K::erf(x) * x; }},
       })
    checkGradient(test);
}

TEST_CASE("gradients along axes") {
  for (const GradientCase &test : std::vector<GradientCase>{
           {"sum", [](auto &x) { return K::square(K::sum(x, 0)); }},
           {"mean", [](auto &x) { return K::square(K::mean(x, 1, true)); }},
           {"prod", [](auto &x) { return K::prod(x, 1); }},
           {"max", [](auto &x) { return K::max(x, 0) * K::min(x, 0); }},
           {"var", [](auto &x) { return K::var(x, 1) + K::std(x); }},
           {"logsumexp", [](auto &x) { return K::logsumexp(x, 1); }},
           {"cumsum", [](auto &x) { return K::square(K::cumsum(x, 1)); }},
           {"cumprod", [](auto &x) { return K::cumprod(x, 0); }},
           {"softmax", [](auto &x) { return K::softmax(x); }},
           {"log of softmax", [](auto &x) { return K::log(K::softmax(x, 0)); }},
           {"l2_normalize", [](auto &x) { return K::l2_normalize(x, 1); }},
       })
    checkGradient(test);
}

TEST_CASE("a product with zeros has exact gradients") {
  Tensor x = K::placeholder({3}, None, "float64");
  auto f = K::function(
      {x}, {*K::gradients(K::prod(x), {x})[0], *K::gradients(K::sum(K::cumprod(x)), {x})[0]});
  std::vector<Array> result = f({Array{2.0, 0.0, 3.0}});
  checkArray(result[0], Array{0.0, 6.0, 0.0});
  checkArray(result[1], Array{1.0, 8.0, 0.0});
}

TEST_CASE("gradients of products and moves") {
  Array matrix{{0.5, -1.0}, {2.0, 0.3}, {-0.7, 1.1}};
  for (const GradientCase &test : std::vector<GradientCase>{
           {"dot", [&](auto &x) { return K::square(K::dot(x, K::constant(matrix, "float64"))); }},
           {"dot with itself", [](auto &x) { return K::dot(x, K::transpose(x)); }},
           {"batch_dot", [](auto &x) { return K::batch_dot(x, K::square(x), 1); }},
           {"broadcast", [](auto &x) { return x * K::sum(x, 1, true) + K::sum(x, 0); }},
           {"reshape", [](auto &x) { return K::square(K::reshape(x, {-1})); }},
           {"concatenate", [](auto &x) { return K::concatenate({x, K::square(x)}, 0); }},
           {"stack", [](auto &x) { return K::stack({x, K::exp(x)}, 1); }},
           {"repeat_elements", [](auto &x) { return K::square(K::repeat_elements(x, 3, 1)); }},
           {"tile", [](auto &x) { return K::square(K::tile(x, {2, 1})); }},
           {"reverse", [](auto &x) { return K::reverse(x, 0) * x; }},
           {"slices",
            [](auto &x) { return x[{keratin::All, keratin::Slice(None, None, -2)}] * x[{0, 1}]; }},
           {"gather",
            [](auto &x) { return K::square(K::gather(x, K::constant({1, 0, 1}, "int32"))); }},
           {"place at run time", [](auto &x) { return K::square(x[K::constant(1, "int32")]); }},
           {"switch", [](auto &x) { return K::switch_(x > 0.35, K::exp(x), x * x); }},
       })
    checkGradient(test);
}

TEST_CASE("gradients of losses and normalisation") {
  Array target{{0.2, 0.5, 0.3}, {1.0, 0.0, 0.0}};
  Tensor t = K::constant(target, "float64"), rows = K::constant({2, 0}, "int32");
  auto p = [](const Tensor &x) { return K::sigmoid(x); };
  for (const GradientCase &test : std::vector<GradientCase>{
           {"categorical", [&](auto &x) { return K::categorical_crossentropy(t, p(x)); }},
           {"categorical logits",
            [&](auto &x) { return K::categorical_crossentropy(t, x, true, 0); }},
           {"sparse", [&](auto &x) { return K::sparse_categorical_crossentropy(rows, p(x)); }},
           {"sparse logits",
            [&](auto &x) { return K::sparse_categorical_crossentropy(rows, x, true); }},
           {"binary", [&](auto &x) { return K::binary_crossentropy(t, p(x)); }},
           {"binary logits", [&](auto &x) { return K::binary_crossentropy(t, x, true); }},
           {"batch normalisation",
            [](auto &x) {
              auto [y, m, v] = K::normalize_batch_in_training(x, {1.0, 2.0, 0.5}, None, 0);
              return y + m * v;
            }},
           {"bias_add", [](auto &x) { return K::square(K::bias_add(x, K::sum(x, 0))); }},
       })
    checkGradient(test);
}

TEST_CASE("conventions at kinks") {
  auto at = [](const std::function<Tensor(const Tensor &)> &formula, const Array &values) {
    Tensor x = K::placeholder({None}, None, "float64");
    return K::function({x}, {*K::gradients(formula(x), {x})[0]})({values})[0];
  };
  checkArray(at([](auto &x) { return K::abs(x); }, {-1.0, 0.0, 2.0}), {-1.0, 0.0, 1.0});
  checkArray(at([](auto &x) { return K::relu(x); }, {-1.0, 0.0, 2.0}), {0.0, 0.0, 1.0});
  checkArray(at([](auto &x) { return K::relu(x, 0.3); }, {-1.0, 0.0, 2.0}), {0.3, 0.3, 1.0});
  checkArray(at([](auto &x) { return K::relu(x, 0.0, 5.0); }, {4.0, 5.0, 6.0}), {1.0, 1.0, 0.0});
  checkArray(at([](auto &x) { return K::relu(x, 0.0, None, 1.0); }, {1.0, 2.0}), {0.0, 1.0});
  checkArray(at([](auto &x) { return K::elu(x, 1.5); }, {0.0}), {1.5});
  checkArray(at([](auto &x) { return K::hard_sigmoid(x); }, {-2.5, 0.0, 2.5}), {0.2, 0.2, 0.2});
  checkArray(at([](auto &x) { return K::clip(x, 0.0, 1.0); }, {-1.0, 0.0, 1.0, 2.0}),
             {0.0, 1.0, 1.0, 0.0});
  checkArray(at([](auto &x) { return K::maximum(x, x * 1.0) * 2.0; }, {1.0}), {2.0});
  checkArray(at([](auto &x) { return K::max(x); }, {1.0, 3.0, 3.0}), {0.0, 0.5, 0.5});
  checkArray(at([](auto &x) { return K::sqrt(x); }, {-4.0, 0.0, 4.0}), {0.0, INFINITY, 0.25});
  checkArray(at([](auto &x) { return K::pow(x, 2.0) + K::pow(x, 1.0); }, {0.0, 3.0}), {1.0, 7.0});
  checkArray(at([](auto &x) { return K::switch_(x > 0.0, K::log(x), 0.0 * x); }, {0.0, 2.0}),
             {0.0, 0.5});
}

TEST_CASE("what has no gradient is None") {
  Tensor x = K::variable({1.0, 2.0}), y = K::variable({3.0, 4.0});
  Tensor n = K::variable({1, 2}, "int32");
  Tensor loss = K::sum(K::square(x));
  auto result = K::gradients(loss, {x, y, n});
  CHECK(result[0]);
  CHECK_FALSE(result[1]);
  CHECK_FALSE(result[2]);
  CHECK_FALSE(K::gradients(K::round(x), {x})[0]);
  CHECK_FALSE(K::gradients(K::floor(x) + K::ceil(x), {x})[0]);
  CHECK_FALSE(K::gradients(K::stop_gradient(x) * 2.0, {x})[0]);
  CHECK_FALSE(K::gradients(K::zeros_like(x), {x})[0]);
  CHECK_FALSE(K::gradients(K::cast(K::argmax(x), "float32"), {x})[0]);
  checkValue(*K::gradients(x * K::stop_gradient(x), {x})[0], Array{1.0, 2.0});
  checkValue(*K::gradients(K::sign(x), {x})[0], Array{0.0, 0.0});
}

TEST_CASE("gradients with respect to values in the middle") {
  Tensor w = K::variable({1.0, 2.0});
  Tensor e = w * w;
  Tensor loss = K::sum(e * 3.0);
  auto result = K::gradients(loss, {e, w});
  checkValue(*result[0], Array{3.0, 3.0});
  checkValue(*result[1], Array{6.0, 12.0});
  checkValue(*K::gradients(e, {e})[0], Array{1.0, 1.0});
}

TEST_CASE("gradients with respect to values that what follows could do without") {
  Tensor points = K::placeholder({None, 2}), x = points[{K::All, 0}], y = points[{K::All, 1}];
  // Stacking shapes x anew, which a column of points has been made of by a reshape.
  Tensor sums = K::sum(K::stack({x, y}, 1) * Array{3.0, 5.0}, 1);
  Tensor negated = -x;
  K::Function f = K::function(points, K::gradients(sums + K::square(-negated), {x, y, negated}));
  K::Results found = f({Array{{1.0, 2.0}}});
  checkArray(found[0], Array{5.0});
  checkArray(found[1], Array{5.0});
  checkArray(found[2], Array{2.0 * -1.0});
}

TEST_CASE("a training step: gradients as updates") {
  Tensor x = K::placeholder({None, 3}), t = K::placeholder({None, 1});
  Tensor w = K::zeros({3, 1}), b = K::zeros({1});
  Tensor loss = K::mean(K::square(K::dot(x, w) + b - t));
  auto g = K::gradients(loss, {w, b});
  auto step =
      K::function({x, t}, {loss}, {K::update_sub(w, *g[0] * 0.1), K::update_sub(b, *g[1] * 0.1)});
  Array inputs{{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}, {1., 1., 1.}};
  Array targets{{2.}, {3.}, {4.}, {7.}};
  double first = step({inputs, targets})[0].item(), last = 0;
  for (int i = 0; i < 2000; ++i)
    last = step({inputs, targets})[0].item();
  CHECK(first == Approx(19.5));
  CHECK(last < 1e-8);
  checkArray(K::get_value(w), Array{{1.}, {2.}, {3.}}, 1e-3);
}

// The derivatives of order 0 to 5 of a function of numbers, each by itself.
static std::vector<std::vector<double>>
derivatives(const std::function<Tensor(const Tensor &)> &function, const Array &at) {
  Tensor x = K::placeholder({None}, None, "float64");
  std::vector<Tensor> orders = {function(x)};
  while (orders.size() < 6) {
    auto next = K::gradients(orders.back(), {x})[0];
    orders.push_back(next ? next.value() : K::zeros_like(x));
  }
  std::vector<std::vector<double>> numbers;
  for (const Array &order : K::function({x}, orders)({at}))
    numbers.push_back(order.toVector());
  return numbers;
}

TEST_CASE("derivatives of every order of powers at 0 and elsewhere") {
  const std::vector<double> at = {-2, -1, 0, 1, 2};
  for (int n = 0; n <= 5; ++n) {
    std::vector<std::vector<double>> exact;
    double factor = 1;
    for (int order = 0; order <= 5; factor *= n - order++) {
      exact.emplace_back();
      for (double x : at)
        exact.back().push_back(order > n ? 0 : factor * std::pow(x, n - order));
    }
    INFO("x to the power of " << n);
    CHECK(derivatives([&](auto &x) { return K::pow(x, n); }, at) == exact);
    Tensor exponent = K::variable(double(n), "float64");
    CHECK(derivatives([&](auto &x) { return K::pow(x, exponent); }, at) == exact);
    if (n > 0)
      CHECK(derivatives(
                [&](auto &x) {
                  Tensor product = x;
                  for (int i = 1; i < n; ++i)
                    product = product * x;
                  return product;
                },
                at) == exact);
    if (n == 4) {
      CHECK(derivatives([&](auto &x) { return K::square(K::square(x)); }, at) == exact);
      CHECK(derivatives([&](auto &x) { return K::pow(K::pow(x, 2), 2); }, at) == exact);
      CHECK(derivatives([&](auto &x) { return K::pow(x, 3) * x; }, at) == exact);
    }
  }
}

TEST_CASE("derivatives of powers that are not whole") {
  const double inf = std::numeric_limits<double>::infinity();
  auto found = derivatives([](auto &x) { return K::pow(x, 2.5); }, Array{0.0, 4.0});
  const std::vector<std::vector<double>> exact = {
      {0, 32}, {0, 20}, {0, 7.5}, {inf, 0.9375}, {-inf, -15. / 128}, {inf, 45. / 1024}};
  for (size_t order = 0; order <= 5; ++order) {
    INFO("order " << order);
    CHECK(found[order][0] == exact[order][0]);
    CHECK(found[order][1] == Approx(exact[order][1]).epsilon(1e-14));
  }
  // Mixed derivatives of x^a: to a and then to x, where x is not 0.
  Tensor x = K::placeholder({None}, None, "float64"), a = K::placeholder({None}, None, "float64");
  Tensor byExponent = K::gradients(K::pow(x, a), {a})[0].value();
  Tensor mixed = K::gradients(byExponent, {x})[0].value();
  Array values = K::function({x, a}, {mixed})({Array{2.0, 2.0, 0.5}, Array{0.0, 1.0, 2.0}})[0];
  for (int i = 0; i < 3; ++i) {
    double base = i < 2 ? 2 : 0.5, power = i;
    CHECK(values.item(i) ==
          Approx(std::pow(base, power - 1) * (1 + power * std::log(base))).epsilon(1e-14));
  }
  // The factor of a power may be 0 where its derivative is not.
  Tensor w = K::placeholder({None}, None, "float64");
  Tensor byBase = K::gradients(w * K::pow(x, 3), {x})[0].value();
  Tensor byFactor = K::gradients(byBase, {w})[0].value();
  checkArray(K::function({x, w}, {byFactor})({Array{2.0, 0.0}, Array{0.0, 0.0}})[0],
             Array{12.0, 0.0});
}

static Tensor derivative(Tensor y, const Tensor &x, int order) {
  for (int i = 0; i < order; ++i)
    y = *K::gradients(K::sum(y), {x})[0];
  return y;
}

TEST_CASE("high derivatives of elementwise functions") {
  const std::vector<double> at{0.3, -0.7, 1.2};
  Tensor x = K::variable(at, "float64");
  auto check = [&](const Tensor &y, int order, auto expected) {
    std::vector<double> values;
    for (double place : at)
      values.push_back(expected(place));
    INFO("order " << order);
    checkValue(derivative(y, x, order), Array(values), 1e-11);
  };
  const double quarter = std::acos(-1.0) / 4;
  double factorial = 1;
  for (int n = 1; n <= 6; ++n) {
    check(K::exp(x * 0.5), n, [&](double a) { return std::pow(0.5, n) * std::exp(a * 0.5); });
    check(K::sin(x), n, [&](double a) { return std::sin(a + 2 * n * quarter); });
    check(K::sin(x) * K::exp(x), n, [&](double a) {
      return std::pow(2.0, 0.5 * n) * std::exp(a) * std::sin(a + n * quarter);
    });
    check(K::log(x + 2.0), n,
          [&](double a) { return (n % 2 ? factorial : -factorial) / std::pow(a + 2.0, n); });
    factorial *= n;
    check(x * x * x * x, n, [&](double a) {
      return n > 4 ? 0.0 : factorial * 24 / (std::tgamma(5.0 - n) * factorial) * std::pow(a, 4 - n);
    });
  }
  check(K::tanh(x), 3, [](double a) {
    double t = std::tanh(a), first = 1 - t * t;
    return -2 * first * first + 4 * t * t * first;
  });
  // A value that another gradient is taken with respect to, and two variables.
  Tensor w = K::variable(2.0, "float64");
  Tensor y = K::sum(K::sin(x * w));
  Tensor mixed = *K::gradients(*K::gradients(y, {w})[0], {x})[0];
  std::vector<double> expected;
  for (double a : at)
    expected.push_back(std::cos(2 * a) - 2 * a * std::sin(2 * a));
  checkValue(mixed, Array(expected), 1e-12);
}

TEST_CASE("high derivatives keep the zeros of branches not taken") {
  Tensor x = K::variable({-1.0, 4.0, 0.0}, "float64");
  for (int order = 1; order <= 3; ++order) {
    Tensor y = K::switch_(K::greater(x, 0.0), K::log(x), x * 0.0);
    double sign = order % 2 ? 1.0 : -1.0;
    double there = sign * std::tgamma(double(order)) / std::pow(4.0, order);
    checkValue(derivative(y, x, order), Array{0.0, there, 0.0}, 1e-12);
    Tensor z = K::switch_(K::greater(x, 0.0), K::tanh(x), x * 0.0);
    CHECK(derivative(z, x, order).eval().item<double>(0) == 0.0);
  }
}

TEST_CASE("one tensor stands for a list of one", "[gradient]") {
  Tensor x = K::placeholder({}), w = K::variable(3.0);
  Tensor loss = K::square(w * x);
  Tensor gradient = K::gradients(loss, w)[0];
  K::Function step = K::function(x, loss, K::update_sub(w, 0.5 * gradient));
  CHECK(step({1.0})[0].item() == 9.0);
  CHECK(w.eval().item() == 0.0);
  K::Function assign = K::function({}, {}, K::Update(w, 2.0));
  assign({});
  CHECK(w.eval().item() == 2.0);
}

TEST_CASE("a gradient that is absent says of which variable", "[gradient]") {
  Tensor w = K::variable(1.0, {.name = "used"}), b = K::variable(1.0, {.name = "not_used"});
  std::vector<K::Gradient> gradients = K::gradients(K::square(w), {w, b});
  CHECK(gradients[0].has_value());
  CHECK_FALSE(gradients[1].has_value());
  CHECK_FALSE(bool(gradients[1]));
  CHECK(K::is_same(gradients[1].value_or(w), w));
  auto message = [&](auto use) { return errorOf<K::ValueError>([&] { (void)use(gradients[1]); }); };
  CHECK(has(message([](auto &g) { return 0.1 * g; }),
            "does not depend on 'not_used' in a differentiable way, so there is no gradient; "
            "needed has_value()"));
  K::Gradient empty{Tensor()};
  CHECK(has(errorOf<K::ValueError>([&] { (void)empty.value(); }), "Gradient: this is empty"));
  CHECK(has(message([](auto &g) { return Tensor(g); }), "GradientTest.cpp:"));
  CHECK(has(message([](auto &g) { return g->name(); }), "'not_used'"));
  CHECK(has(message([](auto &g) { return K::function({}, g); }), "'not_used'"));
}

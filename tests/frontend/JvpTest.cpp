// Forward mode, and what is made of it. Each function's tangents are compared with its gradients
// where those are tested (GradientCheck.h).
#include "tests/frontend/FrontendTest.h"

#include "keratin/saving.h"
#include "tests/support/TemporaryFile.h"

#include <cmath>
#include <cstdlib>
#include <limits>

using keratin::Slice;

namespace {

Tensor fed(const StaticShape &shape) { return K::placeholder(shape, None, "float64"); }

Array array(std::initializer_list<double> numbers) { return Array(std::vector<double>(numbers)); }

} // namespace

TEST_CASE("jvp adds up what each input does to an output", "[jvp]") {
  Tensor x = fed({2}), w = fed({2}), v = fed({2}), u = fed({2});
  Tensor y = x * K::square(w), z = K::sum(y), other = K::exp(w);
  auto f = K::function({x, w, v, u}, K::jvp({y, z, other, x}, {x, w}, {v, u}));
  std::vector<Array> t = f({array({2, 3}), array({5, 7}), array({0.5, 1}), array({1, -1})});
  // v w^2 + 2 x w u
  checkArray(t[0], array({0.5 * 25 + 20, 49 - 42}), 1e-15);
  checkArray(t[1], Array(32.5 + 7.0), 1e-15);
  checkArray(t[2], array({std::exp(5), -std::exp(7)}), 1e-14);
  checkArray(t[3], array({0.5, 1}));
}

TEST_CASE("jvp of what does not depend on the inputs is zeros", "[jvp]") {
  Tensor x = fed({2}), w = fed({3}), v = fed({2});
  Tensor blocked = K::stop_gradient(x) * 2.0, chosen = K::cast(K::argmax(x), "float64");
  auto f = K::function({x, w, v}, K::jvp({w, blocked, chosen}, x, v));
  std::vector<Array> t = f({array({2, 3}), array({5, 7, 1}), array({0.5, 1})});
  checkArray(t[0], array({0, 0, 0}));
  checkArray(t[1], array({0, 0}));
  checkArray(t[2], Array(0.0));
}

TEST_CASE("jvp takes an input from the middle of the graph", "[jvp]") {
  Tensor x = fed({2}), v = fed({2});
  Tensor middle = K::sin(x), y = middle * x;
  // That of the middle is added to what x does to it.
  auto f = K::function({x, v}, {K::jvp(y, middle, v)[0], K::jvp(y, {x, middle}, {v, v})[0]});
  std::vector<Array> t = f({array({2, 3}), array({1, 10})});
  checkArray(t[0], array({2, 30}), 1e-15);
  checkArray(t[1],
             array({2 + std::sin(2) + 2 * std::cos(2), 10 * (3 + std::sin(3) + 3 * std::cos(3))}),
             1e-14);
}

TEST_CASE("what is not chosen adds exactly 0 to a tangent", "[jvp]") {
  Tensor x = fed({3}), v = fed({3});
  Tensor isPositive = K::greater(x, 0.0);
  auto f = K::function(
      {x, v}, {K::jvp(K::switch_(isPositive, K::log(x), K::zeros_like(x)), x, v)[0],
               K::jvp(K::log(K::switch_(isPositive, x, K::zeros_like(x))), x, v)[0],
               K::jvp(K::sqrt(K::relu(x)), x, v)[0], K::jvp(K::sqrt(K::maximum(x, 0.0)), x, v)[0]});
  std::vector<Array> t = f({array({-1, 0, 4}), array({1, 1, 1})});
  checkArray(t[0], array({0, 0, 0.25}));
  checkArray(t[1], array({0, 0, 0.25}));
  CHECK(t[2].item(0) == 0);
  CHECK(t[3].item(0) == 0);
  checkArray(t[3], array({0, std::numeric_limits<double>::infinity(), 0.25}));
}

TEST_CASE("tangents of loops and branches", "[jvp]") {
  Tensor x = fed({4}), v = fed({4}), n = K::placeholder({}, None, "int32");
  Tensor folded = K::foldl([](const Tensor &a, const Tensor &e) { return a * e + K::sin(e); }, x);
  Tensor mapped = K::map_fn([](const Tensor &e) { return e * K::exp(e); }, x);
  std::vector<Tensor> looped =
      K::while_loop([&](const std::vector<Tensor> &s) { return K::less(s[0], n); },
                    [&](const std::vector<Tensor> &s) {
                      return std::vector<Tensor>{s[0] + 1, s[1] * K::cos(x) + x};
                    },
                    {K::constant(0, "int32"), K::square(x)});
  Tensor branch = K::switch_(K::greater(n, 2), [&] { return K::square(x); }, [&] { return -x; });
  std::vector<Tensor> ys = {folded, mapped, looped[1], branch};
  std::vector<Tensor> outputs = ys;
  for (const Tensor &y : ys) {
    outputs.push_back(K::jvp(y, x, v)[0]);
    outputs.push_back(K::vector_jacobian_product(K::jvp(y, x, v), x, K::ones_like(y))[0]);
    outputs.push_back(*K::gradients(K::jvp(y, x, v)[0], x)[0]);
  }
  auto f = K::function({x, v, n}, outputs);
  Array at = array({0.5, -1.2, 0.8, 1.1}), direction = array({1, -0.5, 0.3, 2});
  for (int steps : {0, 1, 5}) {
    INFO(steps << " steps");
    const double h = 1e-6;
    Array high = at, low = at;
    for (int i = 0; i < 4; ++i) {
      high.data<double>()[i] += h * direction.item(i);
      low.data<double>()[i] -= h * direction.item(i);
    }
    std::vector<Array> found = f({at, direction, steps}), above = f({high, direction, steps}),
                       below = f({low, direction, steps});
    for (size_t k = 0; k < ys.size(); ++k) {
      INFO("output " << k);
      const Array &tangent = found[4 + 3 * k];
      for (int64_t i = 0; i < tangent.size(); ++i)
        CHECK(tangent.item(i) ==
              Approx((above[k].item(i) - below[k].item(i)) / (2 * h)).epsilon(1e-6).margin(1e-6));
      checkArray(found[4 + 3 * k + 1], found[4 + 3 * k + 2], 1e-12);
    }
  }
}

TEST_CASE("a step of a loop may differentiate", "[jvp]") {
  Tensor a = fed({}), v = fed({});
  Tensor root = K::while_loop([&](const Tensor &x) { return K::abs(x * x - a) > 1e-12; },
                              [&](const Tensor &x) {
                                Tensor f = x * x - a;
                                return x - f / K::jvp(f, x, K::ones_like(x))[0];
                              },
                              {a})[0];
  auto f = K::function({a, v}, {root, K::jvp(root, a, v)[0], *K::gradients(root, a)[0]});
  std::vector<Array> found = f({Array(2.0), Array(3.0)});
  checkArray(found[0], Array(std::sqrt(2.0)), 1e-12);
  checkArray(found[1], Array(1.5 / std::sqrt(2.0)), 1e-9);
  checkArray(found[2], Array(0.5 / std::sqrt(2.0)), 1e-9);
}

TEST_CASE("a tangent may depend on what is differentiated", "[jvp]") {
  Tensor x = fed({3});
  Tensor y = K::foldl([](const Tensor &a, const Tensor &e) { return a * e; }, x,
                      K::constant(1.0, "float64"));
  Tensor v = x * y;
  auto f = K::function({x}, {K::jvp(y, x, v)[0], K::sum(*K::gradients(y, x)[0] * v)});
  std::vector<Array> found = f({array({2, 3, 5})});
  checkArray(found[0], found[1], 1e-13);
}

TEST_CASE("the tangents of a loop take as much memory for many steps as for few", "[jvp]") {
  if (std::getenv("KERATIN_TEST_PROGRAM"))
    return;
  auto arenaOf = [](int64_t steps, bool forwards) {
    Tensor x = fed({steps}), w = K::variable(Array(0.9), "float64"), h = fed({256});
    Tensor y = K::foldl([&](const Tensor &a, const Tensor &e) { return K::tanh(a * w + e); }, x, h);
    Tensor loss = K::sum(y);
    Tensor derivative =
        forwards ? K::jvp(loss, w, K::constant(1.0, "float64"))[0] : *K::gradients(loss, w)[0];
    return K::function({x, h}, {loss, derivative}).arenaBytes();
  };
  CHECK(arenaOf(2000, true) == arenaOf(20, true));
  CHECK(arenaOf(2000, false) > 2000 * 256 * 8);
}

TEST_CASE("vector_jacobian_product weighs outputs, and has derivatives by the weights", "[jvp]") {
  Tensor x = fed({3}), a = fed({3}), b = fed({2}), v = fed({3});
  Tensor y = K::exp(x), z = x[{Slice(0, 2)}] * x[{Slice(1, 3)}], unused = fed({4});
  std::vector<Tensor> products = K::vector_jacobian_product({y, z}, {x, unused}, {a, b});
  Tensor byWeights = *K::gradients(K::sum(products[0] * v), a)[0];
  auto f = K::function({x, a, b, v, unused}, {products[0], products[1],
                                              *K::gradients(K::sum(y * a) + K::sum(z * b), x)[0],
                                              byWeights, K::jvp(y, x, v)[0]});
  std::vector<Array> found = f({array({0.1, 0.2, 0.3}), array({1, 2, 3}), array({4, 5}),
                                array({1, -1, 2}), array({0, 0, 0, 0})});
  checkArray(found[0], found[2], 1e-15);
  checkArray(found[1], array({0, 0, 0, 0}));
  checkArray(found[3], found[4], 1e-15);
}

TEST_CASE("tangents are saved", "[jvp]") {
  Tensor x = fed({2}), v = fed({2});
  auto f = K::function(
      {x, v},
      K::jvp(K::foldl([](const Tensor &a, const Tensor &e) { return a * e; }, K::sin(x)), x, v));
  keratin::tests::TemporaryFile file;
  K::save_function(f, file.path);
  auto loaded = K::load_function(file.path);
  std::vector<Array> arguments = {array({0.5, 0.7}), array({1, 2})};
  checkArray(loaded(arguments)[0], f(arguments)[0]);
}

// Gradients of the caller's own, checkpoints, and solutions of equations, by their forms in C++;
// tests/python/derivatives_test.py has their values at large.
#include "tests/frontend/FrontendTest.h"

#include <cmath>

namespace {

Tensor fed(const StaticShape &shape) { return K::placeholder(shape, None, "float64"); }

Array array(std::initializer_list<double> numbers) { return Array(std::vector<double>(numbers)); }

} // namespace

TEST_CASE("custom_gradient of tensors and of vectors", "[gradients]") {
  Tensor x = fed({2}), w = fed({2});
  auto one = K::custom_gradient(
      [](const Tensor &a) { return K::square(a); },
      [](const Tensor &a, const Tensor &y, const Tensor &dy) { return dy * (a + y); });
  auto two = K::custom_gradient(
      [](const Tensor &a, const Tensor &b) { return std::pair(a * b, a + b); },
      [](const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
         const std::vector<Tensor> &cotangents) {
        return std::vector<Tensor>{cotangents[0] * inputs[1], outputs[0] * cotangents[1]};
      });
  std::vector<Tensor> both = two(x, w);
  auto f =
      K::function({x, w}, {K::gradients(one(x), x)[0], K::gradients(both[0] + both[1], x)[0],
                           K::gradients(both[0] + both[1], w)[0], K::gradients(both[1], x)[0]});
  std::vector<Array> found = f({array({2, 3}), array({5, 7})});
  checkArray(found[0], array({6, 12}));
  checkArray(found[1], array({5, 7}));
  checkArray(found[2], array({10, 21}));
  checkArray(found[3], array({0, 0}));
}

TEST_CASE("custom_jvp of tensors and of vectors", "[gradients]") {
  Tensor x = fed({2}), w = fed({2});
  auto one = K::custom_jvp([](const Tensor &a) { return K::square(a); },
                           [](const Tensor &a, const Tensor &t) { return t * a; });
  auto two = K::custom_jvp(
      [](const Tensor &a, const Tensor &b) { return std::pair(a * b, a + b); },
      [](const std::vector<Tensor> &inputs, const std::vector<Tensor> &tangents) {
        return std::vector<Tensor>{tangents[0] * inputs[1], Tensor()};
      });
  std::vector<Tensor> both = two(x, w);
  auto f = K::function({x, w}, {K::gradients(one(x), x)[0], K::jvp(one(x), x, w)[0],
                                K::gradients(both[0] + both[1], x)[0],
                                K::gradients(both[0] + both[1], w)[0],
                                K::jvp({both[0], both[1]}, {x, w}, {w, x})[0]});
  std::vector<Array> found = f({array({2, 3}), array({5, 7})});
  checkArray(found[0], array({2, 3}));
  checkArray(found[1], array({10, 21}));
  checkArray(found[2], array({5, 7}));
  checkArray(found[3], array({0, 0}));
  checkArray(found[4], array({25, 49}));
}

TEST_CASE("an empty tensor stands for a gradient of zeros", "[gradients]") {
  Tensor x = fed({2});
  auto none =
      K::custom_gradient([](const Tensor &a) { return a * 2.0; },
                         [](const Tensor &, const Tensor &, const Tensor &) { return Tensor(); });
  checkArray(K::function(x, K::gradients(none(x), x)[0])({array({2, 3})})[0], array({0, 0}));
}

TEST_CASE("custom_gradient and checkpoint refuse what does not fit", "[gradients]") {
  Tensor x = fed({2});
  auto pair = [](const Tensor &a) { return std::pair(a, a); };
  auto ofOne = [](const Tensor &, const Tensor &, const Tensor &dy) { return dy; };
  CHECK(
      has(errorOf<keratin::ValueError>([&] { K::custom_gradient(pair, ofOne)(x); }),
          "custom_gradient: vjp takes an input, an output and a cotangent; there are 1 inputs and "
          "2 outputs, needed vectors"));
  auto sum = [](const Tensor &a, const Tensor &b) { return a + b; };
  CHECK(has(errorOf<keratin::ValueError>([&] { K::custom_gradient(sum, ofOne)(x); }),
            "custom_gradient: the number of the function's parameters is 2; needed 1, one for each "
            "input"));
  auto tangent = [](const Tensor &, const Tensor &t) { return t; };
  CHECK(has(errorOf<keratin::ValueError>([&] { K::custom_jvp(sum, tangent)(x, x); }),
            "custom_jvp: jvp takes an input and a tangent; there are 2 inputs, needed vectors"));
  CHECK(has(errorOf<keratin::ValueError>([&] { K::custom_jvp(pair, tangent)(x); }),
            "custom_jvp: the number of tangents that jvp returns is 1; needed 2, one for each "
            "output"));
  CHECK(has(errorOf<keratin::ValueError>([&] { K::checkpoint(sum)(x); }),
            "checkpoint: the function has 2 parameters; needed 1, one for each input"));
  CHECK(has(errorOf<keratin::ValueError>([&] { K::fixed_point(sum, x); }),
            "fixed_point: f has 2 parameters; needed 1, one for each tensor of x0"));
  CHECK(has(errorOf<keratin::ValueError>(
                [&] { K::odeint([](const Tensor &a) { return a; }, x, array({0, 1})); }),
            "odeint: f has 1 parameters; needed 2, one for each tensor of y0 and the time"));
  std::function<Tensor(const Tensor &)> empty;
  CHECK(has(errorOf<keratin::ValueError>([&] { K::checkpoint(empty); }),
            "checkpoint: the function is empty"));
}

TEST_CASE("sizes that a function computes", "[gradients]") {
  Tensor x = fed({4}), n = K::placeholder({}, None, "int64");
  auto first = [&](const Tensor &a) {
    Tensor count = K::minimum(n, K::constant(4, "int64"));
    return K::sum(K::exp(
        a * K::cast(K::less(K::arange(K::shape(a)[0]), K::cast(count, "int32")), "float64")));
  };
  Tensor y = K::checkpoint(first)(x);
  auto f = K::function({x, n}, K::gradients(y, x)[0]);
  checkArray(f({array({0, 1, 2, 3}), Array(int64_t(2))})[0], array({1, std::exp(1), 0, 0}), 1e-14);
}

TEST_CASE("solutions of equations", "[gradients]") {
  Tensor a = fed({}), t = fed({3});
  Tensor x = K::root([&](const Tensor &z) { return z * z - a; }, K::constant(1.0, "float64"));
  std::vector<Tensor> pair = K::fixed_point(
      [&](const Tensor &u, const Tensor &v) { return std::pair(K::cos(v) * a * 0.1, K::sin(u)); },
      std::vector<Tensor>{K::zeros({}, "float64"), K::zeros({}, "float64")});
  Tensor y = K::odeint([&](const Tensor &z, const Tensor &) { return z * a; },
                       K::ones({2}, "float64"), t, {1e-10, 1e-10});
  auto f = K::function({a, t}, {x, K::gradients(x, a)[0], pair[0] - K::cos(pair[1]) * a * 0.1, y,
                                K::gradients(K::sum(y), a)[0]});
  std::vector<Array> found = f({Array(2.0), array({0, 0.5, 1})});
  checkArray(found[0], Array(std::sqrt(2.0)), 1e-12);
  checkArray(found[1], Array(0.5 / std::sqrt(2.0)), 1e-11);
  checkArray(found[2], Array(0.0), 1e-11);
  const double half = std::exp(1.0), whole = std::exp(2.0);
  checkArray(found[3], Array{{1, 1}, {half, half}, {whole, whole}}, 1e-8);
  checkArray(found[4], Array(2 * (0.5 * half + whole)), 1e-7);
}

// Gradients of K functions against central differences in float64, and the gradients of those.
#ifndef KERATIN_TESTS_FRONTEND_GRADIENTCHECK_H
#define KERATIN_TESTS_FRONTEND_GRADIENTCHECK_H

#include "tests/frontend/FrontendTest.h"
#include "tests/support/TestEnvironment.h"

#include <functional>

struct GradientCase {
  const char *name;
  std::function<Tensor(const Tensor &)> formula;
  Array at = Array{{0.3, -1.2, 2.1}, {1.7, 0.4, -0.6}};
  bool needsSizes = false; // when the graph is built
};

// Weighs the elements differently, so that a gradient in the wrong place shows.
inline Tensor weighted(const Tensor &y) {
  Tensor flat = K::flatten(y);
  Tensor place = K::cast(K::arange(K::shape(flat)[0]), "float64");
  return K::sum(flat * K::cos(place * 0.7 + 0.3));
}

// The gradient that f says it has at each element of x against central differences of its value.
// f returns (value, gradient).
inline void checkDifferences(const keratin::Function &f, const Array &at, double tolerance) {
  Array x = at.astype(DType::Float64);
  Array gradient = f({x})[1];
  REQUIRE(keratin::toString(gradient.shape()) == keratin::toString(x.shape()));
  const double step = 1e-5;
  for (int64_t i = 0; i < x.size(); ++i) {
    Array high = x, low = x;
    high.data<double>()[i] += step;
    low.data<double>()[i] -= step;
    double expected = (f({high})[0].item() - f({low})[0].item()) / (2 * step);
    INFO("element " << i);
    CHECK(gradient.item(i) == Approx(expected).epsilon(tolerance).margin(tolerance));
  }
}

// Forward mode against reverse mode, of first and second derivatives.
inline void checkTangents(const Tensor &x, const StaticShape &shape, const Tensor &value,
                          const Tensor &gradient, const Array &at) {
  Tensor v = K::placeholder(shape, None, "float64");
  Tensor product = K::sum(gradient * v);
  auto f = K::function({x, v},
                       {K::jvp(value, x, v)[0], product, K::hessian_vector_product(value, x, v)[0],
                        K::gradients(product, x)[0].value_or(K::zeros_like(x))});
  Array place = at.astype(DType::Float64), direction = place;
  for (int64_t i = 0; i < place.size(); ++i)
    direction.data<double>()[i] = std::cos(double(i) + 0.4);
  std::vector<Array> found = f({place, direction});
  checkArray(found[0], found[1], 1e-9);
  checkArray(found[2], found[3], 1e-9);
}

// With known and with unknown sizes. Where KERATIN_TEST_EVERY says so, of a part of all cases of
// the program, another one each day.
inline void checkGradient(const GradientCase &test) {
  static keratin::tests::Sample sample;
  if (!sample.takesNext())
    return;
  INFO(test.name);
  StaticShape unknown(test.at.shape().size(), None);
  for (const StaticShape &shape :
       {StaticShape(test.at.shape().begin(), test.at.shape().end()), unknown}) {
    if (shape == unknown && test.needsSizes)
      continue;
    INFO(keratin::toString(shape));
    Tensor x = K::placeholder(shape, None, "float64");
    Tensor value = weighted(test.formula(x));
    auto gradient = K::gradients(value, {x})[0];
    REQUIRE(gradient);
    checkDifferences(K::function({x}, {value, *gradient}), test.at, 1e-6);
    checkTangents(x, shape, value, *gradient, test.at);
    if (shape == unknown)
      continue;
    Tensor first = weighted(*gradient);
    auto second = K::gradients(first, {x})[0];
    if (second)
      checkDifferences(K::function({x}, {first, *second}), test.at, 1e-5);
  }
}

#endif // KERATIN_TESTS_FRONTEND_GRADIENTCHECK_H

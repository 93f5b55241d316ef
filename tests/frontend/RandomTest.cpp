// Random numbers: distributions, reproducibility, independence of the number of threads.
#include "tests/frontend/FrontendTest.h"

#include "keratin/runtime.h"

struct Moments {
  double mean, deviation, least, most;
};

static Moments momentsOf(const Array &array) {
  double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
  for (double x : array.toVector()) {
    sum += x;
    squares += x * x;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  double n = double(array.size()), mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean), least, most};
}

TEST_CASE("normal numbers") {
  for (const char *dtype : {"float16", "float32", "float64"}) {
    INFO(dtype);
    Moments m = momentsOf(K::eval(K::random_normal({200, 200}, 1.0, 2.0, dtype, 7)));
    CHECK(m.mean == Approx(1.0).margin(0.03));
    CHECK(m.deviation == Approx(2.0).margin(0.03));
    CHECK(m.most > 6.0);
  }
}

TEST_CASE("uniform numbers stay in their range") {
  for (const char *dtype : {"float16", "bfloat16", "float32", "float64"}) {
    INFO(dtype);
    Moments m = momentsOf(K::eval(K::random_uniform({200, 200}, 0, 1, dtype, 3)));
    CHECK(m.mean == Approx(0.5).margin(0.01));
    CHECK(m.deviation == Approx(std::sqrt(1.0 / 12)).margin(0.01));
    CHECK(m.least >= 0);
    CHECK(m.most < 1);
    CHECK(momentsOf(K::eval(K::random_uniform({200, 200}, -1, 3, dtype, 3))).most < 3);
  }
  Moments i = momentsOf(K::eval(K::random_uniform({100, 100}, -2, 3, "int32", 5)));
  CHECK(i.least == -2);
  CHECK(i.most == 2);
  CHECK(i.mean == Approx(0).margin(0.1));
  CHECK_THROWS_AS(K::random_uniform({2}, 3, 3, "int32"), keratin::ValueError);
}

TEST_CASE("truncated normal numbers stay within two deviations") {
  for (const char *dtype : {"float32", "float64"}) {
    Moments m = momentsOf(K::eval(K::truncated_normal({200, 200}, 5.0, 3.0, dtype, 11)));
    CHECK(m.mean == Approx(5.0).margin(0.045));
    CHECK(m.deviation == Approx(0.87962566 * 3).margin(0.03));
    CHECK(m.least >= -1.0);
    CHECK(m.most <= 11.0);
  }
}

TEST_CASE("binomial numbers") {
  CHECK(momentsOf(K::eval(K::random_binomial({100, 100}, 0.3, None, 1))).mean ==
        Approx(0.3).margin(0.02));
  CHECK(momentsOf(K::eval(K::random_binomial({10, 10}, 0.0))).most == 0);
  CHECK(momentsOf(K::eval(K::random_binomial({10, 10}, 1.0))).least == 1);
}

TEST_CASE("dropout keeps and scales") {
  Array y = K::eval(K::dropout(K::ones({100, 100}), 0.2, None, 9));
  CHECK(momentsOf(y).mean == Approx(1.0).margin(0.05));
  for (double x : y.toVector())
    if (x != 0 && x != 1.25)
      FAIL("found " << x);
  Array rows = K::eval(K::dropout(K::ones({50, 4}), 0.5, {None, 1}, 9));
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 1; j < 4; ++j)
      REQUIRE(rows.item(i * 4 + j) == rows.item(i * 4));
  Tensor x = K::ones({2});
  CHECK(K::is_same(K::dropout(x, 0.0), x));
  CHECK_THROWS_AS(K::dropout(x, 1.0), keratin::ValueError);
  CHECK_THROWS_AS(K::dropout(x, -0.1), keratin::ValueError);
}

TEST_CASE("the noise of dropout may have sizes that x has at the call") {
  Tensor x = K::placeholder({None, None}), other = K::placeholder({None});
  auto sameInRows = [](const Array &y) {
    for (int64_t i = 0; i < y.size(); ++i)
      if (y.item(i) != y.item(i - i % y.shape()[1]))
        return false;
    return true;
  };
  Array ones = Array(std::vector<float>(12, 1.0f), {4, 3});
  Tensor known = K::dropout(x, 0.5, {4, 1}, 9);
  CHECK(keratin::toString(K::int_shape(known)) == "(4, None)");
  K::Function f = K::function({x}, {known});
  CHECK(sameInRows(f({ones})[0]));
  CHECK_THROWS_WITH(f({Array{{1.0, 2.0}}}),
                    Catch::Contains("noise_shape and x must have equal sizes"));
  K::Function g = K::function({x, other}, {K::dropout(x, 0.5, {K::shape(other)[0], 1}, 9)});
  CHECK(sameInRows(g({ones, Array{1.0, 2.0, 3.0, 4.0}})[0]));
  CHECK(g({ones, Array(std::vector<double>{1.0})})[0].shape() == std::vector<int64_t>{4, 3});
  CHECK_THROWS_WITH(g({ones, Array{1.0, 2.0}}), Catch::Contains("shapes cannot be broadcast"));
}

TEST_CASE("equal seeds repeat, evaluations differ, one evaluation has one value") {
  Tensor a = K::random_uniform({5}, 0, 1, None, 42), b = K::random_uniform({5}, 0, 1, None, 42);
  std::vector<double> first = K::eval(a).toVector(), second = K::eval(a).toVector();
  CHECK(first != second);
  CHECK(K::eval(b).toVector() == first);
  CHECK(K::eval(b).toVector() == second);
  CHECK(K::eval(K::random_uniform({5}, 0, 1, None, 43)).toVector() != first);
  auto f = K::function({}, {a, a - a});
  std::vector<Array> result = f(std::vector<Array>{});
  for (double zero : result[1].toVector())
    CHECK(zero == 0);
  CHECK(f(std::vector<Array>{})[0].toVector() != result[0].toVector());
  K::set_random_seed(1);
  std::vector<double> unseeded = K::eval(K::random_normal({3})).toVector();
  K::set_random_seed(1);
  CHECK(K::eval(K::random_normal({3})).toVector() == unseeded);
}

TEST_CASE("random variables and shapes known at run time") {
  Tensor v = K::random_normal_variable({3, 4}, 0.0, 1.0, None, "weights", 5);
  CHECK(K::is_variable(v));
  CHECK(K::get_value(v).toVector() == K::get_value(v).toVector());
  Tensor x = K::placeholder({None, 2});
  auto f = K::function({x}, {K::random_uniform(K::shape(x))});
  CHECK(f({Array::zeros(DType::Float32, {3, 2})})[0].shape() == std::vector<int64_t>{3, 2});
  CHECK(f({Array::zeros(DType::Float32, {0, 2})})[0].size() == 0);
}

TEST_CASE("random bits do not depend on the number of threads") {
  int32_t threads = keratin_num_threads();
  keratin_set_num_threads(1);
  std::vector<double> one = K::eval(K::random_uniform({1000, 100}, 0, 1, None, 8)).toVector();
  keratin_set_num_threads(2);
  std::vector<double> two = K::eval(K::random_uniform({1000, 100}, 0, 1, None, 8)).toVector();
  keratin_set_num_threads(threads);
  CHECK(one == two);
}

// As keratin/random.h says; what is known when the graph is made is refused there (MisuseTest).
TEST_CASE("tensors of floats as parameters are taken as they are") {
  const double nan = std::nan("");
  Tensor a = K::placeholder(keratin::Shape{}), b = K::placeholder(keratin::Shape{});
  const keratin::Function f = K::function({a, b}, {K::random_normal({100}, 0.0, a, None, 7),
                                                   K::random_binomial({100}, a, None, 7),
                                                   K::random_uniform({100}, a, b, None, 7)});
  auto all = [](const Array &found, double expected) {
    checkArray(found, Array(std::vector<double>(100, expected), {100}));
  };
  // Nothing is drawn where nothing can differ.
  all(f({0.0, 0.0})[0], 0.0);
  all(f({nan, 0.0})[0], nan);
  for (auto [p, expected] : {std::pair(-1.0, 0.0), std::pair(nan, 0.0), std::pair(2.0, 1.0)})
    all(f({p, 0.0})[1], expected);
  for (auto [minval, maxval] : {std::pair(2.0, 2.0), std::pair(2.0, -5.0)})
    all(f({minval, maxval})[2], minval);
  all(f({nan, 1.0})[2], nan);
  all(f({1.0, nan})[2], nan);
  // A negative deviation turns every number round.
  Tensor drawn = K::random_normal({1000}, 0.0, a, None, 7);
  Array up = K::function({a}, {drawn})({2.0})[0];
  Array down = K::function({a}, {K::random_normal({1000}, 0.0, a, None, 7)})({-2.0})[0];
  for (int64_t i = 0; i < up.size(); ++i)
    CHECK(up.item(i) == -down.item(i));
}

// What is made of a word by shifts, comparisons and products is the same on any device, bit by bit.
TEST_CASE("random numbers of a device are those of the CPU") {
  if (std::getenv("KERATIN_TEST_PROGRAM"))
    return;
  auto made = [] {
    Tensor x = K::placeholder({None, 3}), row = K::placeholder({3});
    Tensor dropped = K::dropout(K::relu(x) + row, 0.25, None, 5);
    Tensor inRows = K::dropout(x, 0.5, {None, 1}, 6);
    std::vector<Tensor> outputs = {dropped,
                                   *K::gradients(K::sum(dropped * dropped), {x})[0],
                                   inRows,
                                   K::random_uniform(K::shape(x), -1, 1, "float32", 7),
                                   K::random_uniform({70}, 0, 1, "float64", 8),
                                   K::random_uniform({3, 100}, -5, 1000, "int32", 9),
                                   K::random_binomial({65}, 0.3, None, 10)};
    auto f = K::function({x, row}, outputs);
    std::vector<Array> results;
    for (int64_t rows : {0, 1, 21, 22, 400}) {
      Array fed(std::vector<float>(size_t(rows * 3), 1.5f), {rows, 3});
      for (Array &result : f({fed, Array(std::vector<float>{1, 2, 3})}))
        results.push_back(std::move(result));
    }
    return results;
  };
  const std::string device = K::device();
  std::vector<Array> found = made();
  K::set_device("cpu");
  std::vector<Array> expected = made();
  K::set_device(device);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(found[i].shape() == expected[i].shape());
    CHECK(found[i].toVector() == expected[i].toVector());
  }
}

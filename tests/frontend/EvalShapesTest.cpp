// Evaluations of small graphs, each of another shape: one compilation serves them all.
#include "FrontendTest.h"

#include "frontend/graph/EvalCache.h"

#include <cstdlib>
#include <functional>
#include <numeric>

using keratin::frontend::evalCompileCount;
using keratin::frontend::evalOwnCodeCount;

namespace {

constexpr int kShapes = 200;

// 0, 1, 2, …
Array counted(std::vector<int64_t> shape) {
  Array result = Array::empty(DType::Float32, shape);
  std::iota(result.data<float>(), result.data<float>() + result.size(), 0.0f);
  return result;
}

// Evaluates the graph for many shapes and checks each value, element by element in row-major order.
// Only the first may be compiled.
void checkShapes(const std::function<Tensor(int64_t n)> &graph,
                 const std::function<std::vector<int64_t>(int64_t n)> &shape,
                 const std::function<double(int64_t n, int64_t i)> &element, double tolerance = 0) {
  int64_t compiled = 0;
  for (int64_t n = 0; n < kShapes; ++n) {
    Array found = graph(n).eval();
    if (n == 0)
      compiled = evalCompileCount();
    Array expected = Array::empty(DType::Float64, shape(n));
    for (int64_t i = 0; i < expected.size(); ++i)
      expected.data<double>()[i] = element(n, i);
    INFO("shape " << n);
    checkArray(found, expected, tolerance);
  }
  CHECK(evalCompileCount() == compiled);
}

// The value that a function with these sizes built in gives.
Array compiledValue(const Tensor &tensor) {
  return K::function(std::vector<Tensor>{}, std::vector<Tensor>{tensor})(std::vector<Array>{})[0];
}

} // namespace

// Rows and columns that are never equal.
static int64_t rows(int64_t n) { return n % 13 + 2; }
static int64_t columns(int64_t n) { return n % 17 + 20; }
static std::vector<int64_t> matrix(int64_t n) { return {rows(n), columns(n)}; }

TEST_CASE("random numbers of every shape are compiled once, and equal those of a function",
          "[eval-shapes]") {
  using Draw = std::function<Tensor(keratin::Shape shape, int64_t seed)>;
  const Draw draws[] = {
      [](keratin::Shape shape, int64_t seed) {
        return K::random_uniform(shape, -1.0, 2.0, None, seed);
      },
      [](keratin::Shape shape, int64_t seed) {
        return K::random_normal(shape, 1.0, 2.0, None, seed);
      },
      [](keratin::Shape shape, int64_t seed) { return K::random_binomial(shape, 0.3, None, seed); },
      [](keratin::Shape shape, int64_t seed) {
        return K::random_uniform(shape, 3, 1000, "int32", seed);
      },
      [](keratin::Shape shape, int64_t seed) {
        return K::truncated_normal(shape, 0.0, 1.0, None, seed);
      }};
  for (const Draw &draw : draws) {
    draw({7, 40}, 0).eval();
    int64_t compiled = evalCompileCount();
    for (int64_t n = 0; n < kShapes; ++n) {
      Array found = draw({rows(n), columns(n)}, n).eval();
      if (n % 67 == 0)
        checkArray(found, compiledValue(draw({rows(n), columns(n)}, n)));
    }
    CHECK(evalCompileCount() == compiled);
  }
}

TEST_CASE("elementwise chains of every shape are compiled once", "[eval-shapes]") {
  checkShapes(
      [](int64_t n) {
        Tensor x = K::constant(counted(matrix(n)));
        return K::relu(x * 2.0 - 9.0) + K::constant(counted({columns(n)}));
      },
      matrix, [](int64_t n, int64_t i) { return std::max(2.0 * i - 9.0, 0.0) + i % columns(n); });
}

TEST_CASE("products of every shape are compiled once", "[eval-shapes]") {
  auto inner = [](int64_t n) { return n % 11 + 40; };
  checkShapes(
      [&](int64_t n) {
        return K::dot(K::ones({rows(n), inner(n)}), K::constant(counted({inner(n), columns(n)})));
      },
      matrix,
      [&](int64_t n, int64_t i) {
        double depth = inner(n), column = i % columns(n);
        return depth * column + columns(n) * depth * (depth - 1) / 2;
      });
}

TEST_CASE("reductions of every shape are compiled once", "[eval-shapes]") {
  auto perRow = [](int64_t n) { return std::vector<int64_t>{rows(n)}; };
  auto sum = [](int64_t n, int64_t row) {
    double size = columns(n);
    return row * size * size + size * (size - 1) / 2;
  };
  auto values = [](int64_t n) { return K::constant(counted(matrix(n))); };
  checkShapes([&](int64_t n) { return K::sum(values(n), 1); }, perRow, sum);
  checkShapes([&](int64_t n) { return K::mean(values(n), 1); }, perRow,
              [&](int64_t n, int64_t row) { return sum(n, row) / columns(n); }, float32Ulp);
  checkShapes([&](int64_t n) { return K::max(values(n), 1); }, perRow,
              [](int64_t n, int64_t row) { return (row + 1) * columns(n) - 1; });
  checkShapes([&](int64_t n) { return K::argmax(values(n), 1); }, perRow,
              [](int64_t n, int64_t) { return columns(n) - 1; });
}

TEST_CASE("concatenations, slices and reshapes of every shape are compiled once", "[eval-shapes]") {
  auto size = [](int64_t n) { return n % 19 + 60; };
  checkShapes(
      [&](int64_t n) {
        Tensor both = K::concatenate({K::ones({rows(n), 3}), K::zeros({columns(n), 3})}, 0);
        return both + K::constant(counted({rows(n) + columns(n), 3})); // the sum of two sizes
      },
      [](int64_t n) { return std::vector<int64_t>{rows(n) + columns(n), 3}; },
      [](int64_t n, int64_t i) { return i + (i < rows(n) * 3); });
  checkShapes(
      [&](int64_t n) {
        return K::constant(counted({size(n)}))[{K::Slice(rows(n), rows(n) + columns(n))}];
      },
      [](int64_t n) { return std::vector<int64_t>{columns(n)}; },
      [](int64_t n, int64_t i) { return rows(n) + i; });
  checkShapes(
      [&](int64_t n) {
        Tensor x = K::constant(counted({rows(n) * 3, columns(n)}));
        return K::sum(K::reshape(x, {rows(n), 3 * columns(n)}), 1);
      },
      [](int64_t n) { return std::vector<int64_t>{rows(n)}; },
      [](int64_t n, int64_t row) {
        double length = 3.0 * columns(n);
        return length * length * row + length * (length - 1) / 2;
      },
      2 * float32Ulp);
}

TEST_CASE("variables that begin with a tensor are compiled once", "[eval-shapes]") {
  K::variable(K::ones({7, 40}) * 2.0 + 1.0);
  int64_t compiled = evalCompileCount();
  for (int64_t n = 0; n < kShapes; ++n) {
    Tensor v = K::variable(K::ones({rows(n), columns(n)}) * 2.0 + 1.0);
    REQUIRE(K::get_value(v).shape() == matrix(n));
    CHECK(K::get_value(v).item<double>(rows(n) * columns(n) - 1) == 3);
  }
  CHECK(evalCompileCount() == compiled);
}

TEST_CASE("sizes 0 and 1 are structures of their own", "[eval-shapes]") {
  auto sums = [](int64_t m, int64_t n) {
    return K::eval(K::sum(K::ones({m, n}) + K::constant(counted({m, n})), 1));
  };
  checkArray(sums(2, 3), Array{6.0, 15.0});
  checkArray(sums(1, 4), Array{10.0});
  checkArray(sums(3, 1), Array{1.0, 2.0, 3.0});
  checkArray(sums(2, 0), Array{0.0, 0.0});
  CHECK(sums(0, 5).shape() == std::vector<int64_t>{0});
}

TEST_CASE("sizes that are equal by chance need no code of their own", "[eval-shapes]") {
  auto sum = [](int64_t m, int64_t n) { return K::eval(K::sum(K::constant(counted({m, n})), 1)); };
  checkArray(sum(2, 3), Array{3.0, 12.0});
  int64_t compiled = evalCompileCount();
  checkArray(sum(2, 2), Array{1.0, 5.0});
  checkArray(sum(3, 3), Array{3.0, 12.0, 21.0});
  CHECK(evalCompileCount() == compiled);
}

TEST_CASE("sizes that are equal or 1 decide what is repeated", "[eval-shapes]") {
  auto add = [](int64_t m, int64_t n) {
    return K::eval(K::constant(counted({2, m})) + K::constant(counted({2, n})));
  };
  checkArray(add(2, 2), Array{{0.0, 2.0}, {4.0, 6.0}});
  checkArray(add(3, 3), Array{{0.0, 2.0, 4.0}, {6.0, 8.0, 10.0}});
  checkArray(add(3, 1), Array{{0.0, 1.0, 2.0}, {4.0, 5.0, 6.0}});
}

TEST_CASE("errors speak of the sizes that were written", "[eval-shapes]") {
  auto gathered = [](int64_t n, int64_t row) {
    return K::gather(K::constant(counted({n, 3})), K::Array{0, row});
  };
  gathered(5, 4).eval();
  // The same words, and the same line, as of a function for this size.
  Tensor wrong = K::gather(K::constant(counted({6, 3})), K::Array{0, 6});
  std::string message = errorOf<keratin::ValueError>([&] { wrong.eval(); });
  CHECK(has(message, "gather"));
  std::string function = errorOf<keratin::ValueError>([&] { compiledValue(wrong); });
  CHECK(has(function, message.substr(message.find(':'))));
  // Neither is a wrong feed taken for another size.
  Tensor x = K::placeholder({4});
  auto fed = [&](int64_t n) { return K::get_session()->run(x + 1.0, {{x, counted({n})}}); };
  checkArray(fed(4), Array{1.0, 2.0, 3.0, 4.0});
  CHECK(has(errorOf<keratin::ValueError>([&] { fed(5); }), "4"));
}

TEST_CASE("repetition is worth code that runs faster", "[eval-shapes]") {
  auto sum = [](int64_t n) { return K::sum(K::ones({n, 64}) * 2.0, 1); };
  sum(60).eval();
  int64_t compiled = evalCompileCount();
  for (int64_t n = 0; n < 1200; ++n) // of any shapes
    REQUIRE(sum(50 + n % 11).eval().item<double>(0) == 128);
  CHECK(evalCompileCount() == compiled + 1);
}

TEST_CASE("the steps of a loop count as work", "[eval-shapes]") {
  auto total = [](int64_t steps) {
    auto add = [](const Tensor &sum, const Tensor &row) { return sum + row; };
    return K::foldl(add, K::ones({steps, 100})).eval().item<double>(99);
  };
  CHECK(total(1000) == 1000);
  int64_t compiled = evalCompileCount();
  for (int i = 0; i < 40; ++i)
    REQUIRE(total(1000) == 1000);
  CHECK(evalCompileCount() == compiled + 1);
}

TEST_CASE("much work is worth code for its own sizes", "[eval-shapes]") {
  if (std::getenv("KERATIN_TEST_PROGRAM"))
    return; // the interpreter has too much to do
  auto sum = [](int64_t n) { return K::sum(K::ones({n, 4000}) * 2.0, 1); };
  sum(2).eval();
  int64_t compiled = evalCompileCount(), own = evalOwnCodeCount();
  for (int i = 0; i < 20; ++i)
    checkArray(K::eval(sum(4000)[0]), Array(8000.0));
  CHECK(evalOwnCodeCount() == own + 1);
  // Others have the general code as before.
  checkArray(sum(3).eval(), Array{8000.0, 8000.0, 8000.0});
  CHECK(evalCompileCount() == compiled + 2); // with that of the element of a sum
}

// eval_shapes: values of small graphs, each of another shape, as initializers and notebooks ask for
// them.
#include "benchmarks/keratin-bench/Bench.h"

#include <functional>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

constexpr int kShapes = 200;

// A few thousand elements, of 8633 shapes of which none is a square.
K::Shape shapeOf(int64_t n) { return {n % 89 + 2, n % 97 + 100}; }

// Milliseconds for as many evaluations, each of a shape of its own.
double evaluateAll(const std::function<K::Tensor(int64_t)> &make) {
  double start = seconds();
  for (int64_t i = 0; i < kShapes; ++i)
    make(i).eval();
  return (seconds() - start) * 1e3;
}

// A value is right if it is that of a function with its sizes built in; random numbers must be
// seeded.
void check(const char *name, const std::function<K::Tensor(int64_t)> &make) {
  for (int64_t n : {0, 1, 100}) {
    K::Tensor first = make(n), second = make(n); // which have drawn nothing yet
    K::Function function = K::function(std::vector<K::Tensor>{}, std::vector<K::Tensor>{second});
    K::Array value = first.eval();
    Doubles expected = toDoubles(function(std::vector<K::Array>{})[0]);
    Bench::expectNear(name, value, expected.data(), 1e-5, 1e-5);
  }
}

void runCase(Bench &bench, const char *name, const std::function<K::Tensor(int64_t)> &make) {
  check(name, make); // and compiles
  std::vector<double> readings;
  const int times = bench.checkOnly() ? 1 : bench.batches();
  for (int i = 0; i < times; ++i)
    readings.push_back(evaluateAll([&](int64_t n) { return make((i + 1) * kShapes + n); }));
  Row row;
  row.name = "eval_shapes";
  row.caseName = name;
  row.timing = summarize(readings);
  bench.report(row);
}

} // namespace

void keratin::bench::runEvalShapes(Bench &bench) {
  runCase(bench, "200 random_uniform",
          [](int64_t n) { return K::random_uniform(shapeOf(n), 0.0, 1.0, K::None, 7); });
  runCase(bench, "200 truncated_normal",
          [](int64_t n) { return K::truncated_normal(shapeOf(n), 0.0, 1.0, K::None, 7); });
  runCase(bench, "200 dot", [](int64_t n) {
    return K::dot(K::ones({n % 89 + 2, n % 97 + 10}), K::ones({n % 97 + 10, n % 7 + 110}));
  });
  runCase(bench, "200 mean of squares", [](int64_t n) {
    K::Tensor x = K::ones(shapeOf(n));
    return K::mean(x * x + 1.0, 1);
  });
}

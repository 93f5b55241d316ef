// compile: from nothing to a function that can be called, graph building included.
#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

// Three ops on a vector of n: each n is another function.
struct Compiled {
  K::Function function;
  double milliseconds;
};

Compiled compileThreeOps(int64_t n) {
  double start = seconds();
  K::Tensor x = K::placeholder({n}), y = K::placeholder({n});
  K::Function f = K::function({x, y}, {K::tanh(x * y) + x});
  return {f, (seconds() - start) * 1e3};
}

void check(const K::Function &f, int64_t n) {
  const K::Array inputs[] = {randomArray({n}, -2, 2, 1), randomArray({n}, -2, 2, 2)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  Doubles expected = toDoubles(inputs[0]);
  for (int64_t i = 0; i < n; ++i)
    expected[size_t(i)] += std::tanh(expected[size_t(i)] * inputs[1].data<float>()[i]);
  Bench::expectNear("n=" + std::to_string(n), outputs[0], expected.data(), 1e-6, 1e-6);
}

} // namespace

void keratin::bench::runCompile(Bench &bench) {
  int64_t n = 1000;
  auto report = [&](const char *name, const std::vector<double> &readings, const K::Function &f) {
    Row row;
    row.name = "compile";
    row.caseName = name;
    row.describe(f);
    row.timing = summarize(readings);
    bench.report(row);
  };
  Compiled first = compileThreeOps(n);
  check(first.function, n);
  report("3 ops, first of the process", {first.milliseconds}, first.function);

  // One compilation is a batch of its own.
  const int times = bench.checkOnly() ? 2 : bench.batches();
  std::vector<double> cold, warm;
  K::Function last;
  for (int i = 0; i < times; ++i) {
    Compiled compiled = compileThreeOps(++n);
    cold.push_back(compiled.milliseconds);
    last = compiled.function;
    check(last, n);
  }
  report("3 ops, cold", cold, last);
  for (int i = 0; i < times; ++i) {
    Compiled compiled = compileThreeOps(n);
    warm.push_back(compiled.milliseconds);
    last = compiled.function;
    check(last, n);
  }
  report("3 ops, warm", warm, last);
}

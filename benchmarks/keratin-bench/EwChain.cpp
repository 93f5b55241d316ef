// ew_chain: a chain of cheap and dear elementwise ops, which should cost one pass over its inputs.
#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>

using namespace keratin::bench;
namespace K = keratin::backend;

static double reference(double x, double y) {
  double t = x * y + x;
  double u = std::tanh(t);
  double v = u * y - x;
  double w = v > 0 ? v : 0.1 * v;
  return std::sqrt(w * w + 1) / (1 + std::exp(-w));
}

static void runSize(Bench &bench, int power) {
  const int64_t n = int64_t(1) << power;
  K::Tensor x = K::placeholder({n}), y = K::placeholder({n});
  K::Tensor t = x * y + x;
  K::Tensor u = K::tanh(t);
  K::Tensor v = u * y - x;
  K::Tensor w = K::relu(v, 0.1);
  K::Function f = K::function({x, y}, {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)});

  Row row;
  row.name = "ew_chain";
  row.caseName = "n=2^" + std::to_string(power);
  row.describe(f);
  row.work.movedBytes = 3.0 * double(n) * sizeof(float);

  const K::Array inputs[] = {randomArray({n}, -3, 3, 1), randomArray({n}, -3, 3, 2)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  {
    Doubles expected(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      expected[size_t(i)] = reference(inputs[0].data<float>()[i], inputs[1].data<float>()[i]);
    // u * y - x cancels: its error is absolute.
    Bench::expectNear(row.caseName, outputs[0], expected.data(), 4e-6, 1e-6);
  }
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

void keratin::bench::runEwChain(Bench &bench) {
  runSize(bench, 20);
  if (bench.large())
    runSize(bench, 25);
}

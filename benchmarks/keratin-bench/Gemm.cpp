// gemm: products of square matrices.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DoubleMath.h"

using namespace keratin::bench;
namespace K = keratin::backend;

static void runSize(Bench &bench, int64_t n) {
  K::Tensor a = K::placeholder({n, n}), b = K::placeholder({n, n});
  K::Function f = K::function({a, b}, {K::dot(a, b)});

  Row row;
  row.name = "gemm";
  std::string size = std::to_string(n);
  row.caseName = size + "x" + size + "x" + size;
  row.describe(f);
  row.work.flops = 2.0 * double(n) * double(n) * double(n);

  const K::Array inputs[] = {randomArray({n, n}, -1, 1, 1), randomArray({n, n}, -1, 1, 2)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  {
    Doubles expected = multiply(toDoubles(inputs[0]), toDoubles(inputs[1]), n, n, n);
    // n products of up to 1, rounded as they are added up: the largest errors of many sums.
    Bench::expectNear(row.caseName, outputs[0], expected.data(), double(n) * 2e-7, 0);
  }
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

void keratin::bench::runGemm(Bench &bench) {
  runSize(bench, 512);
  if (bench.large())
    runSize(bench, 1024);
}

// gemm: products of square matrices.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DoubleMath.h"

using namespace keratin::bench;
namespace K = keratin::backend;
using keratin::DType;

namespace {

// Sums are float32, of float64 only float64; a result in 16 bits is rounded.
struct Kind {
  DType dtype;
  Arithmetic arithmetic;
  double sumError, resultError; // of an addition to a sum of up to 1, of a result relative to it
};

constexpr Kind kFloat32{DType::Float32, Arithmetic::Float32, 2e-7, 0},
    kFloat64{DType::Float64, Arithmetic::Float64, 4e-16, 0},
    kBFloat16{DType::BFloat16, Arithmetic::BFloat16, 2e-7, 4e-3},
    kFloat16{DType::Float16, Arithmetic::Float16, 2e-7, 5e-4};

// Of the large ones one row in 15 is looked at, which is each row of every tile of 2 to 14 rows.
constexpr int64_t kSmall = 512, kStride = 15;

Doubles rowsOf(const Doubles &matrix, int64_t n, int64_t stride) {
  Doubles rows;
  for (int64_t i = 0; i < n; i += stride)
    rows.insert(rows.end(), matrix.begin() + i * n, matrix.begin() + (i + 1) * n);
  return rows;
}

void runProduct(Bench &bench, int64_t n, const Kind &kind) {
  Row row;
  row.name = "gemm";
  std::string size = std::to_string(n);
  row.caseName = size + "x" + size + "x" + size;
  if (kind.dtype != DType::Float32)
    row.caseName += std::string(" ") + keratin::dtypeName(kind.dtype);
  if (!bench.wants(row.caseName))
    return;
  K::Tensor a = K::placeholder({n, n}, {.dtype = kind.dtype}),
            b = K::placeholder({n, n}, {.dtype = kind.dtype});
  K::Function f = K::function({a, b}, {K::dot(a, b)});
  row.describe(f);
  row.work.flops = 2.0 * double(n) * double(n) * double(n);
  row.work.arithmetic = kind.arithmetic;

  const K::Array inputs[] = {randomArray({n, n}, -1, 1, 1).astype(kind.dtype),
                             randomArray({n, n}, -1, 1, 2).astype(kind.dtype)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  {
    const int64_t stride = n > kSmall ? kStride : 1;
    const Doubles rows = rowsOf(toDoubles(inputs[0]), n, stride);
    const int64_t count = int64_t(rows.size()) / n;
    Doubles expected = multiply(rows, toDoubles(inputs[1]), count, n, n);
    Bench::expectNear(row.caseName, rowsOf(toDoubles(outputs[0]), n, stride), expected,
                      double(n) * kind.sumError, kind.resultError);
  }
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

} // namespace

void keratin::bench::runGemm(Bench &bench) {
  runProduct(bench, 512, kFloat32);
  runProduct(bench, 1024, kFloat32);
  runProduct(bench, 1024, kFloat64);
  runProduct(bench, 1024, kBFloat16);
  runProduct(bench, 1024, kFloat16);
}

// gemm: products of matrices, square ones and those of gradients of weights.
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

struct Shape {
  int64_t rows, columns, depth;
  bool isTransposed = false; // the first matrix
};

Doubles rowsOf(const Doubles &matrix, int64_t columns, int64_t stride) {
  Doubles rows;
  for (size_t begin = 0; begin < matrix.size(); begin += columns * stride)
    rows.insert(rows.end(), matrix.begin() + begin, matrix.begin() + begin + columns);
  return rows;
}

void runProduct(Bench &bench, const Shape &shape, const Kind &kind) {
  const auto [m, n, k, isTransposed] = shape;
  Row row;
  row.name = "gemm";
  row.caseName = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  if (isTransposed)
    row.caseName += " A^T";
  if (kind.dtype != DType::Float32)
    row.caseName += std::string(" ") + keratin::dtypeName(kind.dtype);
  if (!bench.wants(row.caseName))
    return;
  const int64_t rowsOfA = isTransposed ? k : m, columnsOfA = isTransposed ? m : k;
  K::Tensor a = K::placeholder({rowsOfA, columnsOfA}, {.dtype = kind.dtype}),
            b = K::placeholder({k, n}, {.dtype = kind.dtype});
  K::Function f = K::function({a, b}, {K::dot(isTransposed ? K::transpose(a) : a, b)});
  row.describe(f);
  row.work.flops = 2.0 * double(m) * double(n) * double(k);
  row.work.arithmetic = kind.arithmetic;

  const K::Array inputs[] = {randomArray({rowsOfA, columnsOfA}, -1, 1, 1).astype(kind.dtype),
                             randomArray({k, n}, -1, 1, 2).astype(kind.dtype)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  {
    const int64_t stride = m > kSmall ? kStride : 1;
    Doubles rows = toDoubles(inputs[0]);
    if (isTransposed)
      rows = transposed(rows, k, m);
    rows = rowsOf(rows, k, stride);
    const int64_t count = int64_t(rows.size()) / k;
    const Doubles expected = multiply(rows, toDoubles(inputs[1]), count, n, k);
    Bench::expectNear(row.caseName, rowsOf(toDoubles(outputs[0]), n, stride), expected,
                      double(k) * kind.sumError, kind.resultError);
  }
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

} // namespace

void keratin::bench::runGemm(Bench &bench) {
  runProduct(bench, {512, 512, 512}, kFloat32);
  for (const Kind &kind : {kFloat32, kFloat64, kBFloat16, kFloat16})
    runProduct(bench, {1024, 1024, 1024}, kind);
  runProduct(bench, {2048, 512, 512, /*isTransposed=*/true}, kFloat32);
  runProduct(bench, {1024, 2048, 256, /*isTransposed=*/true}, kFloat32);
}

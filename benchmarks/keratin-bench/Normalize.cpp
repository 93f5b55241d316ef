// softmax and layernorm: rows or columns that are divided by what is summed up of them.
#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

// Of a matrix along its axis, or the logarithm.
Doubles softmaxOf(const Doubles &x, int64_t rows, int64_t columns, int64_t axis, bool isLog) {
  const int64_t lines = axis ? rows : columns, length = axis ? columns : rows;
  const int64_t lineStep = axis ? columns : 1, step = axis ? 1 : columns;
  Doubles y(x.size());
  for (int64_t line = 0; line < lines; ++line) {
    const double *from = &x[size_t(line * lineStep)];
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += std::exp(from[i * step]);
    for (int64_t i = 0; i < length; ++i)
      y[size_t(line * lineStep + i * step)] =
          isLog ? from[i * step] - std::log(sum) : std::exp(from[i * step]) / sum;
  }
  return y;
}

void softmaxRow(Bench &bench, int64_t rows, int64_t columns, int64_t axis, bool isLog = false,
                DType dtype = DType::Float32) {
  const std::vector<int64_t> dims{rows, columns};
  Tensor x = K::placeholder(dims, {.dtype = dtype});
  Tensor y = K::softmax(x, axis);
  K::Function f = K::function({x}, {isLog ? K::log(y) : y});

  Row row;
  row.name = "softmax";
  row.caseName = (isLog ? "log, " : "") + std::to_string(rows) + "x" + std::to_string(columns) +
                 " axis " + std::to_string(axis);
  if (dtype != DType::Float32)
    row.caseName += std::string(" ") + dtypeName(dtype);
  row.describe(f);
  const Array input = randomArray(dims, -3, 3, 1).astype(dtype);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  const Doubles expected =
      softmaxOf(toDoubles(input.astype(DType::Float32)), rows, columns, axis, isLog);
  const double error = dtype == DType::Float32 ? 2e-5 : dtype == DType::Float16 ? 1e-3 : 8e-3;
  Bench::expectNear(row.caseName, outputs[0].astype(DType::Float32), expected.data(),
                    isLog ? 2e-5 : 1e-7, error);
  row.work.movedBytes = 2.0 * double(input.bytes());
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

struct LayerNorm {
  int64_t rows, columns;
  double epsilon = 1e-3;

  struct Results {
    Doubles y, dx, dGamma, dBeta;
  };
  // Ba, Kiros, Hinton, 2016.
  Results reference(const Doubles &x, const Doubles &dy, const Doubles &gamma,
                    const Doubles &beta) const {
    Results results{Doubles(x.size()), Doubles(x.size()), Doubles(gamma.size()),
                    Doubles(gamma.size())};
    const double count = double(columns);
    for (int64_t r = 0; r < rows; ++r) {
      const double *a = &x[size_t(r * columns)], *b = &dy[size_t(r * columns)];
      double mean = 0, variance = 0, sum = 0, product = 0;
      for (int64_t c = 0; c < columns; ++c)
        mean += a[c] / count;
      for (int64_t c = 0; c < columns; ++c)
        variance += (a[c] - mean) * (a[c] - mean) / count;
      const double scale = 1 / std::sqrt(variance + epsilon);
      for (int64_t c = 0; c < columns; ++c) {
        const double normal = (a[c] - mean) * scale, weighted = b[c] * gamma[size_t(c)];
        results.y[size_t(r * columns + c)] = normal * gamma[size_t(c)] + beta[size_t(c)];
        results.dGamma[size_t(c)] += b[c] * normal;
        results.dBeta[size_t(c)] += b[c];
        sum += weighted;
        product += weighted * normal;
      }
      for (int64_t c = 0; c < columns; ++c)
        results.dx[size_t(r * columns + c)] = scale * (b[c] * gamma[size_t(c)] - sum / count -
                                                       (a[c] - mean) * scale * product / count);
    }
    return results;
  }
};

void layerNormRow(Bench &bench, int64_t rows, int64_t columns, bool hasGradient) {
  const LayerNorm norm{rows, columns};
  const std::vector<int64_t> dims{rows, columns};
  const Array gammas = randomArray({columns}, 0.5, 1.5, 11);
  const Array betas = randomArray({columns}, -0.1, 0.1, 12);
  Tensor x = K::placeholder(dims), dy = K::placeholder(dims);
  Tensor gamma = K::variable(gammas), beta = K::variable(betas);
  Tensor centred = x - K::mean(x, -1, true);
  Tensor scale = K::sqrt(K::mean(K::square(centred), -1, true) + norm.epsilon);
  Tensor y = centred / scale * gamma + beta;
  std::vector<Tensor> results{y};
  if (hasGradient)
    for (const auto &gradient : K::gradients(K::sum(y * dy), {x, gamma, beta}))
      results.push_back(gradient.value());
  K::Function f = hasGradient ? K::function({x, dy}, results) : K::function({x}, results);

  Row row;
  row.name = "layernorm";
  row.caseName = std::to_string(rows) + "x" + std::to_string(columns) +
                 (hasGradient ? ", gradient" : ", forward");
  row.describe(f);
  const Array inputs[] = {randomArray(dims, -1, 2, 3), randomArray(dims, -1, 1, 4)};
  const size_t count = hasGradient ? 2 : 1;
  std::vector<Array> outputs;
  f.call(inputs, count, outputs);
  const LayerNorm::Results expected = norm.reference(toDoubles(inputs[0]), toDoubles(inputs[1]),
                                                     toDoubles(gammas), toDoubles(betas));
  Bench::expectNear(row.caseName + ", y", outputs[0], expected.y.data(), 1e-5, 1e-5);
  if (hasGradient) {
    Bench::expectNear(row.caseName + ", dx", outputs[1], expected.dx.data(), 1e-5, 1e-4);
    Bench::expectNear(row.caseName + ", dgamma", outputs[2], expected.dGamma.data(), 1e-3, 1e-4);
    Bench::expectNear(row.caseName + ", dbeta", outputs[3], expected.dBeta.data(), 1e-3, 1e-4);
  }
  row.work.movedBytes = 2.0 * double(count) * double(inputs[0].bytes());
  bench.time(row, [&] { f.call(inputs, count, outputs); });
}

} // namespace

void keratin::bench::runSoftmaxes(Bench &bench) {
  softmaxRow(bench, 1024, 1024, 1);
  softmaxRow(bench, 1024, 1024, 0);
  softmaxRow(bench, 64, 32768, 1);
  for (int64_t axis : {1, 0})
    softmaxRow(bench, 1024, 1024, axis, /*isLog=*/true);
  for (DType dtype : {DType::Float16, DType::BFloat16})
    for (int64_t axis : {1, 0})
      softmaxRow(bench, 1024, 1024, axis, /*isLog=*/false, dtype);
}

void keratin::bench::runLayerNorms(Bench &bench) {
  layerNormRow(bench, 1024, 1024, /*hasGradient=*/false);
  layerNormRow(bench, 4096, 1024, /*hasGradient=*/true);
}

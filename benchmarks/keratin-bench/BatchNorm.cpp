// batchnorm: normalisation by the statistics of the batch, with its gradients.
#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

void keratin::bench::runBatchNorm(Bench &bench) {
  constexpr int64_t batch = 32, side = 56, channels = 64;
  constexpr double epsilon = 1e-3;
  const std::vector<int64_t> dims{batch, side, side, channels};
  const Array gammas = randomArray({channels}, 0.5, 1.5, 11);
  const Array betas = randomArray({channels}, -0.1, 0.1, 12);
  Tensor x = K::placeholder(dims), dy = K::placeholder(dims);
  Tensor gamma = K::variable(gammas), beta = K::variable(betas);
  Tensor y = std::get<0>(K::normalize_batch_in_training(x, gamma, beta, {0, 1, 2}, epsilon));
  std::vector<Tensor> results{y};
  for (const auto &gradient : K::gradients(K::sum(y * dy), {x, gamma, beta}))
    results.push_back(gradient.value());
  K::Function f = K::function({x, dy}, results);

  Row row;
  row.name = "batchnorm";
  row.caseName = "32x56x56x64, gradient";
  row.describe(f);
  const Array inputs[] = {randomArray(dims, -1, 2, 3), randomArray(dims, -1, 1, 4)};
  std::vector<Array> outputs;
  f.call(inputs, 2, outputs);

  // Ioffe and Szegedy, ICML 2015.
  Doubles xs = toDoubles(inputs[0]), dys = toDoubles(inputs[1]);
  Doubles mean(channels), variance(channels), dGamma(channels), dBeta(channels);
  const double rows = double(batch * side * side);
  for (size_t i = 0; i < xs.size(); ++i)
    mean[i % channels] += xs[i] / rows;
  for (size_t i = 0; i < xs.size(); ++i)
    variance[i % channels] += std::pow(xs[i] - mean[i % channels], 2) / rows;
  auto scaled = [&](size_t i) {
    return (xs[i] - mean[i % channels]) / std::sqrt(variance[i % channels] + epsilon);
  };
  for (size_t i = 0; i < xs.size(); ++i) {
    dGamma[i % channels] += dys[i] * scaled(i);
    dBeta[i % channels] += dys[i];
  }
  Doubles ys(xs.size()), dxs(xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    size_t c = i % channels;
    double factor = gammas.data<float>()[c];
    ys[i] = scaled(i) * factor + betas.data<float>()[c];
    dxs[i] = factor / std::sqrt(variance[c] + epsilon) *
             (dys[i] - dBeta[c] / rows - scaled(i) * dGamma[c] / rows);
  }
  Bench::expectNear(row.caseName + ", y", outputs[0], ys.data(), 1e-5, 1e-5);
  Bench::expectNear(row.caseName + ", dx", outputs[1], dxs.data(), 1e-5, 1e-4);
  Bench::expectNear(row.caseName + ", dgamma", outputs[2], dGamma.data(), 0.05, 1e-4);
  Bench::expectNear(row.caseName + ", dbeta", outputs[3], dBeta.data(), 0.05, 1e-4);
  // x and dy are read, y and dx written; no cache holds one of them.
  row.work.movedBytes = 4.0 * 4 * double(inputs[0].size());
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

// ctc: the loss of connectionist temporal classification and its gradient by the probabilities.
#include "benchmarks/keratin-bench/GradientCheck.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr int64_t kTime = 200, kBatch = 32, kClasses = 32, kLabels = 30;
static constexpr double kEpsilon = 1e-7; // K::epsilon()

static double logSum(double x, double y) {
  double most = std::max(x, y);
  return std::isinf(most) ? most : most + std::log(std::exp(x - most) + std::exp(y - most));
}

// Graves and others, ICML 2006: the sum over all alignments, forwards in time.
static double lossOf(const double *probabilities, const int32_t *labels) {
  constexpr int64_t states = 2 * kLabels + 1, blank = kClasses - 1;
  auto label = [&](int64_t state) { return state % 2 ? int64_t(labels[state / 2]) : blank; };
  const double never = -std::numeric_limits<double>::infinity();
  Doubles paths(states, never);
  for (int64_t t = 0; t < kTime; ++t) {
    const double *row = probabilities + t * kClasses;
    double total = 0;
    for (int64_t c = 0; c < kClasses; ++c)
      total += row[c] + kEpsilon;
    Doubles next(states, never);
    for (int64_t s = 0; s < states; ++s) {
      double sum = t ? paths[s] : (s < 2 ? 0 : never);
      if (t && s > 0)
        sum = logSum(sum, paths[s - 1]);
      if (t && s > 1 && label(s) != blank && label(s) != label(s - 2))
        sum = logSum(sum, paths[s - 2]);
      next[s] = sum + std::log((row[label(s)] + kEpsilon) / total);
    }
    paths = next;
  }
  return -logSum(paths[states - 1], paths[states - 2]);
}

void keratin::bench::runCtc(Bench &bench) {
  Tensor predicted = K::placeholder({kBatch, kTime, kClasses});
  Tensor labels = K::placeholder({kBatch, kLabels}, K::None, K::DType::Int32);
  Tensor times = K::placeholder({kBatch, 1}, K::None, K::DType::Int32);
  Tensor lengths = K::placeholder({kBatch, 1}, K::None, K::DType::Int32);
  Tensor cost = K::ctc_batch_cost(labels, predicted, times, lengths);
  Tensor gradient = K::gradients(K::sum(cost), {predicted})[0].value();
  K::Function f = K::function({labels, predicted, times, lengths}, {cost, gradient});

  Row row;
  row.name = "ctc";
  row.caseName = "T200 b32 C32 L30, gradient";
  row.describe(f);
  std::mt19937_64 random(5);
  std::vector<int32_t> classes(kBatch * kLabels);
  for (int32_t &one : classes)
    one = int32_t(random() % (kClasses - 1));
  // Probabilities that sum to 1, some of them small.
  Array probabilities = randomArray({kBatch, kTime, kClasses}, -3, 3, 3);
  float *rows = probabilities.data<float>();
  for (int64_t i = 0; i < kBatch * kTime; ++i) {
    double total = 0;
    for (int64_t c = 0; c < kClasses; ++c)
      total += rows[i * kClasses + c] = std::exp(rows[i * kClasses + c]);
    for (int64_t c = 0; c < kClasses; ++c)
      rows[i * kClasses + c] /= float(total);
  }
  auto column = [](int64_t value) {
    Array array = Array::empty(DType::Int32, {kBatch, 1});
    std::fill_n(array.data<int32_t>(), kBatch, int32_t(value));
    return array;
  };
  const Array inputs[] = {Array::copyOf(DType::Int32, {kBatch, kLabels}, classes.data()),
                          probabilities, column(kTime), column(kLabels)};
  std::vector<Array> outputs;
  f.call(inputs, 4, outputs);

  auto losses = [&](const Doubles &values) {
    Doubles result;
    for (int64_t n = 0; n < kBatch; ++n)
      result.push_back(lossOf(&values[n * kTime * kClasses], &classes[n * kLabels]));
    return result;
  };
  Doubles values = toDoubles(probabilities), expected = losses(values);
  Bench::expectNear(row.caseName + ", loss", outputs[0], expected.data(), 0, 1e-5);
  expectGradients(row.caseName, {values}, {toDoubles(outputs[1])},
                  [&](const std::vector<Doubles> &moved) {
                    double sum = 0;
                    for (double loss : losses(moved[0]))
                      sum += loss;
                    return sum;
                  });
  bench.time(row, [&] { f.call(inputs, 4, outputs); });
}

// embedding: steps on a large table of which some rows are looked up: descent, and Adam, whose
// moments of all rows decay unless updates are lazy.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/Training.h"

#include "keratin/optimizers.h"

#include <cmath>
#include <random>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

constexpr int64_t kRows = 50000, kWidth = 256, kBatch = 64, kLength = 128;
constexpr int64_t kCount = kBatch * kLength;
// So large that a step moves the table well clear of its rounding.
constexpr double kRate = 0.5;
constexpr double kAdamRate = 1e-3, kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-7;

std::vector<int32_t> someRows() {
  std::mt19937_64 generator(3);
  std::vector<int32_t> rows(static_cast<size_t>(kCount));
  for (int32_t &row : rows)
    row = int32_t(generator() % uint64_t(kRows));
  return rows;
}

class Embedding {
public:
  Embedding()
      : rows(someRows()), start(randomArray({kRows, kWidth}, -1, 1, 1)),
        target(randomArray({kBatch, kLength, kWidth}, -1, 1, 2)) {}

  void descent(Bench &bench);
  void adam(Bench &bench, bool isLazy);

private:
  void run(Bench &bench, Row &row, const std::vector<K::Update> &updates,
           const K::FunctionOptions &options, const Doubles &expected);
  Doubles gradient() const;

  std::vector<int32_t> rows;
  K::Array start, target;
  K::Tensor table, loss, i, y;
};

// Of the whole table.
Doubles Embedding::gradient() const {
  Doubles before = toDoubles(start), targets = toDoubles(target), result(before.size());
  for (int64_t n = 0; n < kCount; ++n)
    for (int64_t c = 0; c < kWidth; ++c) {
      size_t at = size_t(rows[size_t(n)]) * kWidth + size_t(c);
      result[at] += 2 * (before[at] - targets[size_t(n * kWidth + c)]) / kBatch;
    }
  return result;
}

void Embedding::run(Bench &bench, Row &row, const std::vector<K::Update> &updates,
                    const K::FunctionOptions &options, const Doubles &expected) {
  K::Function f = K::function({i, y}, {loss}, updates, "", options);
  row.name = "embedding";
  row.describe(f);
  const K::Array inputs[] = {K::Array::copyOf(K::DType::Int32, {kBatch, kLength}, rows.data()),
                             target};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  Bench::expectNear(row.caseName, K::get_value(table), expected.data(), 1e-6, 1e-6);
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

void Embedding::descent(Bench &bench) {
  table = K::variable(start);
  i = K::placeholder({kBatch, kLength}, K::None, K::DType::Int32);
  y = K::placeholder({kBatch, kLength, kWidth});
  // Divided by less than the number of elements: see kRate.
  loss = K::sum(K::square(K::gather(table, i) - y)) / double(kBatch);
  Doubles expected = toDoubles(start), gradients = gradient();
  for (size_t at = 0; at < expected.size(); ++at)
    expected[at] -= kRate * gradients[at];
  Row row;
  row.caseName = "step sgd 50000x256, 8192 rows";
  // The rows are read for the loss and read and written by the update; y is read, and what the
  // rows' gradients are is written and read.
  row.work.movedBytes = 6 * kCount * kWidth * int64_t(sizeof(float));
  run(bench, row, descend(loss, {table}, kRate), {}, expected);
}

// The first step is the same, lazy or not: all moments are zeros.
void Embedding::adam(Bench &bench, bool isLazy) {
  table = K::variable(start);
  i = K::placeholder({kBatch, kLength}, K::None, K::DType::Int32);
  y = K::placeholder({kBatch, kLength, kWidth});
  loss = K::sum(K::square(K::gather(table, i) - y)) / double(kBatch);
  keratin::optimizers::Adam adam(kAdamRate,
                                 {.beta_1 = kBeta1, .beta_2 = kBeta2, .epsilon = kEpsilon});
  Doubles expected = toDoubles(start), gradients = gradient();
  const double correction = std::sqrt(1 - kBeta2) / (1 - kBeta1);
  for (size_t at = 0; at < expected.size(); ++at)
    expected[at] -= kAdamRate * correction * (1 - kBeta1) * gradients[at] /
                    (std::sqrt(1 - kBeta2) * std::abs(gradients[at]) + kEpsilon);
  Row row;
  row.caseName = isLazy ? "lazy step adam 50000x256, 8192 rows" : "step adam 50000x256, 8192 rows";
  // As of descent, and two moments are read and written; of all rows where updates are not lazy.
  row.work.movedBytes =
      (4 * kCount + 6 * (isLazy ? kCount : kRows)) * kWidth * int64_t(sizeof(float));
  K::FunctionOptions options;
  options.lazyUpdates = isLazy;
  run(bench, row, adam.minimize(loss, {table}), options, expected);
}

} // namespace

void keratin::bench::runEmbedding(Bench &bench) {
  Embedding().descent(bench);
  Embedding().adam(bench, false);
  Embedding().adam(bench, true);
}

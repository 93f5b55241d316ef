// embedding: descent on a large table of which a step looks up some rows.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/Training.h"

#include <random>

using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr int64_t kRows = 50000, kWidth = 256, kBatch = 64, kLength = 128;
// So large that a step moves the table well clear of its rounding.
static constexpr double kRate = 0.5;

void keratin::bench::runEmbedding(Bench &bench) {
  constexpr int64_t count = kBatch * kLength;
  K::Array start = randomArray({kRows, kWidth}, -1, 1, 1),
           target = randomArray({kBatch, kLength, kWidth}, -1, 1, 2);
  std::mt19937_64 generator(3);
  std::vector<int32_t> rows(static_cast<size_t>(count));
  for (int32_t &row : rows)
    row = int32_t(generator() % uint64_t(kRows));
  K::Array ids = K::Array::copyOf(K::DType::Int32, {kBatch, kLength}, rows.data());

  K::Tensor table = K::variable(start);
  K::Tensor i = K::placeholder({kBatch, kLength}, K::None, K::DType::Int32),
            y = K::placeholder({kBatch, kLength, kWidth});
  // Divided by less than the number of elements: see kRate.
  K::Tensor loss = K::sum(K::square(K::gather(table, i) - y)) / double(kBatch);
  K::Function f = K::function({i, y}, {loss}, descend(loss, {table}, kRate));

  Row row;
  row.name = "embedding";
  row.caseName = "step sgd 50000x256, 8192 rows";
  row.describe(f);
  // The rows are read for the loss and read and written by the update; y is read, and what the
  // rows' gradients are is written and read.
  row.work.movedBytes = 6 * count * kWidth * int64_t(sizeof(float));

  Doubles expected = toDoubles(start), targets = toDoubles(target), before = expected;
  for (int64_t n = 0; n < count; ++n)
    for (int64_t c = 0; c < kWidth; ++c) {
      size_t at = size_t(rows[size_t(n)]) * kWidth + size_t(c);
      expected[at] -= kRate * 2 * (before[at] - targets[size_t(n * kWidth + c)]) / kBatch;
    }
  const K::Array inputs[] = {ids, target};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  Bench::expectNear(row.caseName, K::get_value(table), expected.data(), 1e-6, 1e-6);
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

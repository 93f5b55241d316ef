// dynbatch: one function, compiled once, for batches of 1 to 256 rows in random order. Its ceiling
// is what functions compiled for one size each take.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DenseNet.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr int64_t kMostRows = 256;
static constexpr int64_t kFeatures = DenseNet::kSizes[0];
// Compiled for each, to compare: small and large, odd and round.
static constexpr int64_t kStaticSizes[] = {1,  2,  5,  8,   13,  16,  31,  32,
                                           50, 64, 96, 100, 128, 150, 200, 256};

namespace {

// The forward pass over batches that are the first rows of one array.
class Batches {
public:
  explicit Batches(const DenseNet &net)
      : rows(randomArray({kMostRows, kFeatures}, -1, 1, 3)),
        expected(DenseReference(net).logits(toDoubles(rows), kMostRows)) {
    for (int64_t size = 1; size <= kMostRows; ++size)
      inputs.push_back(Array::copyOf(DType::Float32, {size, kFeatures}, rows.rawData()));
  }

  void call(const K::Function &f, int64_t size) { f.call(&inputs[size_t(size - 1)], 1, outputs); }
  void check(const std::string &what, const K::Function &f, int64_t size) {
    call(f, size);
    Bench::expectNear(what + ", batch " + std::to_string(size), outputs[0], expected.data(), 2e-5,
                      1e-5);
  }

private:
  Array rows;
  Doubles expected;
  std::vector<Array> inputs; // of 1, 2, … rows
  std::vector<Array> outputs;
};

} // namespace

void keratin::bench::runDynBatch(Bench &bench) {
  DenseNet net;
  DenseGraph graph(net);
  Batches batches(net);
  auto compile = [&](std::optional<int64_t> size) {
    Tensor x = K::placeholder({size, kFeatures});
    return K::function({x}, {graph.logits(x)});
  };
  K::Function dynamic = compile(std::nullopt);

  std::vector<int64_t> order(static_cast<size_t>(kMostRows));
  std::iota(order.begin(), order.end(), 1);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(9));

  Row row;
  row.name = "dynbatch";
  row.describe(dynamic);

  // Each size for the first time: before anything else may call the function.
  row.caseName = "256 sizes, first";
  double start = seconds();
  for (int64_t size : order)
    batches.call(dynamic, size);
  row.timing.minMs = row.timing.medianMs = (seconds() - start) * 1e3;
  for (int64_t size : order)
    batches.check(row.caseName, dynamic, size);
  bench.report(row);

  row.caseName = "256 sizes, later";
  bench.time(row, [&] {
    for (int64_t size : order)
      batches.call(dynamic, size);
  });

  row.caseName = "16 sizes, against static";
  std::vector<K::Function> fixed;
  for (int64_t size : kStaticSizes) {
    fixed.push_back(compile(size));
    batches.check("static", fixed.back(), size);
  }
  if (bench.checkOnly())
    return bench.report(row);
  // In turn, so that both see the same machine.
  std::vector<double> ours, theirs;
  for (int i = 0; i < bench.batches(); ++i) {
    ours.push_back(measure(
                       [&] {
                         for (int64_t size : kStaticSizes)
                           batches.call(dynamic, size);
                       },
                       1)
                       .minMs);
    theirs.push_back(measure(
                         [&] {
                           for (size_t j = 0; j < fixed.size(); ++j)
                             batches.call(fixed[j], kStaticSizes[j]);
                         },
                         1)
                         .minMs);
  }
  row.timing = summarize(ours);
  row.ceilingMs = summarize(theirs).minMs;
  bench.report(row);
}

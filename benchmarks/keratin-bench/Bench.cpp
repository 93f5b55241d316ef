#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>
#include <random>
#include <stdexcept>

using namespace keratin;
using namespace keratin::bench;

Bench::Bench(const Options &options)
    : options(options),
      output(options.json, options.peers.empty() ? Peers() : Peers(options.peers)) {
  if (options.checkOnly)
    return;
  output.printMachine(options.threads);
  ceilings.emplace(options.threads);
  output.printCeilings(*ceilings);
}

void Bench::expectNear(const std::string &what, const Array &actual, const double *expected,
                       double absolute, double relative) {
  const float *values = actual.data<float>();
  for (int64_t i = 0; i < actual.size(); ++i) {
    double error = std::abs(double(values[i]) - expected[i]);
    // Written so that NaN fails.
    if (!(error <= absolute + relative * std::abs(expected[i])))
      throw std::runtime_error(what + ": element " + std::to_string(i) + " is " +
                               std::to_string(values[i]) + ", off by " + std::to_string(error) +
                               "; the reference has " + std::to_string(expected[i]));
  }
}

void Bench::time(Row row, const std::function<void()> &body) {
  if (!wants(row.caseName))
    return;
  if (!ceilings)
    return output.printChecked(row.name, row.caseName);
  row.timing = measure(body, options.batches);
  ceilings->measurePeakAgain();
  if (row.work.flops > 0 || row.work.readBytes > 0 || row.work.movedBytes > 0)
    row.ceilingMs = ceilings->milliseconds(row.work);
  output.print(row);
}

void Bench::timeAgainst(Row row, const std::function<void()> &body,
                        const std::function<void()> &other) {
  if (!wants(row.caseName))
    return;
  if (!ceilings)
    return output.printChecked(row.name, row.caseName);
  auto [timing, otherTiming] = measureBoth(body, other, options.batches);
  row.timing = timing;
  row.ceilingMs = otherTiming.minMs;
  output.print(row);
}

void Bench::report(const Row &row) {
  if (!wants(row.caseName))
    return;
  if (checkOnly())
    return output.printChecked(row.name, row.caseName);
  output.print(row);
}

Array keratin::bench::randomArray(std::vector<int64_t> dims, double low, double high,
                                  uint64_t seed) {
  Array array = Array::empty(DType::Float32, std::move(dims));
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<float> distribution{float(low), float(high)};
  float *values = array.data<float>();
  for (int64_t i = 0; i < array.size(); ++i)
    values[i] = distribution(generator);
  return array;
}

Doubles keratin::bench::toDoubles(const Array &array) {
  const float *values = array.data<float>();
  return Doubles(values, values + array.size());
}

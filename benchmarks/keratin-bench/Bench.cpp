#include "benchmarks/keratin-bench/Bench.h"

#include <keratin/saving.h>

#include <algorithm>
#include <cctype>
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
  const Doubles values = toDoubles(actual);
  expectNear(what, values, Doubles(expected, expected + values.size()), absolute, relative);
}

void Bench::expectNear(const std::string &what, const Doubles &values, const Doubles &expected,
                       double absolute, double relative) {
  for (size_t i = 0; i < values.size(); ++i) {
    double error = std::abs(values[i] - expected[i]);
    // Written so that NaN fails.
    if (!(error <= absolute + relative * std::abs(expected[i])))
      throw std::runtime_error(what + ": element " + std::to_string(i) + " is " +
                               std::to_string(values[i]) + ", off by " + std::to_string(error) +
                               "; the reference has " + std::to_string(expected[i]));
  }
}

// For keratin-run --profile and keratin-dump.
void Bench::save(const Row &row) const {
  if (options.functionFolder.empty() || row.function.isEmpty())
    return;
  std::string name = row.name + ' ' + row.caseName;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  backend::save_function(row.function, options.functionFolder + '/' + name + ".ktg");
}

void Bench::time(Row row, const std::function<void()> &body) {
  if (!wants(row.caseName))
    return;
  if (!ceilings)
    return output.printChecked(row.name, row.caseName);
  save(row);
  row.timing = measure(body, options.batches);
  ceilings->measurePeakAgain(row.work.arithmetic);
  if (row.work.flops > 0 || row.work.readBytes > 0 || row.work.movedBytes > 0)
    row.ceilingMs = ceilings->milliseconds(row.work);
  output.print(row);
}

void Bench::timeAgainst(Row row, const std::function<void()> &body,
                        const std::function<void()> &other, double share) {
  if (!wants(row.caseName))
    return;
  if (!ceilings)
    return output.printChecked(row.name, row.caseName);
  auto [timing, otherTiming] = measureBoth(body, other, options.batches);
  row.timing = timing;
  row.ceilingMs = share * otherTiming.minMs;
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
  // Not the standard's distribution, which takes two logarithms a number.
  std::mt19937_64 generator(seed);
  float *values = array.data<float>();
  for (int64_t i = 0; i < array.size(); ++i)
    values[i] = float(low + (high - low) * double(generator() >> 11) * 0x1p-53);
  return array;
}

Doubles keratin::bench::toDoubles(const Array &array) {
  if (array.dtype() == DType::Float64)
    return Doubles(array.data<double>(), array.data<double>() + array.size());
  if (array.dtype() != DType::Float32)
    return toDoubles(array.astype(DType::Float32));
  return Doubles(array.data<float>(), array.data<float>() + array.size());
}

// How long something takes: batches, their minimum and median.
#ifndef KERATIN_BENCHMARKS_TIMING_H
#define KERATIN_BENCHMARKS_TIMING_H

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <vector>

namespace keratin::bench {

// Which seconds count: those that pass, or those that the process had a processor for. The second
// serves on a machine that others load too, and only with one thread.
inline clockid_t &clockInUse() {
  static clockid_t clock = CLOCK_MONOTONIC;
  return clock;
}

inline double seconds() {
  timespec time;
  clock_gettime(clockInUse(), &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

struct Timing {
  double minMs = 0, medianMs = 0;
};

inline Timing summarize(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  return {milliseconds.front(), milliseconds[milliseconds.size() / 2]};
}

// A reading shorter than this says more of the timer and of interruptions than of the work.
inline constexpr double kBatchSeconds = 0.004;

// The time of one call of body, over so many batches of at least kBatchSeconds.
template <class Body> Timing measure(Body &&body, int batches) {
  auto batch = [&](int64_t calls) {
    double start = seconds();
    for (int64_t i = 0; i < calls; ++i)
      body();
    return seconds() - start;
  };
  batch(1); // what only a first call does
  int64_t calls = 1;
  for (double elapsed; (elapsed = batch(calls)) < kBatchSeconds;) {
    double needed = double(calls) * 1.2 * kBatchSeconds / std::max(elapsed, 1e-9);
    calls = std::clamp(int64_t(needed) + 1, calls + 1, 100 * calls);
  }
  std::vector<double> readings;
  for (int i = 0; i < batches; ++i)
    readings.push_back(batch(calls) / double(calls) * 1e3);
  return summarize(std::move(readings));
}

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_TIMING_H

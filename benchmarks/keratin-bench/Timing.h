// How long something takes: batches, their minimum and median.
#ifndef KERATIN_BENCHMARKS_TIMING_H
#define KERATIN_BENCHMARKS_TIMING_H

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>
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
  std::vector<double> readings; // as they came, in milliseconds
};

inline Timing summarize(const std::vector<double> &milliseconds) {
  std::vector<double> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  return {sorted.front(), sorted[sorted.size() / 2], milliseconds};
}

// A reading shorter than this says more of the timer and of interruptions than of the work.
inline constexpr double kBatchSeconds = 0.004;

// Readings of calls of body, each at least kBatchSeconds long.
template <class Body> class Readings {
public:
  explicit Readings(Body &body) : body(body) {
    run(1); // what only a first call does
    for (double elapsed; (elapsed = run(calls)) < kBatchSeconds;) {
      double needed = double(calls) * 1.2 * kBatchSeconds / std::max(elapsed, 1e-9);
      calls = std::clamp(int64_t(needed) + 1, calls + 1, 100 * calls);
    }
  }
  void read() { milliseconds.push_back(run(calls) / double(calls) * 1e3); }
  Timing summary() const { return summarize(milliseconds); }

private:
  double run(int64_t count) {
    double start = seconds();
    for (int64_t i = 0; i < count; ++i)
      body();
    return seconds() - start;
  }

  Body &body;
  int64_t calls = 1;
  std::vector<double> milliseconds; // of a call
};

// The time of one call of body, over so many batches.
template <class Body> Timing measure(Body &&body, int batches) {
  Readings all(body);
  for (int i = 0; i < batches; ++i)
    all.read();
  return all.summary();
}

// The same of two, whose batches take turns.
template <class First, class Second>
std::pair<Timing, Timing> measureBoth(First &&first, Second &&second, int batches) {
  Readings one(first);
  Readings other(second);
  for (int i = 0; i < batches; ++i) {
    one.read();
    other.read();
  }
  return {one.summary(), other.summary()};
}

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_TIMING_H

// What this machine can do at most: measured before the rows, so that each is judged by the machine
// it ran on.
#ifndef KERATIN_BENCHMARKS_CEILINGS_H
#define KERATIN_BENCHMARKS_CEILINGS_H

#include <array>
#include <cstddef>
#include <iterator>

namespace keratin::bench {

enum class Level { L1, L2, L3, Memory };
inline constexpr Level kLevels[] = {Level::L1, Level::L2, Level::L3, Level::Memory};
const char *nameOf(Level level);

// Bytes a second of buffers that fit into the level.
struct Bandwidth {
  double read = 0;
  double copy = 0; // read and written bytes; past the caches for Memory, where that is faster
};

// What is multiplied; sums of the 16-bit kinds are float32 where the processor adds pairs to it.
enum class Arithmetic { Float32, Float64, BFloat16, Float16, BFloat16Tiles };
inline constexpr Arithmetic kArithmetics[] = {Arithmetic::Float32, Arithmetic::Float64,
                                              Arithmetic::BFloat16, Arithmetic::Float16,
                                              Arithmetic::BFloat16Tiles};
// "fma bf16", of tiles "amx bf16".
const char *nameOf(Arithmetic arithmetic);

// Multiply-adds, as flop a second of all threads together; those of float32 where the processor has
// no others for the kind, and 0 of tiles where it has none.
double measurePeak(int threads, Arithmetic arithmetic = Arithmetic::Float32);
Bandwidth measureBandwidth(Level level, int threads);

class Ceilings {
public:
  explicit Ceilings(int threads);

  // Clocks drift and neighbours come and go, so the peak is measured again between rows.
  void measurePeakAgain(Arithmetic arithmetic = Arithmetic::Float32) {
    arithmetic = fastest(arithmetic);
    peaks[size_t(arithmetic)] = measurePeak(threads, arithmetic);
  }
  double peak(Arithmetic arithmetic = Arithmetic::Float32) const {
    return peaks[size_t(arithmetic)];
  }
  const Bandwidth &at(Level level) const { return bandwidths[size_t(level)]; }

  // What multiplies these numbers fastest: tiles, where there are some for them.
  static Arithmetic fastest(Arithmetic arithmetic);
  // The level whose share a working set of so many bytes fits into.
  static Level levelOf(double bytes);
  // The milliseconds that no code can beat: the slowest of the arithmetic, of the bytes that are
  // only read and of those that are moved (read or written).
  struct Work {
    double flops = 0, readBytes = 0, movedBytes = 0;
    Arithmetic arithmetic = Arithmetic::Float32;
  };
  double milliseconds(const Work &work) const;

private:
  int threads;
  std::array<double, std::size(kArithmetics)> peaks{}; // flop a second
  std::array<Bandwidth, 4> bandwidths;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_CEILINGS_H

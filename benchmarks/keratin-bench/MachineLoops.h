// Loops that do nothing but what they are named for, as fast as this machine does it: the yardstick
// of everything else.
#ifndef KERATIN_BENCHMARKS_MACHINELOOPS_H
#define KERATIN_BENCHMARKS_MACHINELOOPS_H

#include <cstdint>

namespace keratin::bench {

// Four products of a tile of 16 x 32 bfloat16 and one of 32 x 16.
inline constexpr int64_t kTileFlopsPerStep = 4 * 2 * 16 * 32 * 16;

// Pointers are aligned to 64 bytes; counts of floats are multiples of 128.
struct MachineLoops {
  const char *isa; // "avx512", "avx2", "baseline"
  // Floating-point operations of one step.
  int64_t flopsPerStep;
  // Independent multiply-adds out of registers.
  void (*multiplyAdd)(int64_t steps);
  // The same in float64, half as many a step, and as products of pairs that are added up in
  // float32, twice as many; null where the processor has none, and float32 does the work.
  void (*multiplyAddDouble)(int64_t steps);
  void (*multiplyAddBFloat16)(int64_t steps);
  void (*multiplyAddFloat16)(int64_t steps);
  // The same products of pairs on tiles, factors out of the L1: kTileFlopsPerStep a step. Null
  // where the processor has none.
  void (*multiplyTiles)(int64_t steps);
  void (*copy)(float *to, const float *from, int64_t count);
  // Past the caches, for what is larger than they are.
  void (*streamCopy)(float *to, const float *from, int64_t count);
  void (*read)(const float *from, int64_t count);
};

// The best that this CPU can run.
const MachineLoops &machineLoops();

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_MACHINELOOPS_H

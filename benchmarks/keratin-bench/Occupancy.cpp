#include "benchmarks/keratin-bench/Occupancy.h"

#include <algorithm>

using namespace keratin::bench;

static int64_t roundedUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

double keratin::bench::occupancy(int64_t blockThreads, int64_t registers, int64_t sharedBytes) {
  using M = Multiprocessor;
  int64_t warps = roundedUp(blockThreads, M::kWarpThreads) / M::kWarpThreads;
  int64_t blocks = std::min(M::kBlocks, M::kWarps / warps);
  if (registers > 0) {
    int64_t ofWarp = roundedUp(registers * M::kWarpThreads, M::kRegisterGranularity);
    blocks = std::min(blocks, M::kRegisters / M::kPartitions / ofWarp * M::kPartitions / warps);
  }
  int64_t shared = roundedUp(sharedBytes, M::kSharedGranularity) + M::kSharedOfBlock;
  blocks = std::min(blocks, M::kSharedBytes / shared);
  return double(blocks * warps) / double(M::kWarps);
}

double keratin::bench::rooflineSeconds(const KernelWork &work) {
  double busy = std::min(work.blocks, Device::kMultiprocessors);
  double share = busy / Device::kMultiprocessors;
  double slowest = std::max({work.bytes / Device::kBytes, work.bytes / (busy * Device::kBytesOfOne),
                             work.floatFlops / (share * Device::kFloatFlops),
                             work.matrixFlops / (share * Device::kMatrixFlops),
                             work.warpInstructions / (share * Device::kWarpInstructions)});
  return work.launches * Device::kLaunchSeconds + slowest;
}

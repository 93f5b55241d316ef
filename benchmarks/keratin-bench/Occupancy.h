// What a multiprocessor of an H100 holds, and how long the device takes at least.
#ifndef KERATIN_BENCHMARKS_OCCUPANCY_H
#define KERATIN_BENCHMARKS_OCCUPANCY_H

#include <cstdint>

namespace keratin::bench {

// Of compute capability 9.0: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", and cuda_occupancy.h of the CUDA Toolkit for the granularities.
struct Multiprocessor {
  static constexpr int64_t kWarps = 64, kBlocks = 32, kWarpThreads = 32;
  static constexpr int64_t kRegisters = 65536, kPartitions = 4, kRegisterGranularity = 256;
  static constexpr int64_t kSharedBytes = 228 * 1024, kSharedGranularity = 128;
  static constexpr int64_t kSharedOfBlock = 1024; // that a block takes besides its own
};

// Warps that are resident over those that there is room for, 0 to 1: as many whole blocks as the
// warps, the registers of each of the four partitions, the shared memory and the limit of blocks
// allow.
double occupancy(int64_t blockThreads, int64_t registers, int64_t sharedBytes);

// What an H100 (SXM) does in a second. NVIDIA H100 Tensor Core GPU data sheet: dense, without
// sparsity. Launches by what a stream takes for short kernels one after the other.
struct Device {
  static constexpr double kBytes = 3.35e12;      // of its memory
  static constexpr double kFloatFlops = 66.9e12; // f32 outside of tensor cores
  static constexpr double kMatrixFlops = 989e12; // f16 and bf16 in tensor cores
  static constexpr double kTf32Flops = 494.5e12; // in tensor cores
  static constexpr double kDoubleFlops = 66.9e12; // f64 in tensor cores
  static constexpr double kLaunchSeconds = 3e-6;
  static constexpr double kMultiprocessors = 132;
  // Warps issue an instruction of any kind where they could issue a multiply-add of f32.
  static constexpr double kWarpInstructions = kFloatFlops / (2 * Multiprocessor::kWarpThreads);
  // Of one multiprocessor between itself and what all share: 64 bytes a clock, in which it issues
  // an instruction in each of its partitions.
  static constexpr double kBytesOfOne =
      64 * kWarpInstructions / kMultiprocessors / Multiprocessor::kPartitions;
};

struct KernelWork {
  double launches = 0, bytes = 0, warpInstructions = 0, floatFlops = 0, matrixFlops = 0;
  double blocks = Device::kMultiprocessors; // of a launch
};
// The slowest of what it does, and its launches. Blocks have a multiprocessor each, as long as
// there are some.
double rooflineSeconds(const KernelWork &work);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_OCCUPANCY_H

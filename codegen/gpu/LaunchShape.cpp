#include "codegen/gpu/LaunchShape.h"

#include "codegen/gpu/CudaMachine.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace keratin::codegen;

// Of a block whose threads have nothing to do with each other: enough to fill a multiprocessor with
// few blocks, few enough for any number of registers.
static constexpr int64_t blockThreads = 128;
// Scratch of all threads of a grid together.
static constexpr int64_t mostScratch = int64_t(64) << 20;

LaunchShape LaunchShape::ofUnits(int64_t slots, int64_t scratchBytes, unsigned unitThreads,
                                 int64_t sharedBytes, int64_t partBytes) {
  LaunchShape shape;
  shape.slots = slots;
  shape.unitThreads = unitThreads;
  shape.launch.block_threads = blockThreads;
  if (sharedBytes > 0 || unitThreads > warpThreads)
    shape.launch.block_threads = unitThreads;
  if (unitThreads > 1)
    shape.launch.units_per_block = shape.launch.block_threads / unitThreads;
  shape.launch.shared_bytes = uint32_t(sharedBytes);
  shape.launch.unit_bytes = uint32_t(partBytes);
  if (scratchBytes > 0) {
    int64_t bytes = int64_t(llvm::alignTo(uint64_t(scratchBytes), KERATIN_CUDA_ALIGNMENT));
    int64_t threads = std::max<int64_t>(1, mostScratch / bytes);
    int64_t perBlock = std::min(blockThreads, int64_t(llvm::bit_floor(uint64_t(threads))));
    shape.launch.scratch_bytes = uint64_t(bytes);
    shape.launch.block_threads = uint32_t(perBlock);
    shape.launch.max_blocks = uint32_t(std::min<int64_t>(threads / perBlock, 1 << 16));
  }
  return shape;
}

LaunchShape LaunchShape::ofLoop(unsigned blockThreads, int64_t scratchBytes, int64_t sharedBytes,
                                int64_t partBytes) {
  LaunchShape shape;
  shape.isWhole = true;
  shape.launch.block_threads = blockThreads;
  shape.launch.units_per_block = 1;
  shape.launch.shared_bytes = uint32_t(sharedBytes);
  shape.launch.unit_bytes = uint32_t(partBytes);
  shape.launch.flags = KERATIN_CUDA_COOPERATIVE;
  if (scratchBytes > 0) {
    auto bytes = int64_t(llvm::alignTo(uint64_t(scratchBytes), KERATIN_CUDA_ALIGNMENT));
    shape.launch.scratch_bytes = uint64_t(bytes);
    shape.launch.max_blocks = uint32_t(mostScratch / bytes / blockThreads);
  }
  return shape;
}

void keratin::codegen::print(llvm::raw_ostream &out, const keratin_cuda_kernel_t &launch) {
  out << launch.block_threads << (launch.block_threads == 1 ? " thread" : " threads") << " a block";
  if (launch.flags & KERATIN_CUDA_COOPERATIVE)
    out << ", all blocks at once";
  if (launch.max_blocks)
    out << ", " << launch.max_blocks << " blocks at most";
  if (launch.shared_bytes)
    out << ", " << launch.shared_bytes << " bytes of shared memory";
  if (launch.scratch_bytes)
    out << ", " << launch.scratch_bytes << " bytes of scratch a thread";
  if (launch.unit_bytes)
    out << ", " << launch.unit_bytes << " bytes a unit for the others";
  out << "\n";
}

#include "codegen/gpu/LaunchShape.h"

#include "codegen/gpu/CudaMachine.h"

using namespace keratin::codegen;

// Of a block whose threads have nothing to do with each other: enough to fill a multiprocessor with
// few blocks, few enough for any number of registers.
static constexpr int64_t blockThreads = 128;

LaunchShape LaunchShape::ofUnits(int64_t slots, unsigned unitThreads, int64_t sharedBytes,
                                 int64_t partBytes) {
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
  return shape;
}

LaunchShape LaunchShape::ofLoop(unsigned blockThreads, int64_t sharedBytes, int64_t partBytes) {
  LaunchShape shape;
  shape.isWhole = true;
  shape.hasFewBlocks = true;
  shape.launch.block_threads = blockThreads;
  shape.launch.units_per_block = 1;
  shape.launch.shared_bytes = uint32_t(sharedBytes);
  shape.launch.unit_bytes = uint32_t(partBytes);
  shape.launch.flags = KERATIN_CUDA_COOPERATIVE;
  return shape;
}

void keratin::codegen::print(llvm::raw_ostream &out, const keratin_cuda_kernel_t &launch) {
  out << launch.block_threads << (launch.block_threads == 1 ? " thread" : " threads") << " a block";
  if (launch.flags & KERATIN_CUDA_COOPERATIVE)
    out << ", all blocks at once";
  if (launch.shared_bytes)
    out << ", " << launch.shared_bytes << " bytes of shared memory";
  if (launch.unit_bytes)
    out << ", " << launch.unit_bytes << " bytes a unit for the others";
  out << "\n";
}

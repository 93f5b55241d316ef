// What is known of how much a kernel has to do with, for numbers of 32 bits.
#ifndef KERATIN_CODEGEN_GPU_PTX_KERNELBOUNDS_H
#define KERATIN_CODEGEN_GPU_PTX_KERNELBOUNDS_H

#include "codegen/lowering/KernelFunction.h"

#include <vector>

namespace keratin::codegen {

// Sizes are known, or have limits (keratin.limits), which the call checks.
// Kernels whose code is the same are one, whatever their sizes: so nothing is said of sizes but
// whether they are below a bound that few exceed.
struct KernelBounds {
  // Less than 2^31 by far more than constants that are added to offsets in addresses.
  static constexpr int64_t bytes = (int64_t(1) << 31) - (int64_t(1) << 21);
  // The number of a unit that is a grid behind the last is less than 2^31.
  static constexpr int64_t units = int64_t(1) << 29;

  // Notes in the function, as what tells it from others, that its tensors are known to have fewer
  // bytes, and that it has fewer units.
  static void note(KernelBuilder &k, const ir::DimExpr &units);
  // What has been noted.
  static KernelBounds of(mlir::LLVM::LLVMFuncOp function);

  std::vector<unsigned> boundedSlots; // of argv
  bool hasFewUnits = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_KERNELBOUNDS_H

// Indices of 32 bits where these are known to hold them.
#ifndef KERATIN_CODEGEN_GPU_PTX_NARROWINDICES_H
#define KERATIN_CODEGEN_GPU_PTX_NARROWINDICES_H

#include "llvm/IR/PassManager.h"

namespace keratin::codegen {

// Marks parameters of entries (i64) that are addresses of tensors of fewer bytes than
// KernelBounds::bytes.
inline constexpr const char *boundedAttribute = "keratin-bounded";

// Kernels compute in 64 bits, for each of which a device has two registers and two or more
// instructions. Offsets in shared memory, and in tensors marked as above, become such of 32 bits,
// which are widened as they are added to an address. That wraps around where 64 bits would not
// only where the address is outside of the tensor, and so not accessed. Numbers that are known to
// lie within 32 bits, and comparisons of such, become narrow too.
struct NarrowIndicesPass : llvm::PassInfoMixin<NarrowIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_NARROWINDICES_H

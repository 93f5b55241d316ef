// Names of functions that modules have in common: they say what the functions compute.
#ifndef KERATIN_CODEGEN_LLVM_SHAREDNAMES_H
#define KERATIN_CODEGEN_LLVM_SHAREDNAMES_H

#include "codegen/llvm/CodeParts.h"

namespace keratin::codegen {

// Of a kernel that nameKernels() has found worth a module of its own.
inline constexpr char kSharedKernelAttr[] = "keratin.shared_kernel";

// Names of functions with kSharedFunctionAttr are what modules call them. What is kept, and what
// the linker unites, goes by what they compute.
void nameShared(mlir::ModuleOp module);
// The same for kernels that are worth sharing. What is shared has its name already, so that kernels
// which call it are told apart by it.
void nameKernels(mlir::ModuleOp module, SharedKernels &kernels);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_SHAREDNAMES_H

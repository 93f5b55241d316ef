// From kernels of the LLVM dialect to the text of a PTX module.
#ifndef KERATIN_CODEGEN_GPU_PTX_PTXMODULE_H
#define KERATIN_CODEGEN_GPU_PTX_PTXMODULE_H

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/LaunchShape.h"
#include "codegen/gpu/ptx/KernelBounds.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace keratin::codegen {

// A function of the module that is launched.
struct PtxKernel {
  std::string name; // in the module; afterwards in the PTX
  LaunchShape shape;
  KernelBounds bounds = {};
};

// PTX names are letters, digits, _ and $. All else becomes _.
std::string ptxName(llvm::StringRef name);

// The module holds the kernels, as functions of keratin_kernel_fn_t's type, and what they call.
// Failure is reported as a diagnostic on the module.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp module,
                                     llvm::MutableArrayRef<PtxKernel> kernels,
                                     const MachineTarget &machine = cudaMachine());

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_PTXMODULE_H

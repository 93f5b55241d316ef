// From a kernel over units, as the CPU calls it, to what the CUDA driver launches.
#ifndef KERATIN_CODEGEN_GPU_PTX_KERNELENTRY_H
#define KERATIN_CODEGEN_GPU_PTX_KERNELENTRY_H

#include "codegen/gpu/LaunchShape.h"
#include "codegen/gpu/ptx/KernelBounds.h"

#include "mlir/IR/Builders.h"

#include "llvm/IR/Function.h"

#include <string>

namespace keratin::codegen {

// Stands in the function of a kernel for a parameter of its entry behind argv's, as i64.
mlir::Value launchParameter(mlir::OpBuilder &b, mlir::Location loc,
                            keratin_cuda_parameter_t number);

// Makes of a function of keratin_kernel_fn_t's type an entry with the parameters of
// runtime/abi/keratin_cuda_abi.h, under the same name, and erases it. Thread i of the grid does
// the units [i g, (i + 1) g), where g is the grain, and goes on behind what the whole grid does at
// a time. There is no context: what the kernel asks it for, the note of numbers that are not
// finite, telling of a failure, is in the entry. Null, with a message, where it asks for something
// else: scratch, other functions of the runtime. A whole function (LaunchShape) has no units: all
// threads begin at its first instruction; it calls nothing that asks for the context.
llvm::Function *makeUnitsEntry(llvm::Function &body, const LaunchShape &shape,
                               const KernelBounds &bounds, std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_KERNELENTRY_H

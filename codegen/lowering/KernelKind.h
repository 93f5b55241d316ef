// What kinds of kernels there are, whatever machine makes them.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELKIND_H
#define KERATIN_CODEGEN_LOWERING_KERNELKIND_H

#include "ir/interfaces/IterationSpace.h"

namespace keratin::codegen {

// Loop nests, and the kinds that the records of ops name.
enum class KernelKind {
  Loop,
  Transpose, // nothing but a transpose of what is in memory
#define KERATIN_KERNEL_KIND(KIND) KIND,
#include "codegen/lowering/OpKernels.inc"
#undef KERATIN_KERNEL_KIND
};

KernelKind kindOf(ir::KernelOp kernel);
// The op that makes the kernel what it is; null if it is a loop nest.
mlir::Operation *mainOp(ir::KernelOp kernel);
// The loops of what runs in the kernel; nullopt, with a diagnostic, if they are no nest.
std::optional<ir::IterationSpace> iterationSpaceOf(ir::KernelOp kernel);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELKIND_H

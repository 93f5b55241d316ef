// Rows that are scattered and added to a table in the same kernel.
#ifndef KERATIN_CODEGEN_CPU_ROWUPDATEKERNEL_H
#define KERATIN_CODEGEN_CPU_ROWUPDATEKERNEL_H

#include "codegen/cpu/CpuKernelPlan.h"

namespace keratin::codegen {

// Of a scatter_add with elementwise ops behind it, as --keratin-form-kernels joins them; null, with
// a diagnostic, if it is no such kernel.
CpuPlan planRowUpdateKernel(ir::KernelOp kernel, const MachineTarget &target);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_ROWUPDATEKERNEL_H

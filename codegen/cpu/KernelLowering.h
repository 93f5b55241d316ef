// Kernels for a CPU: from a keratin.kernel to its plan, and from the plan to its function.
#ifndef KERATIN_CODEGEN_CPU_KERNELLOWERING_H
#define KERATIN_CODEGEN_CPU_KERNELLOWERING_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/EntryFunction.h"

namespace keratin::codegen {

// Null, with a diagnostic at the op that has no lowering.
CpuPlan planKernel(ir::KernelOp kernel, const MachineTarget &target);

// Fails as planKernel does. Target and description outlive it, and kernels what it makes of them.
KernelLowering loweringFor(const MachineTarget &target, bool callsMath,
                           EntryDescription &description);

// lowerFunction() with a CPU for what the host runs.
mlir::LogicalResult lowerFunction(mlir::func::FuncOp function, host::ProgramOp program,
                                  mlir::ModuleOp into, llvm::StringRef name,
                                  const MachineTarget &target, EntryDescription &description,
                                  const DeviceModule *device = nullptr);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_KERNELLOWERING_H

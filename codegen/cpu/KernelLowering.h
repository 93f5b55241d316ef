// Kernels for a CPU: from a keratin.kernel to its plan, and from the plan to its function.
#ifndef KERATIN_CODEGEN_CPU_KERNELLOWERING_H
#define KERATIN_CODEGEN_CPU_KERNELLOWERING_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/EntryFunction.h"

namespace keratin::codegen {

// Null, with a diagnostic at the op that has no lowering.
CpuPlan planKernel(ir::KernelOp kernel, const MachineTarget &target);

// A function in the module that the builder stands in. Fails as planKernel does. The kernel and the
// target outlive the result.
mlir::FailureOr<KernelFunction> lowerKernel(ir::KernelOp kernel, mlir::OpBuilder &builder,
                                            llvm::StringRef name, const MachineTarget &target);

// lowerFunction() with a CPU for what the host runs.
mlir::LogicalResult lowerFunction(mlir::func::FuncOp function, host::ProgramOp program,
                                  mlir::ModuleOp into, llvm::StringRef name,
                                  const MachineTarget &target, EntryDescription &description,
                                  const DeviceModule *device = nullptr);

// All kernels of a planned function, in order, for people.
mlir::LogicalResult printKernels(llvm::raw_ostream &out, mlir::Operation *function,
                                 const MachineTarget &target);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_KERNELLOWERING_H

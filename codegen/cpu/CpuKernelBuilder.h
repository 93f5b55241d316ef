// A kernel's function under construction for a CPU.
#ifndef KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H
#define KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/lowering/KernelFunction.h"

namespace keratin::codegen {

class CpuKernelBuilder : public KernelBuilder {
public:
  CpuKernelBuilder(ir::KernelOp kernel, mlir::OpBuilder &builder, llvm::StringRef name,
                   const MachineTarget &target)
      : KernelBuilder(kernel, builder, name), target(target) {}

  // The thread's memory (keratin_context_t::scratch).
  mlir::Value scratch();
  // keratin_context_t::units_done.
  mlir::Value unitsDone();

  const MachineTarget &target;

private:
  mlir::Value contextField(size_t offset, mlir::Type type);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H

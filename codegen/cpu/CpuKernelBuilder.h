// A kernel's function under construction for a CPU.
#ifndef KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H
#define KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/lowering/KernelFunction.h"

#include "llvm/ADT/MapVector.h"

namespace keratin::codegen {

class CpuKernelBuilder : public KernelBuilder {
public:
  CpuKernelBuilder(ir::KernelOp kernel, mlir::OpBuilder &builder, llvm::StringRef name,
                   const MachineTarget &target)
      : KernelBuilder(kernel, builder, name), target(target) {}

  // Memory of the function, zeros before it begins, in which numbers are noted that are not finite
  // (ElementEmitter::watch) by bits that are set. It becomes a register.
  mlir::Value notes(mlir::Type type);
  // Tells the call at the end of the function if bits have been set.
  void tellNotes();
  // The thread's memory (keratin_context_t::scratch).
  mlir::Value scratch();

  const MachineTarget &target;

private:
  llvm::MapVector<mlir::Type, mlir::Value> noted; // memory for notes of each type
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CPUKERNELBUILDER_H

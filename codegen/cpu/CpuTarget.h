// The CPU as a target: kernels are called by the entry function, in the memory of the host.
#ifndef KERATIN_CODEGEN_CPU_CPUTARGET_H
#define KERATIN_CODEGEN_CPU_CPUTARGET_H

#include "codegen/Target.h"
#include "codegen/cpu/MachineTarget.h"

namespace keratin::codegen {

class CpuTarget : public Target {
public:
  explicit CpuTarget(PortableMachine machine) : machine(std::move(machine)) {}

  llvm::StringRef name() const override { return "cpu"; }
  TargetLimits limits() const override { return {}; }
  const MachineTarget &host() const override { return machine.target; }
  std::array<uint64_t, 2> requiredFeatures() const override {
    return {machine.required[0], machine.required[1]};
  }
  int64_t panelColumns(ir::KernelOp kernel) const override;
  mlir::LogicalResult lower(mlir::func::FuncOp function, host::ProgramOp program,
                            mlir::ModuleOp into, llvm::StringRef name,
                            EntryDescription &description) const override;

private:
  PortableMachine machine;
};

// A TargetMaker.
std::unique_ptr<Target> makeCpuTarget(const TargetChoice &choice, std::string *error);
// The processor that the host's code is for, whatever the target; nullopt with a message.
std::optional<PortableMachine> hostMachineOf(const TargetChoice &choice, std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CPUTARGET_H

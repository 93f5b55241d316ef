#include "codegen/cpu/CpuTarget.h"

#include "codegen/cpu/KernelLowering.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;

LogicalResult CpuTarget::lower(func::FuncOp function, host::ProgramOp program, ModuleOp into,
                               StringRef name, EntryDescription &description) const {
  return lowerFunction(function, program, into, name, machine.target, description);
}

int64_t CpuTarget::panelColumns(ir::KernelOp kernel) const {
  switch (kindOf(kernel)) {
  case KernelKind::Contraction:
    return contractionPanelColumns(kernel, machine.target);
  case KernelKind::Convolution:
    return convolutionPanelColumns(kernel, machine.target);
  default:
    return 0;
  }
}

std::optional<PortableMachine> keratin::codegen::hostMachineOf(const TargetChoice &choice,
                                                               std::string *error) {
  if (choice.isPortable)
    return portableMachine(choice.triple, choice.cpu, error);
  PortableMachine machine;
  machine.target = machineByName(choice.cpu);
  if (!machine.target.triple.empty())
    return machine;
  *error = "unknown cpu '" + choice.cpu + "'";
  return std::nullopt;
}

std::unique_ptr<Target> keratin::codegen::makeCpuTarget(const TargetChoice &choice,
                                                        std::string *error) {
  std::optional<PortableMachine> machine = hostMachineOf(choice, error);
  return machine ? std::make_unique<CpuTarget>(std::move(*machine)) : nullptr;
}

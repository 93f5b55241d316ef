#include "codegen/gpu/UnitsPlan.h"

#include "codegen/cpu/KernelLowering.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

std::shared_ptr<const UnitsPlan> UnitsPlan::make(ir::KernelOp kernel,
                                                 const MachineTarget &machine) {
  CpuPlan plan = planKernel(kernel, machine);
  return plan ? std::make_shared<UnitsPlan>(kernel, std::move(plan), machine) : nullptr;
}

UnitsPlan::UnitsPlan(ir::KernelOp kernel, CpuPlan cpuPlan, const MachineTarget &machine)
    : KernelPlan(kernel), plan(std::move(cpuPlan)), machine(machine) {
  units = plan->units;
  work = plan->work;
  scratchBytes = plan->scratchBytes;
}

void UnitsPlan::printSchedule(llvm::raw_ostream &out) const {
  plan->printSchedule(out);
  out << "launch: a unit a thread; ";
  print(out, LaunchShape::ofUnits(0, scratchBytes).launch);
}

FailureOr<KernelFunction> UnitsPlan::emit(OpBuilder &builder, StringRef name) const {
  FailureOr<KernelFunction> made = lowerKernel(kernel, builder, name, machine);
  if (succeeded(made))
    made->grain = grain;
  return made;
}

#include "codegen/gpu/UnitsPlan.h"

#include "codegen/cpu/KernelLowering.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

DevicePlanPtr UnitsPlan::make(ir::KernelOp kernel, const MachineTarget &machine) {
  CpuPlan plan = planKernel(kernel, machine);
  return plan ? std::make_shared<UnitsPlan>(kernel, std::move(plan)) : nullptr;
}

UnitsPlan::UnitsPlan(ir::KernelOp kernel, CpuPlan cpuPlan)
    : DevicePlan(kernel), plan(std::move(cpuPlan)) {
  units = plan->units;
  work = plan->work;
  // For operands that are packed, where threads run one by one: with warps such kernels have forms
  // of their own, and an entry has no scratch.
  scratchBytes = plan->scratchBytes;
}

KernelFunction UnitsPlan::lower(OpBuilder &builder, StringRef name,
                                const MachineTarget &machine) const {
  CpuKernelBuilder k(kernel, builder, name, machine);
  plan->emit(k);
  return finishOnDevice(k);
}

// Plans of kernels for a CPU.
#ifndef KERATIN_CODEGEN_CPU_CPUKERNELPLAN_H
#define KERATIN_CODEGEN_CPU_CPUKERNELPLAN_H

#include "codegen/cpu/CpuKernelBuilder.h"
#include "codegen/lowering/KernelKind.h"
#include "codegen/lowering/KernelPlan.h"

#include <memory>

namespace keratin::codegen {

class CpuKernelPlan : public KernelPlan {
public:
  using KernelPlan::KernelPlan;

  // The whole body of the function that the builder has begun.
  virtual void emit(CpuKernelBuilder &k) const = 0;
};

using CpuPlan = std::shared_ptr<const CpuKernelPlan>;

// What the runtime does in one call, or what is too small to be scheduled.
class HostCallPlan final : public CpuKernelPlan {
public:
  HostCallPlan(ir::KernelOp kernel, std::string nest,
               std::function<void(CpuKernelBuilder &)> emitter)
      : CpuKernelPlan(kernel), nest(std::move(nest)), emitter(std::move(emitter)) {}

  using KernelPlan::setWork;
  void printNest(llvm::raw_ostream &out) const override { out << "nest: " << nest << "\n"; }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: a call of the runtime\n";
  }
  void emit(CpuKernelBuilder &k) const override { emitter(k); }

private:
  std::string nest;
  std::function<void(CpuKernelBuilder &)> emitter;
};

// One for each kind of kernel; null, with a diagnostic, where the kernel has no lowering. The
// target outlives the plan.
CpuPlan planLoopKernel(ir::KernelOp kernel, const MachineTarget &target);
// Of a loop nest that is one op alone, else what planLoopKernel gives.
CpuPlan planConcatenateKernel(ir::KernelOp kernel, const MachineTarget &target);
CpuPlan planTransposeKernel(ir::KernelOp kernel, const MachineTarget &target);
#define KERATIN_KERNEL_KIND(KIND)                                                                  \
  CpuPlan plan##KIND##Kernel(ir::KernelOp kernel, const MachineTarget &target);
#include "codegen/lowering/OpKernels.inc"
#undef KERATIN_KERNEL_KIND

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CPUKERNELPLAN_H

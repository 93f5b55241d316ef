// Kernels whose threads do units each by itself. Any kernel has such a plan, the CPU's for a
// machine without vectors.
#ifndef KERATIN_CODEGEN_GPU_UNITSPLAN_H
#define KERATIN_CODEGEN_GPU_UNITSPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/gpu/DevicePlan.h"

namespace keratin::codegen {

class UnitsPlan final : public DevicePlan {
public:
  // Null, with a diagnostic at the op that has no lowering. The machine outlives the plan.
  static DevicePlanPtr make(ir::KernelOp kernel, const MachineTarget &machine);

  UnitsPlan(ir::KernelOp kernel, CpuPlan plan);

  bool countsUnits() const override { return plan->countsUnits(); }
  mlir::Value countUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const override {
    return plan->countUnits(b, loc, sizeOf);
  }
  std::string unitsInWords() const override { return plan->unitsInWords(); }
  void printNest(llvm::raw_ostream &out) const override { plan->printNest(out); }
  void printForm(llvm::raw_ostream &out) const override { plan->printSchedule(out); }
  KernelFunction lower(mlir::OpBuilder &builder, llvm::StringRef name,
                       const MachineTarget &machine) const override;

private:
  CpuPlan plan;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_UNITSPLAN_H

// Kernels whose threads do units, each by itself. Any kernel has such a plan, the CPU's for a
// machine without vectors; those with one of their own have it here.
#ifndef KERATIN_CODEGEN_GPU_UNITSPLAN_H
#define KERATIN_CODEGEN_GPU_UNITSPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/gpu/LaunchShape.h"

namespace keratin::codegen {

// With one unit a thread.
class UnitsPlan final : public KernelPlan {
public:
  // Null, with a diagnostic at the op that has no lowering. The machine outlives the plan.
  static std::shared_ptr<const UnitsPlan> make(ir::KernelOp kernel, const MachineTarget &machine);

  UnitsPlan(ir::KernelOp kernel, CpuPlan plan, const MachineTarget &machine);

  bool countsUnits() const override { return plan->countsUnits(); }
  mlir::Value countUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const override {
    return plan->countUnits(b, loc, sizeOf);
  }
  void printNest(llvm::raw_ostream &out) const override { plan->printNest(out); }
  void printSchedule(llvm::raw_ostream &out) const override;
  // In the module that the builder stands in.
  KernelFunction emit(mlir::OpBuilder &builder, llvm::StringRef name) const;

private:
  CpuPlan plan;
  const MachineTarget &machine;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_UNITSPLAN_H

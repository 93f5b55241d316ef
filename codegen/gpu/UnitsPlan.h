// Any kernel on a device: each thread does units of it, by itself, as the CPU would.
#ifndef KERATIN_CODEGEN_GPU_UNITSPLAN_H
#define KERATIN_CODEGEN_GPU_UNITSPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/gpu/LaunchShape.h"

namespace keratin::codegen {

// The CPU's plan for a machine without vectors, with one unit a thread.
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
  mlir::FailureOr<KernelFunction> emit(mlir::OpBuilder &builder, llvm::StringRef name) const;

private:
  CpuPlan plan;
  const MachineTarget &machine;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_UNITSPLAN_H

// Kernels whose threads do units: each one by itself, or some one together. Any kernel has such a
// plan, the CPU's for a machine without vectors; those with one of their own have it here.
#ifndef KERATIN_CODEGEN_GPU_UNITSPLAN_H
#define KERATIN_CODEGEN_GPU_UNITSPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/gpu/LaunchShape.h"

namespace keratin::codegen {

// With one unit a thread, or a group of threads.
class UnitsPlan final : public KernelPlan {
public:
  // Null, with a diagnostic at the op that has no lowering. The machine outlives the plan; so many
  // of its threads at most can exchange values.
  static std::shared_ptr<const UnitsPlan> make(ir::KernelOp kernel, const MachineTarget &machine,
                                               unsigned warpThreads);

  UnitsPlan(ir::KernelOp kernel, CpuPlan plan, unsigned threads, const MachineTarget &machine);

  // But for the slots of argv.
  LaunchShape shape() const { return LaunchShape::ofUnits(0, scratchBytes, threads); }

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
  unsigned threads; // of a unit
  const MachineTarget &machine;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_UNITSPLAN_H

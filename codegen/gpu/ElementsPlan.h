// Elementwise chains and moves on a device: a thread does as many neighbouring elements as sixteen
// bytes hold, neighbouring threads neighbouring sixteens.
#ifndef KERATIN_CODEGEN_GPU_ELEMENTSPLAN_H
#define KERATIN_CODEGEN_GPU_ELEMENTSPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

// Units are groups of elements of a line of the innermost loop; lines are the indices of the outer
// loops. The plan is that of a CPU's kernel for a machine without vectors: code for a group is
// vectors that LLVM takes apart, but for the accesses to memory.
class ElementsPlan final : public CpuKernelPlan {
public:
  // Null where the kernel has reductions, or is none of loops.
  static CpuPlan make(ir::KernelOp kernel);

  ElementsPlan(ir::KernelOp kernel, LoopNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  ir::DimExpr lines() const { return nest.outerRows(); }
  ir::DimExpr lineElements() const;
  // Of a line.
  ir::DimExpr groups() const;

  LoopNest nest;
  unsigned elements = 1; // of a group
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ELEMENTSPLAN_H

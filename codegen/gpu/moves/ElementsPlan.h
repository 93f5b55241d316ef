// Elementwise chains and moves on a device: a thread does as many neighbouring elements as sixteen
// bytes hold, neighbouring threads neighbouring sixteens.
#ifndef KERATIN_CODEGEN_GPU_MOVES_ELEMENTSPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_ELEMENTSPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

// Units are groups of elements of a line of the innermost loop (ElementGroups).
class ElementsPlan final : public FormPlan {
public:
  // Null where the kernel has reductions, or is neither of loops nor a transpose.
  static DevicePlanPtr make(ir::KernelOp kernel);

  ElementsPlan(ir::KernelOp kernel, LoopNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  ir::DimExpr lines() const { return nest.outerRows(); }
  ir::DimExpr lineElements() const;
  // Of a line.
  ir::DimExpr groups() const;

  LoopNest nest;
  unsigned elements = 1; // of a group
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_ELEMENTSPLAN_H

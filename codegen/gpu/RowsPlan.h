// Reductions of rows on a device: the threads of a warp share a row.
#ifndef KERATIN_CODEGEN_GPU_ROWSPLAN_H
#define KERATIN_CODEGEN_GPU_ROWSPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

// A unit is a row: an index of the loops that are kept. Its threads walk the innermost loop, which
// is reduced, side by side, and their results meet by shuffles, in the same order whatever the
// device. Reductions that need the results of others come in later passes over the row, and so does
// what is made of both: a softmax is one kernel.
class RowsPlan final : public FormPlan {
public:
  // Null where the kernel reduces no innermost loop. So many threads of the machine can exchange
  // values: a power of two, 1 of a machine whose threads cannot.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  RowsPlan(ir::KernelOp kernel, LoopNest nest, unsigned warpThreads);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  LoopNest nest;
  // Sums of one thread are long enough to be added with their rounding errors.
  bool isCompensated = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ROWSPLAN_H

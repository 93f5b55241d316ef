// arg_max and arg_min on a device.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_ARGREDUCTIONPLAN_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_ARGREDUCTIONPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/threads/ThreadSharing.h"
#include "codegen/lowering/ArgReductionNest.h"

namespace keratin::codegen {

// Lines are shared as reductions share theirs (ReductionPlan): along lines where the axis is
// innermost, else neighbouring threads have neighbouring lines. Each thread keeps the best of its
// elements with its place, and the threads, then the units, meet; of equals the first counts,
// whoever has it.
class ArgReductionPlan final : public FormPlan {
public:
  // Null of other kernels. So many threads of the machine can exchange values.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  ArgReductionPlan(ir::KernelOp kernel, mlir::Operation *op, unsigned warpThreads);

  void printNest(llvm::raw_ostream &out) const override { nest.lines.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Bytes of an element, and of its place, where threads meet (Slot).
  llvm::SmallVector<int64_t> slotBytes() const;

  ArgReductionNest nest;
  ThreadSharing threads;
  unsigned inFlight = 1; // elements that a thread has read before it looks at the first
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_ARGREDUCTIONPLAN_H

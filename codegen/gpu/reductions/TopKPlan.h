// top_k on a device.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_TOPKPLAN_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_TOPKPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/TopKNest.h"

namespace keratin::codegen {

// Threads share a line, of which each element is read once. Which are the k best, and their order,
// follows from the elements alone (RankedElements), however threads sort them:
//  - a short line: a thread has an element, and part of a warp sorts by shuffles;
//  - a line of which much is taken: all of it lies in shared memory and is sorted there;
//  - others: the best so far lie in shared memory, in order. Elements that precede the last of them
//    are kept beside them, and once they are many, sorted and merged with them.
class TopKPlan final : public FormPlan {
public:
  // Null of other kernels, where k is not known, and where more are taken than shared memory holds.
  // So many threads of the machine can exchange values.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  TopKPlan(ir::KernelOp kernel, mlir::Operation *op, unsigned warpThreads);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  bool isOfWarp() const { return slots == 0; }
  bool isWhole() const { return best == 0; }

  // Elements that a thread has read before it looks at the first.
  static constexpr unsigned inFlight = 4;

  TopKNest nest;
  // Powers of two, of entries in shared memory: those that wait or all; the best so far.
  int64_t slots = 0, best = 0;
  // So many that wait are merged with the best.
  int64_t mostWaiting = 0;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_TOPKPLAN_H

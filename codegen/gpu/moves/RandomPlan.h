// Random bits on a device, with the elementwise chain that reads them: a thread makes a few
// neighbouring Philox blocks, and what follows from each of their words.
#ifndef KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/LoopNest.h"
#include "codegen/lowering/RandomNest.h"

namespace keratin::codegen {

// The four words of a block are a group's width apart (RandomNest), and neighbouring blocks have
// neighbouring words. So a unit is four groups of neighbouring elements, each of which is accessed
// at once: every block is made once, and every word of it is used where it was made.
class RandomPlan final : public FormPlan {
public:
  // Null where the kernel makes no random bits, or reads them elsewhere than where its loops stand.
  static DevicePlanPtr make(ir::KernelOp kernel);

  RandomPlan(ir::KernelOp kernel, LoopNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  LoopNest nest;
  llvm::SmallVector<ir::RandomBitsOp> ops; // of which a thread makes blocks
  unsigned blocks = 1;                     // of a unit, and so elements of a group
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H

// Random bits on a device: four neighbouring Philox blocks a thread.
#ifndef KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/RandomNest.h"

namespace keratin::codegen {

// Neighbouring blocks have neighbouring words: a thread writes each of the four words of its blocks
// as one access of sixteen bytes.
class RandomPlan final : public FormPlan {
public:
  static constexpr int64_t blocks = 4; // of a unit
  static constexpr int64_t unitsOfGroup = RandomNest::groupBlocks / blocks;

  // Null where the kernel makes no random bits.
  static DevicePlanPtr make(ir::KernelOp kernel);

  RandomPlan(ir::KernelOp kernel, ir::RandomBitsOp op);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  RandomNest nest;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_RANDOMPLAN_H

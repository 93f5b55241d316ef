// Attention on a device: a block of threads makes some rows of the result, and holds scores in
// registers.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONTILESPLAN_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONTILESPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/contractions/ContractionTile.h"
#include "codegen/gpu/moves/SharedRandomBits.h"
#include "codegen/lowering/AttentionNest.h"

namespace keratin::codegen {

// Units are blocks of queries of an entry of the batch, which walk over all keys. Each warp has
// rows of its own, which no other warp needs to know of. (Dao, "FlashAttention-2: faster attention
// with better parallelism and work partitioning", 2023.)
class AttentionTilesPlan final : public FormPlan {
public:
  // What of attention it makes.
  static ir::AttentionKinds kinds(const DeviceTraits &device);
  // How many elements rows of this width have in shared memory.
  static int64_t tileOf(int64_t width);
  // Null where the kernel is something else.
  static DevicePlanPtr make(ir::KernelOp kernel, const DeviceTraits &device);

  AttentionTilesPlan(ir::KernelOp kernel, AttentionNest nest, const DeviceTraits &device);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  ir::DimExpr rowTiles() const;

  AttentionNest nest;
  // Of queries by keys, and of queries by the width of values. Their depth is all of a query, and a
  // block of keys.
  ContractionTile scores, mix;
  SharedRandomBits randomBits;
  // Queries lie before the stages; of a stage keys before values.
  int64_t queryBytes() const { return scores.rows() * scores.depth * scores.elementBytes(); }
  int64_t keyBytes() const { return scores.columns() * scores.depth * scores.elementBytes(); }
  int64_t stageBytes() const { return keyBytes() + mix.columns() * mix.depth * mix.elementBytes(); }
  static constexpr int64_t stages = 2;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONTILESPLAN_H

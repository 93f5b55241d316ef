// Products of a matrix and a few vectors on a device: what counts is that the matrix is read once,
// and by many.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHINPLAN_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHINPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/ContractionNest.h"

namespace keratin::codegen {

// Of the two operands one, the vectors, has few lines (rows of A or columns of B), the other is the
// matrix. Where the depths of a line of it are next to each other, a warp has a line and meets by
// shuffles. Where lines are, a block has as many as a warp has threads; its warps share the depth
// and meet in shared memory, and so do blocks where they are few.
class ContractionThinPlan final : public FormPlan {
public:
  // Null where the kernel is no such product, or is better made of tiles.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  ContractionThinPlan(ir::KernelOp kernel, ContractionNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of a block that shares the depth; lines, and the depths that a thread reads at a time.
  static constexpr int64_t warps = 8, blockLines = 32, depthsAtOnce = 4;

  ContractionNest nest;
  bool isMatrixA = true;    // else B
  bool isAlongDepth = true; // neighbours of the matrix are depths
  int64_t vectors = 1;
  int64_t mostParts = 1; // blocks that share the depth of the same lines, and meet
  ir::DimExpr depthParts() const;
  const ir::DimExpr &lines() const { return isMatrixA ? nest.shape.m : nest.shape.n; }
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHINPLAN_H

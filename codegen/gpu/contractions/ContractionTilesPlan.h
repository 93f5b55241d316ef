// Contractions on a device: a block of threads makes a tile of the result.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILESPLAN_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILESPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/contractions/ContractionTile.h"
#include "codegen/gpu/moves/SharedRandomBits.h"
#include "codegen/lowering/ContractionNest.h"

namespace keratin::codegen {

// Units are tiles of the result: of a matrix of the batch those below each
// other, then the next column of tiles; or parts of tiles. What follows
// elementwise is done as the sums leave the block.
class ContractionTilesPlan final : public FormPlan {
public:
  // Null where the kernel is no contraction, or the machine's threads cannot
  // wait for each other.
  static DevicePlanPtr make(ir::KernelOp kernel, const DeviceTraits &device);

  ContractionTilesPlan(ir::KernelOp kernel, ContractionNest nest, const DeviceTraits &device);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  ir::DimExpr rowTiles() const;
  ir::DimExpr columnTiles() const;
  // The blocks of a tile. Each makes the sums over a part of the depth, a
  // multiple of the tile's; the last to come adds them, in order.
  bool hasParts() const { return mostParts > 1; }
  ir::DimExpr depthParts() const;

  ContractionNest nest;
  ContractionTile tile;
  SharedRandomBits randomBits;
  int64_t mostParts = 1;
  // Of a band; 0: all are one.
  int64_t bandTiles = 0;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILESPLAN_H

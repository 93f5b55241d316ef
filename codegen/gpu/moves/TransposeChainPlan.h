// Elementwise chains around transposes on a device: what is turned goes through the memory of a
// block.
#ifndef KERATIN_CODEGEN_GPU_MOVES_TRANSPOSECHAINPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_TRANSPOSECHAINPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/LoopNest.h"
#include "codegen/lowering/TransposeRuns.h"

namespace keratin::codegen {

// A unit is a square tile of what is innermost in the result and of what is innermost in what is
// transposed. Its threads compute the operands of the transposes along rows of these, leave them in
// the tile, and go on with the elements under each other along rows of the result.
class TransposeChainPlan final : public FormPlan {
public:
  // Null where the kernel is no chain with transposes whose elements are used where they come to
  // lie, or a tile would be half empty.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  TransposeChainPlan(ir::KernelOp kernel, LoopNest nest, llvm::SmallVector<mlir::Value> turned,
                     TransposeRuns runs);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  static constexpr int64_t tile = 32; // places, and columns, of one
  ir::DimExpr placeTiles() const { return *ceildiv(runs.places().extent, ir::DimExpr(tile)); }
  ir::DimExpr columnTiles() const { return *ceildiv(runs.columns().extent, ir::DimExpr(tile)); }

  LoopNest nest;
  llvm::SmallVector<mlir::Value> turned;           // results of transposes that turn the same loops
  TransposeRuns runs;                              // a run is a loop of the nest
  llvm::SmallVector<int64_t> elementBytes, starts; // of each in the block's memory, and where it is

  // Bytes from a row of a tile to the next: elements under each other are in different banks.
  int64_t pitch(size_t number) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_TRANSPOSECHAINPLAN_H

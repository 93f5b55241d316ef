// Rows added to rows on a device: a warp has a few rows of the result, and looks for what is added
// to them.
#ifndef KERATIN_CODEGEN_GPU_MOVES_SCATTERPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_SCATTERPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/ScatterNest.h"

namespace keratin::codegen {

// Scatters and sparse_dot. A unit is a tile of the result, whose sums are in the registers of a
// warp. It looks through all indices, a few for each thread at a time; votes say which of them are
// its rows, and what they say is added in their order. So the result is that of one thread,
// whatever the device, and nothing is zeroed or read back.
class ScatterPlan final : public FormPlan {
public:
  // Null where the kernel is neither, or the machine's threads cannot vote.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  ScatterPlan(ir::KernelOp kernel, mlir::Operation *op);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of the tile.
  int64_t tileRows() const { return int64_t(rowsTogether()) * rows; }
  int64_t tileColumns() const { return int64_t(rowThreads) * columns; }
  // Rows that the warp has side by side.
  unsigned rowsTogether() const { return unitThreads / rowThreads; }

  ScatterNest nest;
  UnitBlocks blocks;
  unsigned rowThreads = 32; // neighbours that share a row
  unsigned columns = 1;     // of a thread in a row, as far apart as threads share it
  unsigned rows = 1;        // of a thread
  // Indices of a thread that are looked at together, and rows that are read before the first of
  // them is added: both wait for memory once.
  unsigned looks = 4, reads = 4;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_SCATTERPLAN_H

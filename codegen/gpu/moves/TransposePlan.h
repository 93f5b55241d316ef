// Transposes on a device: tiles that a block turns in its memory.
#ifndef KERATIN_CODEGEN_GPU_MOVES_TRANSPOSEPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_TRANSPOSEPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/TransposeRuns.h"

namespace keratin::codegen {

// Of a block that turns a tile, each of which takes a few accesses.
constexpr unsigned transposeThreads = 256;
constexpr int64_t sharedBankBytes = 4;

// A unit is a square tile of what is innermost on both sides, at one index of the other runs. Its
// threads read rows of the operand and write rows of the result, neighbours on both sides, sixteen
// bytes a thread where rows are multiples of them. Rows of the tile are one bank apart: elements
// under each other, which become neighbours, lie in different banks.
class TransposePlan final : public FormPlan {
public:
  // Null where the kernel is no plain transpose, keeps what is innermost, or has a side that would
  // leave more than half of a tile empty.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  TransposePlan(ir::KernelOp kernel, TransposeRuns runs, unsigned elementBytes);

  void printNest(llvm::raw_ostream &out) const override;
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of a matrix.
  ir::DimExpr placeTiles() const { return *ceildiv(runs.places().extent, ir::DimExpr(tile)); }
  ir::DimExpr columnTiles() const { return *ceildiv(runs.columns().extent, ir::DimExpr(tile)); }

  TransposeRuns runs;
  unsigned elementBytes;
  int64_t tile;         // places, and columns, of one
  int64_t pitch;        // bytes from one row of the tile to the next
  int64_t wideElements; // of an access of sixteen bytes
  // Neighbouring threads that do such accesses of one row of the operand, or of the result; those
  // next to them do further rows. As many as use different banks of the tile.
  int64_t readers = 8, writers;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_TRANSPOSEPLAN_H

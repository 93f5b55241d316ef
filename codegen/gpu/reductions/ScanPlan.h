// cumsum, cumprod and linear_recurrence on a device.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_SCANPLAN_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_SCANPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/ScanNest.h"

namespace keratin::codegen {

struct ScanForm {
  enum Kind {
    Columns,  // a thread walks a line, neighbouring threads neighbouring lines
    Prefixes, // threads walk a line side by side, and put their sums together
    Tiles     // a thread walks a line, which the threads of a warp read and write together
  } kind = Columns;
  // Prefixes: that share a line, and elements of each thread at a time, a warp's width apart.
  unsigned threads = 1, atOnce = 1;
  // Prefixes of long lines of which there are few: a line is divided over so many units, each with
  // so many tiles, which is what its threads have at a time.
  ir::DimExpr parts = 1, partTiles = 1;

  int64_t tileElements() const { return int64_t{threads} * atOnce; }
  bool isDivided() const { return parts != ir::DimExpr(1); }
  // A part's elements stay in registers from one phase to the next.
  bool staysInRegisters() const { return partTiles == ir::DimExpr(1); }
};

// A unit is a line or a part of one, or of tiles as many as a warp has threads. A part sums its
// elements, leaves the sum for the parts behind it, adds up those before it in their order, and is
// walked from there (OrderedUnits). Products of floats and recurrences,
// whose states may not be put together (ScanNest), keep the order of the CPU and so its bits.
class ScanPlan final : public FormPlan {
public:
  // Null of other kernels, and where threads cannot exchange values.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  ScanPlan(ir::KernelOp kernel, mlir::Operation *op);

  void printNest(llvm::raw_ostream &out) const override { nest.lines.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of a tile's row in shared memory, in elements: one more than are used, so that a column lies in
  // different banks.
  static constexpr int64_t tileSide = 32, tilePitch = tileSide + 1;

  ScanNest nest;
  ScanForm form;
};

// Units of tiles (ScanTiles.cpp).
void emitScanTiles(DeviceKernelBuilder &k, const ScanPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_SCANPLAN_H

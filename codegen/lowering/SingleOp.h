// What kernels of ops that stand alone are about, whatever machine makes them: the op, its memory
// as lines, and units.
#ifndef KERATIN_CODEGEN_LOWERING_SINGLEOP_H
#define KERATIN_CODEGEN_LOWERING_SINGLEOP_H

#include "ir/dialect/Keratin.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

// A tensor as lines along one axis: element i of line (o, j) is at [o, i, j] of the collapsed type.
struct AxisLines {
  AxisLines(mlir::Value tensor, int64_t axis);

  // Elements before, along and behind the axis. A product too large for 64 bits is 0: another size
  // is 0 then, and there is nothing to do.
  ir::DimExpr outer, length, inner;
  mlir::RankedTensorType type;

  bool isInnermost() const { return inner == ir::DimExpr(1); }
  // "nest: lines of 16 elements, 4 x 8 of them"
  void print(llvm::raw_ostream &out) const;
};

// Units are blocks of rows x columns / blockColumns.
struct UnitBlocks {
  ir::DimExpr rows = 1, columns = 1;
  int64_t blockColumns = 1;

  ir::DimExpr blocksOfRow() const;
  ir::DimExpr units() const;
};

// The product of the sizes, 0 where it does not fit (see AxisLines).
ir::DimExpr elementsOf(const ir::Shape &shape);

// Which result of the kernel is the op's workspace (ir/interfaces/Workspace.h); nullopt if none is.
std::optional<unsigned> workspaceResult(ir::KernelOp kernel, mlir::Operation *op);

// The one op of the kernel, whose operands are the kernel's; null, with a diagnostic, if there is
// more.
mlir::Operation *onlyOp(ir::KernelOp kernel);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_SINGLEOP_H

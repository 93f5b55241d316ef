// What top_k computes: where the k largest elements of each line are, the largest first.
#ifndef KERATIN_CODEGEN_LOWERING_TOPKNEST_H
#define KERATIN_CODEGEN_LOWERING_TOPKNEST_H

#include "codegen/lowering/SingleOp.h"

namespace keratin::codegen {

// Of equals the first comes first, and a NaN before every number.
struct TopKNest {
  explicit TopKNest(mlir::Operation *op);

  void print(llvm::raw_ostream &out) const;
  // Lines, but none where nothing is to be found.
  ir::DimExpr units() const;

  mlir::Operation *op;
  AxisLines lines; // of the operand
  ir::DimExpr k;   // at most lines.length: that was required before the call
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_TOPKNEST_H

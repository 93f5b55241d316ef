// What running sums, products and extremes and recurrences compute: a state that walks along lines.
#ifndef KERATIN_CODEGEN_LOWERING_SCANNEST_H
#define KERATIN_CODEGEN_LOWERING_SCANNEST_H

#include "codegen/lowering/SingleOp.h"
#include "ir/interfaces/ScalarBuilder.h"

namespace keratin::codegen {

struct ScanNest {
  explicit ScanNest(mlir::Operation *op);

  mlir::Operation *op;
  bool exclusive, reverse; // the state before an element is handed on; walked from the end
  // In machine arithmetic, or near enough, so that states of parts may be put together. Not so
  // products of floats: one of a part may overflow where the running one is zero.
  bool isAssociative;
  // Elements of the result; those of the operands lie at the same places.
  AxisLines lines;

  mlir::Value buildInitial(ir::ScalarBuilder &builder) const;
  // The state after the elements of the operands at one place.
  mlir::Value buildStep(ir::ScalarBuilder &builder, mlir::Value state,
                        llvm::ArrayRef<mlir::Value> elements) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_SCANNEST_H

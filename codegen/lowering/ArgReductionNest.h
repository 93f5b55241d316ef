// What arg_max and arg_min compute: where the best element of each line is.
#ifndef KERATIN_CODEGEN_LOWERING_ARGREDUCTIONNEST_H
#define KERATIN_CODEGEN_LOWERING_ARGREDUCTIONNEST_H

#include "codegen/lowering/SingleOp.h"

namespace keratin::codegen {

// The first of equals counts, and a NaN beats every number. Lines are never empty: that was
// required before the call.
struct ArgReductionNest {
  explicit ArgReductionNest(mlir::Operation *op);

  mlir::Operation *op;
  AxisLines lines; // of the operand
  bool largest;
  // Of places in a line while it is walked: narrow ones make less work where they are known to do.
  unsigned indexBits = 64;

  // The result, with the axis away.
  mlir::RankedTensorType resultType() const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ARGREDUCTIONNEST_H

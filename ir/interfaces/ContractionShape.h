// A dot_general as a batched matrix product over memory.
#ifndef KERATIN_IR_INTERFACES_CONTRACTIONSHAPE_H
#define KERATIN_IR_INTERFACES_CONTRACTIONSHAPE_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// C[batch, m, n] = sum over k of A[batch, m, k] * B[batch, k, n], each of the four a run of
// neighbouring dimensions that has one stride in the row-major operands. Strides are in elements;
// that of a run without dimensions is 0.
struct ContractionShape {
  DimExpr batch = 1, m = 1, n = 1, k = 1;
  struct Strides {
    DimExpr batch = 0, row = 0, column = 0;
  };
  Strides a; // rows m, columns k
  Strides b; // rows k, columns n
  // Dimensions of the result that each run covers: batch, then m, then n.
  unsigned batchDims = 0, mDims = 0, nDims = 0;
};

// nullopt if some run has no single stride: then a transpose must come first.
std::optional<ContractionShape> getContractionShape(DotGeneralOp op);

// A cast of integers of 8 or 16 bits to int32 that a dot_general or convolution reads: a kernel
// with that holds it, and reads the integers where they are.
bool isWidening(mlir::Operation *op);
// What is in memory of an operand of one: that of such a cast, or itself.
mlir::Value inMemory(mlir::Value factor);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_CONTRACTIONSHAPE_H

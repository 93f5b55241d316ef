// Verifier and gradient of products with sparse matrices.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult SparseDotOp::verify() { return success(); }

LogicalResult SparseDotOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}

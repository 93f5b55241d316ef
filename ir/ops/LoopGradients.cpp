// Gradients of loops and branches, which are loops and branches again.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ScanOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}
LogicalResult IfOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}

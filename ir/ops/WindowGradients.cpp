// Gradients of the ops over windows, which are ops over windows again.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ConvolutionOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}
LogicalResult WindowSumOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}
LogicalResult WindowMaxOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}
LogicalResult WindowPickOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}
LogicalResult WindowScatterOp::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {
  return emitGraphError(*this) << "not implemented: the gradient of " << getOperationName();
}

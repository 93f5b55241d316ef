// Windows, one element after the other.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ConvolutionOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                      MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}
LogicalResult WindowSumOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                    MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}
LogicalResult WindowMaxOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                    MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}
LogicalResult WindowPickOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                     MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}
LogicalResult WindowScatterOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                        MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}

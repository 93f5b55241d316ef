// Products with sparse matrices, one stored element after the other.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult SparseDotOp::evaluate(EvaluationContext &context, ArrayRef<const HostTensor *>,
                                    MutableArrayRef<HostTensor>) {
  context.error = "not implemented: " + getOperationName().str();
  return failure();
}

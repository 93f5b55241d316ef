// Verifiers of the ops over windows.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult WindowSumOp::verify() { return success(); }
LogicalResult WindowMaxOp::verify() { return success(); }
LogicalResult WindowPickOp::verify() { return success(); }
LogicalResult WindowScatterOp::verify() { return success(); }

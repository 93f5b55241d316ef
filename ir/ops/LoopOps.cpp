// Verifiers of loops and branches.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ScanOp::verify() { return success(); }
LogicalResult IfOp::verify() { return success(); }

// Verifiers of searches for label sequences.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult CtcBeamSearchOp::verify() { return success(); }

#include "ir/builder/MissingGradients.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult keratin::ir::refuseMissingGradients(Operation *op,
                                                  llvm::function_ref<bool(unsigned)> isWanted) {
  if (isa<GammaSampleGradientOp>(op) && isWanted(0))
    return emitGraphError(op) << "gradient: not implemented: a second derivative of igamma, "
                                 "igammac or random_gamma by the shape";
  if (isa<BetaSampleGradientOp>(op) && (isWanted(0) || isWanted(1)))
    return emitGraphError(op)
           << "gradient: not implemented: a second derivative of betainc by a or b";
  return success();
}

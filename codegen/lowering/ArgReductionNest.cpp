#include "codegen/lowering/ArgReductionNest.h"

#include <limits>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static int64_t axisOf(Operation *op) {
  if (auto max = dyn_cast<ir::ArgMaxOp>(op))
    return max.getAxis();
  return cast<ir::ArgMinOp>(op).getAxis();
}

ArgReductionNest::ArgReductionNest(Operation *op)
    : op(op), lines(op->getOperand(0), axisOf(op)), largest(isa<ir::ArgMaxOp>(op)) {
  if (lines.length.isConstant() &&
      lines.length.constantValue() <= std::numeric_limits<int32_t>::max())
    indexBits = 32;
}

RankedTensorType ArgReductionNest::resultType() const {
  return ir::getTensorType({lines.outer, lines.inner},
                           IntegerType::get(lines.type.getContext(), 64));
}

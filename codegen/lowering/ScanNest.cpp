#include "codegen/lowering/ScanNest.h"

#include "ir/interfaces/Extremes.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static int64_t axisOf(Operation *op) { return op->getAttrOfType<IntegerAttr>("axis").getInt(); }

ScanNest::ScanNest(Operation *op)
    : op(op), exclusive(op->hasAttr("exclusive")), reverse(op->hasAttr("reverse")),
      lines(op->getResult(0), axisOf(op)) {
  isAssociative = isa<ir::CumsumOp, ir::CummaxOp, ir::CumminOp, ir::CumlogsumexpOp>(op) ||
                  (isa<ir::CumprodOp>(op) && isa<IntegerType>(lines.type.getElementType()));
}

Value ScanNest::buildInitial(ir::ScalarBuilder &builder) const {
  Type type = lines.type.getElementType();
  if (isa<ir::CummaxOp, ir::CumlogsumexpOp>(op))
    return ir::buildSmallest(builder, type);
  if (isa<ir::CumminOp>(op))
    return ir::buildLargest(builder, type);
  int64_t initial = isa<ir::CumprodOp>(op) ? 1 : 0;
  builder.setElementType(type);
  return isa<FloatType>(type) ? builder.constant(initial) : builder.integerConstant(initial);
}

// log(exp(a) + exp(b)), of the larger one and the distance to the other.
static Value logOfSum(ir::ScalarBuilder &builder, Value a, Value b) {
  // The difference of equal infinities is no number.
  Value distance = builder.select(builder.compare(ir::Comparison::EQ, a, b), builder.constant(0),
                                  builder.abs(builder.sub(a, b)));
  return builder.add(builder.maximum(b, a), builder.softplus(builder.neg(distance)));
}

Value ScanNest::buildStep(ir::ScalarBuilder &builder, Value state, ArrayRef<Value> elements) const {
  builder.setElementType(lines.type.getElementType());
  if (isa<ir::CumsumOp>(op))
    return builder.add(state, elements[0]);
  if (isa<ir::CumprodOp>(op))
    return builder.mul(state, elements[0]);
  if (isa<ir::CummaxOp>(op))
    return builder.maximum(elements[0], state);
  if (isa<ir::CumminOp>(op))
    return builder.minimum(elements[0], state);
  if (isa<ir::CumlogsumexpOp>(op))
    return logOfSum(builder, state, elements[0]);
  return builder.multiplyAdd(elements[0], state, elements[1]);
}

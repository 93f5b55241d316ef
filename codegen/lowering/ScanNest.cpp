#include "codegen/lowering/ScanNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static int64_t axisOf(Operation *op) {
  if (auto sum = dyn_cast<ir::CumsumOp>(op))
    return sum.getAxis();
  if (auto product = dyn_cast<ir::CumprodOp>(op))
    return product.getAxis();
  return cast<ir::LinearRecurrenceOp>(op).getAxis();
}

ScanNest::ScanNest(Operation *op) : op(op), lines(op->getResult(0), axisOf(op)) {
  if (auto sum = dyn_cast<ir::CumsumOp>(op)) {
    exclusive = sum.getExclusive();
    reverse = sum.getReverse();
    initial = 0;
    isAssociative = true;
  } else if (auto product = dyn_cast<ir::CumprodOp>(op)) {
    exclusive = product.getExclusive();
    reverse = product.getReverse();
    initial = 1;
    isAssociative = isa<IntegerType>(lines.type.getElementType());
  } else {
    exclusive = false;
    reverse = cast<ir::LinearRecurrenceOp>(op).getReverse();
    initial = 0;
    isAssociative = false;
  }
}

Value ScanNest::buildInitial(ir::ScalarBuilder &builder) const {
  Type type = lines.type.getElementType();
  builder.setElementType(type);
  return isa<FloatType>(type) ? builder.constant(initial) : builder.integerConstant(initial);
}

Value ScanNest::buildStep(ir::ScalarBuilder &builder, Value state, ArrayRef<Value> elements) const {
  builder.setElementType(lines.type.getElementType());
  if (isa<ir::CumsumOp>(op))
    return builder.add(state, elements[0]);
  if (isa<ir::CumprodOp>(op))
    return builder.mul(state, elements[0]);
  return builder.multiplyAdd(elements[0], state, elements[1]);
}

#include "codegen/elements/Choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace keratin::codegen;
using namespace mlir;

Value keratin::codegen::beats(OpBuilder &b, Location loc, Type type, Value element, Value best,
                              bool largest) {
  if (isa<FloatType>(type)) {
    auto predicate = largest ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    Value wins = b.create<arith::CmpFOp>(loc, predicate, element, best);
    Value beatable = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, best, best);
    return b.create<arith::AndIOp>(loc, wins, beatable);
  }
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  auto predicate = largest ? (isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                           : (isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
  return b.create<arith::CmpIOp>(loc, predicate, element, best);
}

Value keratin::codegen::least(ir::ScalarBuilder &builder, Type type) {
  builder.setElementType(type);
  if (isa<FloatType>(type))
    return builder.constant(-std::numeric_limits<double>::infinity());
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return builder.integerConstant(isUnsigned ? 0 : APInt::getSignedMinValue(width).getSExtValue());
}

Value BestOf::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(loc, condition, x, y);
}

Best BestOf::keep(Best best, Best element, Value mask) {
  Value better = beats(element.value, best.value);
  if (mask)
    better = b.create<arith::AndIOp>(loc, better, mask);
  return {select(better, element.value, best.value), select(better, element.index, best.index)};
}

Best BestOf::merge(Best x, Best y) {
  Value yWins = beats(y.value, x.value), xWins = beats(x.value, y.value);
  Value yFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, y.index, x.index);
  // Among equals the smaller index counts: y's if it is smaller and x does not win.
  Value takeY = select(xWins, yWins, b.create<arith::OrIOp>(loc, yWins, yFirst));
  return {select(takeY, y.value, x.value), select(takeY, y.index, x.index)};
}

// Shapes and bodies of reductions and scans.
#include "ir/dialect/Keratin.h"
#include "ir/interfaces/Extremes.h"

#include "llvm/ADT/SmallBitVector.h"

#include <limits>

using namespace keratin::ir;
using namespace mlir;

LogicalResult keratin::ir::inferReduction(StringRef name, std::optional<Location> location,
                                          Value operand, ArrayRef<int64_t> axes,
                                          SmallVectorImpl<Type> &inferred) {
  Shape shape = getShape(operand), kept;
  llvm::SmallBitVector reduced(shape.size());
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous || axis >= int64_t(shape.size()))
      return emitOptionalError(location, name, ": axes must ascend inside the rank ", shape.size(),
                               ", found ", axis);
    previous = axis;
    reduced.set(axis);
  }
  for (size_t i = 0; i < shape.size(); ++i)
    if (!reduced.test(i))
      kept.push_back(shape[i]);
  inferred.push_back(getTensorType(kept, getElementType(operand)));
  return success();
}

Value ReduceSumOp::buildIdentity(ScalarBuilder &s) {
  // -0 is what changes nothing: -0 + -0 is -0. But an empty sum is +0, and no user tells the
  // difference otherwise.
  s.setElementType(getElementType(getX()));
  return isa<FloatType>(getElementType(getX())) ? s.constant(0.0) : s.integerConstant(0);
}
Value ReduceSumOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  return s.add(accumulator, element);
}

Value ReduceProdOp::buildIdentity(ScalarBuilder &s) {
  s.setElementType(getElementType(getX()));
  return isa<FloatType>(getElementType(getX())) ? s.constant(1.0) : s.integerConstant(1);
}
Value ReduceProdOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  return s.mul(accumulator, element);
}

// Of an integer type, as its bits.
static int64_t extreme(Type type, bool largest) {
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  if (integer.isUnsigned())
    return largest ? int64_t(width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1) : 0;
  return largest ? APInt::getSignedMaxValue(width).getSExtValue()
                 : APInt::getSignedMinValue(width).getSExtValue();
}

Value keratin::ir::buildLargest(ScalarBuilder &s, Type type) {
  s.setElementType(type);
  return isa<FloatType>(type) ? s.constant(std::numeric_limits<double>::infinity())
                              : s.integerConstant(extreme(type, true));
}

Value keratin::ir::buildSmallest(ScalarBuilder &s, Type type) {
  s.setElementType(type);
  return isa<FloatType>(type) ? s.constant(-std::numeric_limits<double>::infinity())
                              : s.integerConstant(extreme(type, false));
}

Value ReduceMaxOp::buildIdentity(ScalarBuilder &s) {
  return buildSmallest(s, getElementType(getX()));
}
Value ReduceMaxOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  // In this order what an accumulator waits for is one instruction: a NaN of the element is looked
  // for beside it.
  return s.maximum(element, accumulator);
}

Value ReduceMinOp::buildIdentity(ScalarBuilder &s) {
  return buildLargest(s, getElementType(getX()));
}
Value ReduceMinOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  return s.minimum(element, accumulator);
}

Value ReduceAnyOp::buildIdentity(ScalarBuilder &s) {
  s.setElementType(getElementType(getX()));
  return s.integerConstant(0);
}
Value ReduceAnyOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  return s.or_(accumulator, element);
}

Value ReduceAllOp::buildIdentity(ScalarBuilder &s) {
  s.setElementType(getElementType(getX()));
  return s.integerConstant(1);
}
Value ReduceAllOp::buildCombine(ScalarBuilder &s, Value accumulator, Value element) {
  s.setElementType(getElementType(getX()));
  return s.and_(accumulator, element);
}

//===-- argmax, argmin ------------------------------------------------------------------------===//

static LogicalResult inferArgReduction(StringRef name, std::optional<Location> location, Value x,
                                       int64_t axis, SmallVectorImpl<Type> &inferred) {
  Shape shape = getShape(x);
  if (axis < 0 || axis >= int64_t(shape.size()))
    return emitOptionalError(location, name, ": axis ", axis, " is outside the rank ",
                             shape.size());
  if (shape[axis] == DimExpr(0))
    return emitOptionalError(location, name, ": the axis is empty");
  shape.erase(shape.begin() + axis);
  inferred.push_back(getTensorType(shape, IntegerType::get(x.getContext(), 64)));
  return success();
}

LogicalResult ArgMaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  return inferArgReduction("arg_max", location, adaptor.getX(), adaptor.getAxis(), inferred);
}

LogicalResult ArgMinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  return inferArgReduction("arg_min", location, adaptor.getX(), adaptor.getAxis(), inferred);
}

//===-- top_k ---------------------------------------------------------------------------------===//

LogicalResult TopKOp::verify() {
  Shape from = getShape(getX()), to = getShape(getY());
  if (from.empty() || to.size() != from.size() ||
      !std::equal(from.begin(), from.end() - 1, to.begin()))
    return emitOpError("the result has shape ")
           << toString(to) << "; it must be " << toString(from) << " but for the last size";
  if (from.back().isConstant() && to.back().isConstant() &&
      to.back().constantValue() > from.back().constantValue())
    return emitOpError("takes the ") << to.back().str() << " largest of " << from.back().str();
  return success();
}

//===-- Scans ---------------------------------------------------------------------------------===//

static LogicalResult verifyAxis(Operation *op, Value x, int64_t axis) {
  if (axis < 0 || axis >= getTensorType(x).getRank())
    return op->emitOpError("axis ") << axis << " is outside the rank of " << x.getType();
  return success();
}

LogicalResult CumsumOp::verify() { return verifyAxis(*this, getX(), getAxis()); }
LogicalResult CumprodOp::verify() { return verifyAxis(*this, getX(), getAxis()); }
LogicalResult CummaxOp::verify() { return verifyAxis(*this, getX(), getAxis()); }
LogicalResult CumminOp::verify() { return verifyAxis(*this, getX(), getAxis()); }
LogicalResult CumlogsumexpOp::verify() { return verifyAxis(*this, getX(), getAxis()); }
LogicalResult LinearRecurrenceOp::verify() { return verifyAxis(*this, getA(), getAxis()); }

// Shapes, verifiers and folders of the elementwise ops; gradients that are not data.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"

#include "mlir/IR/Matchers.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult keratin::ir::inferElementwise(StringRef name, std::optional<Location> location,
                                            ValueRange operands, bool resultIsBool,
                                            SmallVectorImpl<Type> &inferred) {
  auto first = dyn_cast<RankedTensorType>(operands.front().getType());
  auto last = dyn_cast<RankedTensorType>(operands.back().getType());
  if (!first || !last)
    return emitOptionalError(location, name, ": operands must be ranked tensors");
  for (Value operand : operands.drop_front()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getShape() != first.getShape() || type.getEncoding() != first.getEncoding())
      return emitOptionalError(location, name, ": operands have types ", first, " and ",
                               operand.getType(), "; their shapes must be equal");
  }
  if (operands.size() == 3 && operands[1].getType() != operands[2].getType())
    return emitOptionalError(location, name, ": the choices have types ", operands[1].getType(),
                             " and ", operands[2].getType(), "; they must be equal");
  inferred.push_back(resultIsBool ? withElementType(last, IntegerType::get(last.getContext(), 1))
                                  : last);
  return success();
}

Value CompareOp::buildScalar(ScalarBuilder &s, ValueRange operands) {
  s.setElementType(getElementType(getA()));
  return s.compare(getDirection(), operands[0], operands[1]);
}

Value CastOp::buildScalar(ScalarBuilder &s, ValueRange operands) {
  s.setElementType(getElementType(getX()));
  return s.cast(operands[0], getElementType(getY()));
}

LogicalResult CastOp::verify() {
  auto x = getTensorType(getX()), y = getTensorType(getY());
  if (x.getShape() != y.getShape() || x.getEncoding() != y.getEncoding())
    return emitOpError("operand and result must have the same shape, found ") << x << " and " << y;
  return success();
}

LogicalResult CastOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value> &gradients) {
  GraphMath g(builder, gradientLocation(*this));
  gradients.assign(1, cotangents[0] ? g.cast(cotangents[0], getElementType(getX())) : Value());
  return success();
}

// The quotient y / x is 1/2 at 0.
LogicalResult BesselI1eOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value x = getX(), y = getY();
  Value isZero = g.equal(x, g.zeroLike(x));
  Value quotient =
      g.select(isZero, g.constantLike(0.5, x), g.div(y, g.select(isZero, g.oneLike(x), x)));
  Value derivative = g.sub(g.besselI0e(x), g.add(g.mul(g.sign(x), y), quotient));
  gradients[0] = g.mul(cotangents[0], derivative);
  return success();
}

//===-- Folders -------------------------------------------------------------------------------===//
//
// Only what holds for every input, NaN and signed zero included, and what needs no arithmetic:
// constants are folded by the interpreter, in a pass with a size limit.

// Whether the value is this number everywhere: a constant splat, or a broadcast of one.
static bool isSplat(Value value, double number) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!elements)
    return false;
  if (auto floating = dyn_cast<FloatType>(elements.getElementType())) {
    APFloat splat = elements.getSplatValue<APFloat>();
    APFloat wanted(number);
    bool lossy;
    wanted.convert(splat.getSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    // Adding -0 changes nothing; adding +0 turns -0 into +0.
    return splat.bitwiseIsEqual(wanted);
  }
  return elements.getSplatValue<APInt>() ==
         APInt(elements.getElementType().getIntOrFloatBitWidth(), int64_t(number), true);
}

static bool isFloat(Value value) { return isa<FloatType>(getElementType(value)); }

OpFoldResult NegOp::fold(FoldAdaptor) {
  if (auto inner = getX().getDefiningOp<NegOp>())
    return inner.getX();
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor) {
  double zero = isFloat(getA()) ? -0.0 : 0.0;
  if (isSplat(getB(), zero))
    return getA();
  if (isSplat(getA(), zero))
    return getB();
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor) {
  if (isSplat(getB(), 0.0))
    return getA();
  return {};
}

OpFoldResult MulOp::fold(FoldAdaptor) {
  if (isSplat(getB(), 1.0))
    return getA();
  if (isSplat(getA(), 1.0))
    return getB();
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor) {
  if (isSplat(getB(), 1.0))
    return getA();
  return {};
}

OpFoldResult MaximumOp::fold(FoldAdaptor) { return getA() == getB() ? getA() : OpFoldResult(); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return getA() == getB() ? getA() : OpFoldResult(); }
OpFoldResult AndOp::fold(FoldAdaptor) { return getA() == getB() ? getA() : OpFoldResult(); }
OpFoldResult OrOp::fold(FoldAdaptor) { return getA() == getB() ? getA() : OpFoldResult(); }

OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (getA() == getB() || isSplat(getCondition(), 1.0))
    return getA();
  if (isSplat(getCondition(), 0.0))
    return getB();
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

OpFoldResult IdentityOp::fold(FoldAdaptor) { return getX(); }

// Constants, iota and the sizes of dimensions.
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ConstantOp::verify() {
  if (!isa<DenseIntOrFPElementsAttr>(getValue()))
    return emitOpError("value must be dense<...>");
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  int64_t axis = getAxis();
  if (axis < 0 || axis >= getTensorType(getY()).getRank())
    return emitOpError("axis ") << axis << " is outside the rank of " << getType();
  return success();
}

Value IotaOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  builder.setElementType(getElementType(getY()));
  return builder.fromIndex(index[getAxis()]);
}

bool IotaOp::canCollapse(unsigned dim) { return dim != getAxis() && dim + 1 != getAxis(); }

LogicalResult DimOp::verify() {
  int64_t axis = getAxis();
  if (axis < 0 || axis >= getTensorType(getX()).getRank())
    return emitOpError("axis ") << axis << " is outside the rank of " << getX().getType();
  if (getTensorType(getY()).getRank() != 0)
    return emitOpError("result must be a scalar, found ") << getType();
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  DimExpr dim = getShape(getX())[getAxis()];
  if (!dim.isConstant())
    return {};
  auto type = getTensorType(getY());
  int64_t size = dim.constantValue();
  Type element = type.getElementType();
  if (auto floating = dyn_cast<FloatType>(element)) {
    APFloat value = APFloat(double(size)); // exact below 2^53
    bool lossy;
    value.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    return DenseElementsAttr::get(type, value);
  }
  return DenseElementsAttr::get(type,
                                APInt(element.getIntOrFloatBitWidth(), size, /*isSigned=*/true));
}

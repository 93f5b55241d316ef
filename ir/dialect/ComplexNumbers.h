// Types of complex numbers, and of pairs of their parts.
#ifndef KERATIN_IR_DIALECT_COMPLEXNUMBERS_H
#define KERATIN_IR_DIALECT_COMPLEXNUMBERS_H

#include "ir/dialect/TensorShape.h"

namespace keratin::ir {

// Null: the elements are no complex numbers, or it is no tensor.
inline mlir::ComplexType complexElementsOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? mlir::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : mlir::ComplexType();
}

inline bool hasComplexElements(mlir::Type type) { return bool(complexElementsOf(type)); }

// The shape of both parts of x, which is complex or one of the parts, in a last dimension.
inline Shape pairShape(mlir::Value x) {
  Shape shape = getShape(x);
  shape.push_back(DimExpr(2));
  return shape;
}

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_COMPLEXNUMBERS_H

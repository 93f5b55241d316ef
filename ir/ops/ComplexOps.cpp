// Verifiers of the ops that make and part complex numbers.
#include "ir/dialect/ComplexNumbers.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

// Whether the complex tensor has elements of two of the real one's, and this shape.
static LogicalResult verifyParts(Operation *op, Value complex, Value part, const Shape &shape) {
  if (cast<ComplexType>(getElementType(complex)).getElementType() != getElementType(part))
    return op->emitOpError("needs parts of complex numbers of ")
           << cast<ComplexType>(getElementType(complex)).getElementType() << ", found "
           << getElementType(part);
  if (getShape(part) != shape)
    return op->emitOpError("needs parts of shape ")
           << toString(shape) << ", found " << toString(getShape(part));
  return success();
}

LogicalResult ComplexOp::verify() {
  if (getRe().getType() != getIm().getType())
    return emitOpError("needs parts of one type, found ")
           << getRe().getType() << " and " << getIm().getType();
  return verifyParts(*this, getY(), getRe(), getShape(getY()));
}

LogicalResult RealOp::verify() { return verifyParts(*this, getX(), getY(), getShape(getX())); }
LogicalResult ImagOp::verify() { return verifyParts(*this, getX(), getY(), getShape(getX())); }

LogicalResult AsPartsOp::verify() { return verifyParts(*this, getX(), getY(), pairShape(getX())); }
LogicalResult FromPartsOp::verify() {
  return verifyParts(*this, getY(), getX(), pairShape(getY()));
}

// Verifier and gradient of products with sparse matrices.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult SparseDotOp::verify() {
  Shape rows = getShape(getRows()), columns = getShape(getColumns()),
        values = getShape(getValues()), x = getShape(getX()), y = getShape(getY());
  if (rows.size() != 1 || columns != rows || values != rows)
    return emitOpError("rows, columns and values must be vectors of one length, found ")
           << toString(rows) << ", " << toString(columns) << " and " << toString(values);
  if (getRows().getType() != getColumns().getType())
    return emitOpError("rows and columns must have the same element type");
  if (x.size() != 2 || y.size() != 2 || x[1] != y[1])
    return emitOpError("x and the result must be matrices with as many columns, found ")
           << toString(x) << " and " << toString(y);
  if (getElementType(getValues()) != getElementType(getX()) ||
      getElementType(getX()) != getElementType(getY()))
    return emitOpError("values, x and the result must have the same element type");
  return success();
}

LogicalResult SparseDotOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(4, Value());
  Value dy = cotangents[0];
  if (!dy)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[2] = g.reduceSum(g.mul(g.gather(dy, getRows()), g.gather(getX(), getColumns())), {1});
  gradients[3] = builder.create<SparseDotOp>(gradientLocation(*this), getX().getType(),
                                             getColumns(), getRows(), getValues(), dy);
  return success();
}

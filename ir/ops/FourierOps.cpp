// Fourier transforms: verifiers and gradients.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/reference/FourierTransform.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult FftOp::verify() {
  if (getTensorType(getRe()).getRank() == 0)
    return emitOpError("needs an axis to transform along, found ") << getRe().getType();
  const DimExpr length = getShape(getRe()).back();
  if (!length.isConstant())
    return success();
  if (std::optional<std::string> needed = neededOfFourierLength(length.constantValue()))
    return emitOpError("is of ") << length.constantValue() << " elements; needed " << *needed;
  return success();
}

// The matrix of the transform is symmetric, so its adjoint has the other sign and nothing else.
LogicalResult FftOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0] && !cotangents[1])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value re = cotangents[0] ? cotangents[0] : g.zeroLike(getRe());
  Value im = cotangents[1] ? cotangents[1] : g.zeroLike(getIm());
  auto adjoint = builder.create<FftOp>(g.location(), re, im, !getInverse());
  gradients.assign({adjoint.getYRe(), adjoint.getYIm()});
  return success();
}

// Gradients of the ops that move elements: cotangents move back, and add up where an element went
// to several places.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/ops/CountingType.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  GraphMath g(builder, gradientLocation(*this));
  gradients.assign(1, cotangents[0] ? g.reshape(cotangents[0], getShape(getX())) : Value());
  return success();
}

LogicalResult BroadcastOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Shape from = getShape(getX()), to = getShape(getY());
  SmallVector<bool> kept(to.size(), false);
  for (auto [i, dim] : llvm::enumerate(getDims()))
    kept[dim] = from[i] == to[dim];
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0, e = to.size(); dim < e; ++dim)
    if (!kept[dim])
      repeated.push_back(dim);
  gradients[0] = g.reshape(g.reduceSum(cotangents[0], repeated), from);
  return success();
}

LogicalResult TransposeOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    inverse[dim] = i;
  gradients[0] = g.transpose(cotangents[0], inverse);
  return success();
}

LogicalResult SliceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<int64_t> interior;
  for (int64_t stride : getStrides())
    interior.push_back(stride - 1);
  gradients[0] = g.pad(cotangents[0], getStarts().getDims(), interior, getShape(getX()));
  return success();
}

LogicalResult PadOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<int64_t> strides; // the verifier keeps interior below INT64_MAX
  for (int64_t zeros : getInterior())
    strides.push_back(zeros + 1);
  gradients[0] = g.slice(cotangents[0], getLow().getDims(), getShape(getX()), strides);
  return success();
}

LogicalResult ConcatenateOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value> &gradients) {
  gradients.assign(getNumOperands(), Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Shape starts(getTensorType(getY()).getRank(), DimExpr(0));
  SmallVector<int64_t> strides(starts.size(), 1);
  for (auto [i, x] : llvm::enumerate(getXs())) {
    Shape sizes = getShape(x);
    gradients[i] = g.slice(cotangents[0], starts, sizes, strides);
    std::optional<DimExpr> next = add(starts[getAxis()], sizes[getAxis()]);
    if (!next)
      return emitOpError("gradient: an offset along the axis does not fit 64 bits");
    starts[getAxis()] = *next;
  }
  return success();
}

LogicalResult ReverseOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  GraphMath g(builder, gradientLocation(*this));
  gradients.assign(1, cotangents[0] ? g.reverse(cotangents[0], getAxes()) : Value());
  return success();
}

LogicalResult GatherOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[0] = g.scatterAdd(getIndices(), cotangents[0], getShape(getX()));
  return success();
}

LogicalResult ScatterAddOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[1] = g.gather(cotangents[0], getIndices());
  return success();
}

// dy, divided by the number of equals, to each of the updates that are as large.
template <class Op>
static LogicalResult buildScatteredExtremeVjp(Op op, OpBuilder &builder, ArrayRef<Value> cotangents,
                                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(op));
  Value indices = op.getIndices(), updates = op.getUpdates();
  Value isExtreme = g.equal(updates, g.gather(op.getY(), indices));
  Type element = getElementType(updates), wide = countingType(element);
  Value counts = g.scatterAdd(indices, g.cast(isExtreme, wide), getShape(op.getY()));
  // No update of a NaN is equal to it.
  counts =
      g.maximum(g.gather(counts, indices), g.splat(1.0, getTensorType(getShape(updates), wide)));
  Value share = g.div(g.cast(g.gather(cotangents[0], indices), wide), counts);
  gradients[1] = g.select(isExtreme, g.cast(share, element), g.zeroLike(updates));
  return success();
}

LogicalResult ScatterMaxOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  return buildScatteredExtremeVjp(*this, builder, cotangents, gradients);
}

LogicalResult ScatterMinOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  return buildScatteredExtremeVjp(*this, builder, cotangents, gradients);
}

LogicalResult DynamicSliceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value> &gradients) {
  gradients.assign(getNumOperands(), Value());
  if (cotangents[0])
    gradients[0] = builder.create<DynamicUnsliceOp>(gradientLocation(*this), getX().getType(),
                                                    cotangents[0], getStarts());
  return success();
}

LogicalResult DynamicUnsliceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &gradients) {
  gradients.assign(getNumOperands(), Value());
  if (cotangents[0])
    gradients[0] = builder.create<DynamicSliceOp>(gradientLocation(*this), getX().getType(),
                                                  cotangents[0], getStarts());
  return success();
}

LogicalResult TruncateOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Shape shape = getShape(getX());
  gradients[0] = g.pad(cotangents[0], Shape(shape.size(), DimExpr(0)),
                       SmallVector<int64_t>(shape.size(), 0), shape);
  return success();
}

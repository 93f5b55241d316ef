// Gradients of reductions along axes and of scans along one. Nothing here divides by an element:
// products are exact with zeros.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/ops/CountingType.h"

#include <limits>

using namespace keratin::ir;
using namespace mlir;

//===-- Reductions ----------------------------------------------------------------------------===//

LogicalResult ReduceSumOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[0] = g.broadcastAlong(cotangents[0], getShape(getX()), getAxes());
  return success();
}

// For each element of x the product of the others along the axes: of those before it times those
// after it, in row-major order of the axes. Null if a size does not fit 64 bits.
static Value productOfOthers(GraphMath &g, Value x, ArrayRef<int64_t> axes) {
  auto others = [&](Value flat, int64_t axis) {
    Value before = g.cumprod(flat, axis, /*exclusive=*/true);
    return g.mul(before, g.cumprod(flat, axis, /*exclusive=*/true, /*reverse=*/true));
  };
  if (axes.size() == 1)
    return others(x, axes.front());

  // The reduced axes are moved to the end and become one.
  Shape shape = getShape(x), flatShape, reducedShape, movedShape;
  SmallVector<int64_t> permutation;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (!llvm::is_contained(axes, i)) {
      permutation.push_back(i);
      flatShape.push_back(shape[i]);
    }
  movedShape = flatShape;
  for (int64_t axis : axes) {
    permutation.push_back(axis);
    reducedShape.push_back(shape[axis]);
    movedShape.push_back(shape[axis]);
  }
  std::optional<DimExpr> size = elementCount(reducedShape);
  if (!size)
    return {};
  flatShape.push_back(*size);
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  Value flat = g.reshape(g.transpose(x, permutation), flatShape);
  return g.transpose(g.reshape(others(flat, flatShape.size() - 1), movedShape), inverse);
}

LogicalResult ReduceProdOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, cotangents[0]);
  if (!cotangents[0] || getAxes().empty())
    return success();
  GraphMath g(builder, gradientLocation(*this));
  Value others = productOfOthers(g, getX(), getAxes());
  if (!others)
    return emitOpError("gradient: the number of reduced elements does not fit 64 bits");
  gradients[0] = g.mul(g.broadcastAlong(cotangents[0], getShape(getX()), getAxes()), others);
  return success();
}

// dy, divided by the number of elements equal to the extreme, to each of these.
static Value shareAmongTies(GraphMath &g, Value x, Value y, Value dy, ArrayRef<int64_t> axes) {
  Shape shape = getShape(x);
  Value isExtreme = g.equal(x, g.broadcastAlong(y, shape, axes));
  Type element = getElementType(x), wide = countingType(element);
  Value one = g.splat(1.0, getTensorType(shape, wide));
  Value zero = g.splat(0.0, getTensorType(shape, wide));
  Value count = g.reduceSum(g.select(isExtreme, one, zero), axes);
  // Nothing is shared among no elements, which is 0 / 0 of a tangent.
  if (llvm::any_of(axes, [&](int64_t axis) { return shape[axis].lowerBound().value_or(0) < 1; }))
    count = g.maximum(count, g.oneLike(count));
  Value share = g.cast(g.div(g.cast(dy, wide), count), element);
  return g.select(isExtreme, g.broadcastAlong(share, shape, axes), g.zeroLike(x));
}

template <class Op>
static LogicalResult buildExtremeVjp(Op op, OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(op));
  gradients[0] = shareAmongTies(g, op.getX(), op.getY(), cotangents[0], op.getAxes());
  return success();
}

LogicalResult ReduceMaxOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  return buildExtremeVjp(*this, builder, cotangents, gradients);
}

LogicalResult ReduceMinOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  return buildExtremeVjp(*this, builder, cotangents, gradients);
}

//===-- Scans ---------------------------------------------------------------------------------===//

// y[i] = x[i + 1] (`left`) or x[i - 1], 0 at the end. Null if a size does not fit 64 bits. One zero
// is appended before the slice: no size is ever negative, also where x is empty.
static Value shift(GraphMath &g, Value x, int64_t axis, bool left) {
  Shape shape = getShape(x), padded = shape, low(shape.size(), DimExpr(0));
  std::optional<DimExpr> size = add(shape[axis], DimExpr(1));
  if (!size)
    return {};
  padded[axis] = *size;
  Shape starts = low;
  (left ? starts : low)[axis] = DimExpr(1);
  SmallVector<int64_t> interior(shape.size(), 0), strides(shape.size(), 1);
  return g.slice(g.pad(x, low, interior, padded), starts, shape, strides);
}

LogicalResult CumsumOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[0] = g.cumsum(cotangents[0], getAxis(), getExclusive(), !getReverse());
  return success();
}

// Written for the forward direction: dx[k] is what stands before k times the weighted sum
//   inclusive: s[k] = dy[k] + x[k+1] s[k+1]
//   exclusive: s[k] = t[k+1], t[k] = dy[k] + x[k] t[k+1]
LogicalResult CumprodOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  int64_t axis = getAxis();
  bool backward = !getReverse();
  Value sum;
  if (getExclusive()) {
    sum = shift(g, g.linearRecurrence(getX(), cotangents[0], axis, backward), axis, backward);
  } else {
    Value next = shift(g, getX(), axis, backward);
    sum = next ? g.linearRecurrence(next, cotangents[0], axis, backward) : Value();
  }
  if (!sum)
    return emitOpError("gradient: the size along the axis does not fit 64 bits");
  gradients[0] = g.mul(g.cumprod(getX(), axis, /*exclusive=*/true, getReverse()), sum);
  return success();
}

// y[i] = y[i-1] x[i], so ty[i] = ty[i-1] x[i] + y[i-1] tx[i]; exclusive: that of the element
// before.
LogicalResult CumprodOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                  SmallVectorImpl<Value> &results) {
  results.assign(1, Value());
  if (!tangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  int64_t axis = getAxis();
  Value before = g.cumprod(getX(), axis, /*exclusive=*/true, getReverse());
  results[0] = g.linearRecurrence(getX(), g.mul(tangents[0], before), axis, getReverse());
  if (getExclusive())
    results[0] = shift(g, results[0], axis, /*left=*/getReverse());
  if (!results[0])
    return emitOpError("tangent: the size along the axis does not fit 64 bits");
  return success();
}

// dy[j] goes to where y was last another one before j: of that place it is the sum of the dy from
// there to the next such place.
template <class Op>
static LogicalResult buildRunningExtremeVjp(Op op, OpBuilder &builder, ArrayRef<Value> cotangents,
                                            SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(op));
  int64_t axis = op.getAxis();
  bool backward = !op.getReverse();
  Value y = op.getY(), next = shift(g, y, axis, backward);
  if (!next)
    return op.emitOpError("gradient: the size along the axis does not fit 64 bits");
  // All are NaN from the first one on.
  Value areNan = g.and_(g.notEqual(y, y), g.notEqual(next, next));
  Value staysNext = g.cast(g.or_(g.equal(y, next), areNan), getElementType(y));
  Value stays = shift(g, staysNext, axis, !backward);
  Value sum = g.linearRecurrence(staysNext, cotangents[0], axis, backward);
  gradients[0] = g.select(g.equal(stays, g.zeroLike(y)), sum, g.zeroLike(y));
  return success();
}

LogicalResult CummaxOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value> &gradients) {
  return buildRunningExtremeVjp(*this, builder, cotangents, gradients);
}

LogicalResult CumminOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value> &gradients) {
  return buildRunningExtremeVjp(*this, builder, cotangents, gradients);
}

// exp(a - b) for a <= b, and 1 of equal infinities and where no b is left.
static Value expOfDifference(GraphMath &g, Value a, Value b) {
  return g.exp(g.select(g.greaterEqual(a, b), g.zeroLike(a), g.sub(a, b)));
}

// Written for the forward direction: s[i] = dy[i] + exp(y[i] - y[i+1]) s[i+1], which never
// overflows since y grows, and dx[i] = exp(x[i] - y[i]) s[i].
LogicalResult CumlogsumexpOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  int64_t axis = getAxis();
  bool backward = !getReverse();
  Value x = getX(), y = getY(), next = shift(g, y, axis, backward);
  if (!next)
    return emitOpError("gradient: the size along the axis does not fit 64 bits");
  Value sum = g.linearRecurrence(expOfDifference(g, y, next), cotangents[0], axis, backward);
  Value lowest = g.constantLike(-std::numeric_limits<double>::infinity(), x);
  gradients[0] = g.select(g.equal(x, lowest), g.zeroLike(x), g.mul(expOfDifference(g, x, y), sum));
  return success();
}

// Written for the forward direction: db[i] = dy[i] + a[i+1] db[i+1], da[i] = db[i] y[i-1].
LogicalResult LinearRecurrenceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                           SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  int64_t axis = getAxis();
  bool backward = !getReverse();
  Value next = shift(g, getA(), axis, backward), previous = shift(g, getY(), axis, !backward);
  if (!next || !previous)
    return emitOpError("gradient: the size along the axis does not fit 64 bits");
  gradients[1] = g.linearRecurrence(next, cotangents[0], axis, backward);
  gradients[0] = g.mul(gradients[1], previous);
  return success();
}

// ty[i] = a[i] ty[i-1] + (ta[i] y[i-1] + tb[i]).
LogicalResult LinearRecurrenceOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                           SmallVectorImpl<Value> &results) {
  results.assign(1, Value());
  Value added = tangents[1];
  GraphMath g(builder, gradientLocation(*this));
  if (tangents[0]) {
    Value previous = shift(g, getY(), getAxis(), /*left=*/getReverse());
    if (!previous)
      return emitOpError("tangent: the size along the axis does not fit 64 bits");
    Value product = g.mul(tangents[0], previous);
    added = added ? g.add(product, added) : product;
  }
  if (added)
    results[0] = g.linearRecurrence(getA(), added, getAxis(), getReverse());
  return success();
}

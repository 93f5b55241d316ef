// Shapes and verifiers of the ops that move elements.
#include "ir/dialect/Keratin.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace keratin::ir;
using namespace mlir;

static bool sameElementType(Value a, Value b) { return getElementType(a) == getElementType(b); }

// True unless both are constants and differ: what is unknown is checked when the function is
// called.
static bool mayBeEqual(const DimExpr &a, const DimExpr &b) {
  return !a.isConstant() || !b.isConstant() || a == b;
}

//===-- Reshape -------------------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (!sameElementType(getX(), getY()))
    return emitOpError("operand and result must have the same element type");
  std::optional<DimExpr> from = elementCount(getShape(getX())), to = elementCount(getShape(getY()));
  if (!from || !to)
    return emitOpError("the number of elements does not fit 64 bits");
  if (!mayBeEqual(*from, *to))
    return emitOpError("cannot give ")
           << toString(getShape(getX())) << " with " << from->str() << " elements the shape "
           << toString(getShape(getY())) << " with " << to->str();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>())
    if (elementCount(getShape(inner.getX())) == elementCount(getShape(getX()))) {
      // Without an intermediate check to lose, the outer shape is all that counts.
      getXMutable().assign(inner.getX());
      return getResult();
    }
  return {};
}

//===-- Broadcast -----------------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  Shape from = getShape(getX()), to = getShape(getY());
  if (!sameElementType(getX(), getY()))
    return emitOpError("operand and result must have the same element type");
  if (getDims().size() != from.size())
    return emitOpError("dims must name one dimension of the result for each of the ")
           << from.size() << " of the operand";
  int64_t previous = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= previous || dim >= int64_t(to.size()))
      return emitOpError("dims must ascend inside the rank of the result, found ") << dim;
    previous = dim;
    if (from[i] != DimExpr(1) && from[i] != to[dim])
      return emitOpError("dimension ")
             << i << " has size " << from[i].str() << "; it must be 1 or " << to[dim].str();
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

//===-- Transpose -----------------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() { return success(); }

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  Shape from = getShape(adaptor.getX()), to;
  llvm::SmallBitVector seen(from.size());
  if (adaptor.getPermutation().size() != from.size())
    return emitOptionalError(location, "transpose: the permutation must have ", from.size(),
                             " entries");
  for (int64_t dim : adaptor.getPermutation()) {
    if (dim < 0 || dim >= int64_t(from.size()) || seen.test(dim))
      return emitOptionalError(location, "transpose: not a permutation of the dimensions");
    seen.set(dim);
    to.push_back(from[dim]);
  }
  inferred.push_back(getTensorType(to, getElementType(adaptor.getX())));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  for (auto [i, dim] : llvm::enumerate(permutation))
    if (dim != int64_t(i))
      return {};
  return getX();
}

//===-- Slice and pad -------------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  Shape from = getShape(getX()), to = getShape(getY()), starts = getStarts().getDims();
  if (!sameElementType(getX(), getY()) || from.size() != to.size())
    return emitOpError("operand and result must have the same element type and rank");
  if (starts.size() != from.size() || getStrides().size() != from.size())
    return emitOpError("needs one start and one stride for each of the ")
           << from.size() << " dimensions";
  for (size_t i = 0; i < from.size(); ++i) {
    if (getStrides()[i] < 1)
      return emitOpError("stride ") << getStrides()[i] << " must be positive";
    std::optional<int64_t> low = starts[i].lowerBound();
    if (starts[i].isConstant() && *low < 0)
      return emitOpError("start ") << *low << " must not be negative";
    if (!starts[i].isConstant() || !to[i].isConstant() || !from[i].isConstant() ||
        to[i] == DimExpr(0))
      continue;
    // start + (size - 1) * stride, checked
    std::optional<DimExpr> last =
        add(starts[i],
            mul(*sub(to[i], DimExpr(1)), DimExpr(getStrides()[i])).value_or(DimExpr(INT64_MAX)));
    if (!last || !last->isConstant() || last->constantValue() >= from[i].constantValue())
      return emitOpError("dimension ")
             << i << ": the box leaves the operand's size " << from[i].str();
  }
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getX().getType() != getType())
    return {};
  Shape starts = getStarts().getDims();
  for (size_t i = 0; i < starts.size(); ++i)
    if (starts[i] != DimExpr(0) || getStrides()[i] != 1)
      return {};
  return getX();
}

LogicalResult PadOp::verify() {
  Shape from = getShape(getX()), to = getShape(getY()), low = getLow().getDims();
  if (!sameElementType(getX(), getY()) || from.size() != to.size())
    return emitOpError("operand and result must have the same element type and rank");
  if (low.size() != from.size() || getInterior().size() != from.size())
    return emitOpError("needs one low and one interior padding for each of the ")
           << from.size() << " dimensions";
  for (size_t i = 0; i < from.size(); ++i) {
    if (getInterior()[i] < 0 || (low[i].isConstant() && low[i].constantValue() < 0))
      return emitOpError("padding must not be negative");
    if (getInterior()[i] == INT64_MAX)
      return emitOpError("interior padding is too large");
    if (!from[i].isConstant() || !to[i].isConstant() || !low[i].isConstant() ||
        from[i] == DimExpr(0))
      continue;
    std::optional<DimExpr> last = mul(*sub(from[i], DimExpr(1)), DimExpr(getInterior()[i] + 1));
    last = last ? add(*last, low[i]) : last;
    if (!last || last->constantValue() >= to[i].constantValue())
      return emitOpError("dimension ")
             << i << ": the padded operand does not fit the result's size " << to[i].str();
  }
  return success();
}

//===-- Concatenate, reverse ------------------------------------------------------------------===//

LogicalResult ConcatenateOp::verify() { return success(); }

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  if (adaptor.getXs().empty())
    return emitOptionalError(location, "concatenate: needs at least one operand");
  auto first = getTensorType(adaptor.getXs().front());
  Shape result = getShape(first);
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= int64_t(result.size()))
    return emitOptionalError(location, "concatenate: axis ", axis, " is outside the rank of ",
                             first);
  for (Value x : adaptor.getXs().drop_front()) {
    Shape shape = getShape(x);
    if (shape.size() != result.size() || getElementType(x) != first.getElementType())
      return emitOptionalError(location,
                               "concatenate: operands must have the same rank and element type");
    for (size_t i = 0; i < shape.size(); ++i)
      if (int64_t(i) != axis && shape[i] != result[i])
        return emitOptionalError(location, "concatenate: dimension ", i, " has sizes ",
                                 result[i].str(), " and ", shape[i].str(), "; they must be equal");
    std::optional<DimExpr> sum = add(result[axis], shape[axis]);
    if (!sum)
      return emitOptionalError(location,
                               "concatenate: the size along the axis does not fit 64 bits");
    result[axis] = *sum;
  }
  inferred.push_back(getTensorType(result, first.getElementType()));
  return success();
}

LogicalResult ReverseOp::verify() { return success(); }

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  auto type = getTensorType(adaptor.getX());
  llvm::SmallBitVector seen(type.getRank());
  for (int64_t axis : adaptor.getAxes()) {
    if (axis < 0 || axis >= type.getRank())
      return emitOptionalError(location, "reverse: axis ", axis, " is outside the rank of ", type);
    if (seen.test(axis))
      return emitOptionalError(location, "reverse: axis ", axis, " is named twice");
    seen.set(axis);
  }
  inferred.push_back(type);
  return success();
}

//===-- Gather and its relatives --------------------------------------------------------------===//

LogicalResult GatherOp::verify() { return success(); }

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  Shape from = getShape(adaptor.getX()), result = getShape(adaptor.getIndices());
  if (from.empty())
    return emitOptionalError(location, "gather: the reference must have at least one dimension");
  result.insert(result.end(), from.begin() + 1, from.end());
  inferred.push_back(getTensorType(result, getElementType(adaptor.getX())));
  return success();
}

template <typename Op> static LogicalResult verifyScatter(Op op) {
  Shape indices = getShape(op.getIndices()), updates = getShape(op.getUpdates()),
        result = getShape(op.getY());
  if (result.empty() || !sameElementType(op.getUpdates(), op.getY()))
    return op.emitOpError("the result needs at least one dimension and the updates' element type");
  Shape expected = indices;
  expected.insert(expected.end(), result.begin() + 1, result.end());
  if (expected != updates)
    return op.emitOpError("the updates have shape ")
           << toString(updates) << "; it must be " << toString(expected);
  return success();
}

LogicalResult ScatterAddOp::verify() { return verifyScatter(*this); }
LogicalResult ScatterLastOp::verify() { return verifyScatter(*this); }
LogicalResult ScatterMaxOp::verify() { return verifyScatter(*this); }
LogicalResult ScatterMinOp::verify() { return verifyScatter(*this); }

// The box must fit where both sizes are known, and the starts be scalars, one a dimension.
static LogicalResult verifyBox(Operation *op, Value box, Value whole, OperandRange starts) {
  Shape small = getShape(box), large = getShape(whole);
  if (!sameElementType(box, whole) || small.size() != large.size() || starts.size() != small.size())
    return op->emitOpError("needs equal element types and ranks, and one start a dimension");
  for (Value start : starts)
    if (getTensorType(start).getRank() != 0)
      return op->emitOpError("starts must be scalars, found ") << start.getType();
  for (size_t i = 0; i < small.size(); ++i)
    if (small[i].isConstant() && large[i].isConstant() &&
        small[i].constantValue() > large[i].constantValue())
      return op->emitOpError("dimension ")
             << i << ": a box of " << small[i].str() << " does not fit " << large[i].str();
  return success();
}

LogicalResult DynamicSliceOp::verify() { return verifyBox(*this, getY(), getX(), getStarts()); }
LogicalResult DynamicUnsliceOp::verify() { return verifyBox(*this, getX(), getY(), getStarts()); }

//===-- Truncate ------------------------------------------------------------------------------===//

LogicalResult TruncateOp::verify() {
  Shape from = getShape(getX()), to = getShape(getY());
  int64_t axis = getAxis();
  if (!sameElementType(getX(), getY()) || from.size() != to.size())
    return emitOpError("operand and result must have the same element type and rank");
  if (axis < 0 || axis >= int64_t(from.size()))
    return emitOpError("axis ") << axis << " is outside the rank of " << getX().getType();
  if (getTensorType(getSize()).getRank() != 0)
    return emitOpError("the size must be a scalar, found ") << getSize().getType();
  for (size_t i = 0; i < from.size(); ++i)
    if (int64_t(i) != axis && from[i] != to[i])
      return emitOpError("dimension ") << i << " has sizes " << from[i].str() << " and "
                                       << to[i].str() << "; they must be equal";
  if (!to[axis].isSymbol())
    return emitOpError("the size along the axis must be a symbol, found ") << to[axis].str();
  int64_t symbol = to[axis].symbolId();
  for (const Shape *shape : {&from, &to})
    for (size_t i = 0; i < shape->size(); ++i)
      if ((shape != &to || int64_t(i) != axis) && llvm::is_contained((*shape)[i].symbols(), symbol))
        return emitOpError("defines d") << symbol << ", which another size has already";
  return success();
}

//===-- Check range ---------------------------------------------------------------------------===//

LogicalResult CheckRangeOp::verify() {
  if (getLower().getDims().size() != 1 || getUpper().getDims().size() != 1)
    return emitOpError("needs one lower and one upper bound");
  return success();
}

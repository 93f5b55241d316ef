#include "ir/builder/GraphMath.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace keratin::ir;
using namespace mlir;

//===-- Constants -----------------------------------------------------------------------------===//

Value GraphMath::scalar(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floating = dyn_cast<FloatType>(elementType)) {
    APFloat number(value);
    bool lossy;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    return b.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, number));
  }
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    Value re = scalar(value, complex.getElementType());
    return b.create<ComplexOp>(loc, type, re, scalar(0, complex.getElementType()));
  }
  // Of what is no number of so many bits, with a sign or without, the nearest: a bound of 1e30 is
  // none for integers.
  const unsigned width = elementType.getIntOrFloatBitWidth();
  if (value >= -std::ldexp(1.0, int(width) - 1) &&
      value < std::ldexp(1.0, int(std::min(width, 63u))))
    return integerScalar(int64_t(value), elementType);
  APSInt nearest(width, elementType.isUnsignedInteger());
  bool isExact;
  APFloat(value).convertToInteger(nearest, APFloat::rmTowardZero, &isExact);
  return b.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, APInt(nearest)));
}

Value GraphMath::integerScalar(int64_t value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  APInt number(elementType.getIntOrFloatBitWidth(), value, /*isSigned=*/true);
  return b.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, number));
}

// As broadcastScalar(), with the type that is there.
Value GraphMath::splat(double value, RankedTensorType type) {
  Value number = scalar(value, type.getElementType());
  return type.getRank() == 0 ? number
                             : b.create<BroadcastOp>(loc, type, number, ArrayRef<int64_t>());
}

Value GraphMath::iota(RankedTensorType type, int64_t axis) {
  return b.create<IotaOp>(loc, type, axis);
}

Value GraphMath::count(Value x, ArrayRef<int64_t> axes, Type elementType) {
  auto scalarType = RankedTensorType::get({}, b.getI64Type());
  Value total;
  for (int64_t axis : axes) {
    Value size = b.createOrFold<DimOp>(loc, scalarType, x, axis);
    total = total ? mul(total, size) : size;
  }
  return cast(total ? total : integerScalar(1, b.getI64Type()), elementType);
}

//===-- Elementwise ---------------------------------------------------------------------------===//

// Folds, but past no value: -(-x) = x would lose what depends on -x, and somebody may ask for the
// gradient with respect to that. Passes fold it later, with pins where there are gradients.
template <typename Op> struct Emit {
  OpBuilder &b;

  template <typename... Arguments> Value operator()(Arguments &&...arguments) {
    if constexpr (std::is_same_v<Op, NegOp>)
      return b.create<Op>(std::forward<Arguments>(arguments)...);
    else
      return b.createOrFold<Op>(std::forward<Arguments>(arguments)...);
  }
};

#define KERATIN_ELEMENTWISE(method, Op, parameters, arguments)                                     \
  Value GraphMath::method parameters { return Emit<Op>{b} arguments; }
#include "ir/builder/GraphMath.inc"

Value GraphMath::compare(Comparison direction, Value x, Value y) {
  return b.createOrFold<CompareOp>(loc, x, y, direction);
}

Value GraphMath::keepZeros(Value zeros, Value x) {
  Value zero = zeroLike(x);
  return select(and_(equal(zeros, zero), notEqual(x, x)), zero, x);
}

Value GraphMath::cast(Value x, Type elementType) {
  auto type = getTensorType(x);
  return type.getElementType() == elementType
             ? x
             : b.createOrFold<CastOp>(loc, withElementType(type, elementType), x);
}

//===-- Shape ---------------------------------------------------------------------------------===//

// Not folded past x, as above: x may be a reshape.
Value GraphMath::reshape(Value x, const Shape &shape) {
  return getShape(x) == shape
             ? x
             : b.create<ReshapeOp>(loc, getTensorType(shape, getElementType(x)), x);
}

// What there is to fold is seen here: every number beside a tensor comes this way.
Value GraphMath::broadcast(Value x, const Shape &shape, ArrayRef<int64_t> dims) {
  return getShape(x) == shape
             ? x
             : b.create<BroadcastOp>(loc, getTensorType(shape, getElementType(x)), x, dims);
}

Value GraphMath::broadcastAlong(Value x, const Shape &like, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0, e = like.size(); i < e; ++i)
    if (!llvm::is_contained(axes, i))
      dims.push_back(i);
  return broadcast(x, like, dims);
}

Value GraphMath::transpose(Value x, ArrayRef<int64_t> permutation) {
  return b.createOrFold<TransposeOp>(loc, x, permutation);
}

Value GraphMath::slice(Value x, const Shape &starts, const Shape &sizes,
                       ArrayRef<int64_t> strides) {
  return b.createOrFold<SliceOp>(loc, getTensorType(sizes, getElementType(x)), x,
                                 DimsAttr::get(b.getContext(), starts), strides);
}

Value GraphMath::pad(Value x, const Shape &low, ArrayRef<int64_t> interior, const Shape &result) {
  return b.createOrFold<PadOp>(loc, getTensorType(result, getElementType(x)), x,
                               DimsAttr::get(b.getContext(), low), interior);
}

Value GraphMath::concatenate(ValueRange xs, int64_t axis) {
  return xs.size() == 1 ? xs.front() : b.createOrFold<ConcatenateOp>(loc, xs, axis);
}

Value GraphMath::reverse(Value x, ArrayRef<int64_t> axes) {
  return axes.empty() ? x : b.createOrFold<ReverseOp>(loc, x, axes);
}

Value GraphMath::gather(Value x, Value indices) {
  return b.createOrFold<GatherOp>(loc, x, indices);
}

Value GraphMath::scatterAdd(Value indices, Value updates, const Shape &shape) {
  return b.createOrFold<ScatterAddOp>(loc, getTensorType(shape, getElementType(updates)), indices,
                                      updates);
}

//===-- Along axes ----------------------------------------------------------------------------===//

#define KERATIN_REDUCTION(method, Op)                                                              \
  Value GraphMath::method(Value x, ArrayRef<int64_t> axes) {                                       \
    return axes.empty() ? x : b.createOrFold<Op>(loc, x, axes);                                    \
  }
KERATIN_REDUCTION(reduceSum, ReduceSumOp)
KERATIN_REDUCTION(reduceProd, ReduceProdOp)
KERATIN_REDUCTION(reduceMax, ReduceMaxOp)
KERATIN_REDUCTION(reduceMin, ReduceMinOp)
KERATIN_REDUCTION(reduceAny, ReduceAnyOp)
KERATIN_REDUCTION(reduceAll, ReduceAllOp)
#undef KERATIN_REDUCTION

Value GraphMath::cumsum(Value x, int64_t axis, bool exclusive, bool reverse) {
  return b.create<CumsumOp>(loc, x.getType(), x, axis, exclusive, reverse);
}

Value GraphMath::cumprod(Value x, int64_t axis, bool exclusive, bool reverse) {
  return b.create<CumprodOp>(loc, x.getType(), x, axis, exclusive, reverse);
}

Value GraphMath::linearRecurrence(Value x, Value y, int64_t axis, bool reverse) {
  return b.create<LinearRecurrenceOp>(loc, x.getType(), x, y, axis, reverse);
}

Value GraphMath::dotGeneral(Value x, Value y, ArrayRef<int64_t> aBatch, ArrayRef<int64_t> bBatch,
                            ArrayRef<int64_t> aContract, ArrayRef<int64_t> bContract) {
  return b.createOrFold<DotGeneralOp>(loc, x, y, aBatch, bBatch, aContract, bContract);
}

Value GraphMath::convolution(Value x, Value filter, const ConvolutionWindows &windows,
                             const Shape &result) {
  return b.create<ConvolutionOp>(loc, getTensorType(result, getElementType(x)), x, filter,
                                 windows.dims, windows.strides,
                                 DimsAttr::get(b.getContext(), windows.low), windows.xDilation,
                                 windows.dilation, windows.reversed);
}

Value GraphMath::windowSum(Value x, ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                           const Shape &low, ArrayRef<int64_t> xDilation, const Shape &result) {
  return b.create<WindowSumOp>(loc, getTensorType(result, getElementType(x)), x, window, strides,
                               DimsAttr::get(b.getContext(), low), xDilation);
}

Value GraphMath::alongAxis(Value x, int64_t axis, function_ref<Value(Value)> rows) {
  SmallVector<int64_t> permutation(getTensorType(x).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[0], permutation[axis]); // its own inverse
  return transpose(rows(transpose(x, permutation)), permutation);
}

static RankedTensorType withRows(Value x, const DimExpr &rows) {
  Shape shape = getShape(x);
  shape[0] = rows;
  return getTensorType(shape, getElementType(x));
}

Value GraphMath::enterRank(Value x) { return b.create<EnterRankOp>(loc, x.getType(), x); }

Value GraphMath::leaveRank(Value x) { return b.create<LeaveRankOp>(loc, x.getType(), x); }

Value GraphMath::allReduce(Value x, RankReduction reduction, StringAttr along) {
  return b.create<AllReduceOp>(loc, x.getType(), x, reduction, along);
}

Value GraphMath::allGather(Value x, int64_t axis, const DimExpr &whole, StringAttr along) {
  return alongAxis(x, axis, [&](Value part) -> Value {
    return b.create<AllGatherOp>(loc, withRows(part, whole), part, along);
  });
}

Value GraphMath::reduceScatter(Value x, RankReduction reduction, int64_t axis, const DimExpr &part,
                               StringAttr along) {
  return alongAxis(x, axis, [&](Value whole) -> Value {
    return b.create<ReduceScatterOp>(loc, withRows(whole, part), whole, reduction, along);
  });
}

Value GraphMath::broadcastFrom(Value x, int64_t root, StringAttr along) {
  return b.create<BroadcastFromOp>(loc, x.getType(), x, root, along);
}

Value GraphMath::allToAll(Value x, StringAttr along) {
  return b.create<AllToAllOp>(loc, x.getType(), x, along);
}

Value GraphMath::permute(Value x, ArrayRef<int64_t> pairs, StringAttr along) {
  return b.create<PermuteOp>(loc, x.getType(), x, pairs, along);
}

Value GraphMath::rankIndex(StringAttr along) {
  return b.create<RankOp>(loc, getTensorType({}, b.getI64Type()), along);
}

Value GraphMath::windowMax(Value x, ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                           const Shape &low, const Shape &result) {
  return b.create<WindowMaxOp>(loc, getTensorType(result, getElementType(x)), x, window, strides,
                               DimsAttr::get(b.getContext(), low));
}

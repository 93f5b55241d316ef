// K functions: along axes.
#include "keratin/reductions.h"

#include "frontend/backend/ComplexFunctions.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;
using namespace keratin::frontend;
using ir::GraphMath;

Value frontend::restoreDims(Call &call, Value reduced, Value x, AxisList axes, bool keepdims) {
  if (!keepdims)
    return reduced;
  ir::Shape shape = ir::getShape(x);
  for (int64_t axis : axes)
    shape[axis] = DimExpr(1);
  return call.g.reshape(reduced, shape);
}

Value frontend::spread(Call &call, Value reduced, Value x, AxisList axes) {
  return call.g.broadcastAlong(reduced, ir::getShape(x), axes);
}

Value frontend::widened(Call &call, Value x) {
  return ir::dtypeBytes(ir::dtypeOf(ir::getElementType(x))) == 2 ? call.cast(x, DType::Float32) : x;
}

Value frontend::mean(Call &call, Value x, AxisList axes) {
  if (isComplex(call, x)) {
    const ComplexParts parts = partsOf(call, x);
    Value re = mean(call, parts.re, axes);
    return complexOf(call, {re, mean(call, parts.im, axes)});
  }
  Value sum = call.g.reduceSum(x, axes);
  Value count = call.g.count(x, axes, ir::getElementType(x));
  return call.g.div(sum, call.g.broadcastScalar(count, ir::getShape(sum)));
}

Value frontend::variance(Call &call, Value x, AxisList axes) {
  Value deviation = call.g.sub(x, spread(call, mean(call, x, axes), x, axes));
  return mean(call, call.g.mul(deviation, deviation), axes);
}

Value frontend::shift(Call &call, Value x, AxisList axes) {
  Value maximum = call.g.reduceMax(x, axes);
  Value finite = call.g.select(call.g.isFinite(maximum), maximum, call.g.zeroLike(maximum));
  return call.builder.create<ir::StopGradientOp>(call.g.location(), finite);
}

Value frontend::logSumExp(Call &call, Value x, AxisList axes) {
  Value m = shift(call, x, axes);
  Value sum = call.g.reduceSum(call.g.exp(call.g.sub(x, spread(call, m, x, axes))), axes);
  return call.g.add(call.g.log(sum), m);
}

using ReduceMethod = Value (GraphMath::*)(Value, llvm::ArrayRef<int64_t>);

// Of numbers; `ofBool` is what the function is on bools, null if they count as int32. Of complex
// ones sums are an op, and products are composed.
static Tensor reduce(const char *function, ReduceMethod method, ReduceMethod ofBool,
                     const Operand &operand, const Axes &axis, bool keepdims,
                     SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  if (call.dtypeOf(x) == DType::Bool) {
    if (ofBool)
      method = ofBool;
    else
      x = call.cast(x, DType::Int32);
  }
  std::vector<int64_t> axes = call.axes(axis, call.rank(x));
  const bool isComposed = isComplex(call, x) && method == &GraphMath::reduceProd;
  Value y = isComposed ? complexProductAlong(call, x, axes) : (call.g.*method)(x, axes);
  return call.tensor(restoreDims(call, y, x, axes, keepdims));
}

// Of bools: any nonzero value is True.
static Tensor reduceBool(const char *function, ReduceMethod method, const Operand &operand,
                         const Axes &axis, bool keepdims, SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand, DType::Bool);
  std::vector<int64_t> axes = call.axes(axis, call.rank(x));
  return call.tensor(restoreDims(call, (call.g.*method)(x, axes), x, axes, keepdims));
}

Tensor frontend::reduceFloat(const char *function, FloatReduction reduction, const Operand &operand,
                             const Axes &axis, bool keepdims, SourceLocation location) {
  Call call(function, location);
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  std::vector<int64_t> axes = call.axes(axis, call.rank(x));
  Value y = restoreDims(call, reduction(call, x, axes), x, axes, keepdims);
  return call.tensor(call.cast(y, dtype));
}

static Value standardDeviation(Call &call, Value x, AxisList axes) {
  return call.g.sqrt(variance(call, x, axes));
}

// One axis, removed; it must not be empty.
template <typename Op>
static Tensor argReduce(const char *function, const Operand &operand, int64_t axis,
                        SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  axis = call.axis(axis, call.rank(x));
  call.requireAtLeast(ir::getShape(x)[axis], DimExpr(1), "the axis must not be empty");
  return call.tensor(call.builder.create<Op>(call.g.location(), x, axis));
}

using ScanMethod = Value (GraphMath::*)(Value, int64_t, bool, bool);
static Tensor scan(const char *function, ScanMethod method, const Operand &operand, int64_t axis,
                   SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  axis = call.axis(axis, call.rank(x));
  if (isComplex(call, x))
    return call.tensor((call.g.*method)(x, axis, false, false));
  return call.tensor(asSummands(call, x, x, [&](Value numbers, Value) {
    return (call.g.*method)(numbers, axis, false, false);
  }));
}

// Of bools the largest is whether any is True: as integers, which bools become again.
template <typename Op>
static Tensor scanExtremes(const char *function, const Operand &operand, int64_t axis,
                           SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  axis = call.axis(axis, call.rank(x));
  DType dtype = call.dtypeOf(x);
  if (dtype == DType::Bool)
    x = call.cast(x, DType::UInt8);
  Value y = call.builder.create<Op>(call.g.location(), x.getType(), x, axis, /*reverse=*/false);
  return call.tensor(call.cast(y, dtype));
}

namespace keratin::backend {

Tensor max(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduce("max", &GraphMath::reduceMax, &GraphMath::reduceAny, x, axis, keepdims, location);
}
Tensor min(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduce("min", &GraphMath::reduceMin, &GraphMath::reduceAll, x, axis, keepdims, location);
}
Tensor sum(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduce("sum", &GraphMath::reduceSum, nullptr, x, axis, keepdims, location);
}
Tensor prod(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduce("prod", &GraphMath::reduceProd, nullptr, x, axis, keepdims, location);
}
Tensor mean(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("mean", frontend::mean, x, axis, keepdims, location);
}
Tensor var(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("var", variance, x, axis, keepdims, location);
}
Tensor std(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("std", standardDeviation, x, axis, keepdims, location);
}
Tensor logsumexp(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("logsumexp", logSumExp, x, axis, keepdims, location);
}
Tensor any(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceBool("any", &GraphMath::reduceAny, x, axis, keepdims, location);
}
Tensor all(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceBool("all", &GraphMath::reduceAll, x, axis, keepdims, location);
}
Tensor argmax(const Operand &x, Axis axis, SourceLocation location) {
  return argReduce<ir::ArgMaxOp>("argmax", x, axis, location);
}
Tensor argmin(const Operand &x, Axis axis, SourceLocation location) {
  return argReduce<ir::ArgMinOp>("argmin", x, axis, location);
}
Tensor cumsum(const Operand &x, Axis axis, SourceLocation location) {
  return scan("cumsum", &GraphMath::cumsum, x, axis, location);
}
Tensor cumprod(const Operand &x, Axis axis, SourceLocation location) {
  return scan("cumprod", &GraphMath::cumprod, x, axis, location);
}
Tensor cummax(const Operand &x, Axis axis, SourceLocation location) {
  return scanExtremes<ir::CummaxOp>("cummax", x, axis, location);
}
Tensor cummin(const Operand &x, Axis axis, SourceLocation location) {
  return scanExtremes<ir::CumminOp>("cummin", x, axis, location);
}
Tensor cumlogsumexp(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("cumlogsumexp", location);
  Value x = call.floating(operand);
  int64_t along = call.axis(axis, call.rank(x));
  return call.tensor(call.builder.create<ir::CumlogsumexpOp>(call.g.location(), x.getType(), x,
                                                             along, /*reverse=*/false));
}

} // namespace keratin::backend

// K functions: reductions of all that is no NaN.
#include "frontend/backend/Reductions.h"
#include "keratin/reductions.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;
using ir::GraphMath;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

// The numbers among the elements of x.
class Numbers {
public:
  Numbers(Call &call, Value x, AxisList axes)
      : call(call), g(call.g), x(x), isNumber(g.equal(x, x)), axes(axes) {}

  // An integer always is a number.
  bool areAll() const { return !isFloating(call.dtypeOf(x)); }
  Value elements() const { return x; }

  // x with another element in the place of each NaN.
  Value filled(double substitute) const { return filled(x, substitute); }
  // Of none it is NaN.
  Value mean() const { return mean(filled(0)); }
  Value variance() const {
    Value deviation = filled(g.sub(x, spread(call, mean(), x, axes)), 0);
    return mean(g.mul(deviation, deviation));
  }
  // NaN where there was nothing else, or nothing.
  Value orNaN(Value reduced) const {
    return g.select(g.reduceAny(isNumber, axes), reduced,
                    g.constantLike(std::numeric_limits<double>::quiet_NaN(), reduced));
  }

private:
  Value filled(Value elements, double substitute) const {
    return g.select(isNumber, elements, g.constantLike(substitute, elements));
  }
  // Counted in integers, which are exact.
  Value mean(Value elements) const {
    Value sum = g.reduceSum(elements, axes);
    Value count = g.reduceSum(call.cast(isNumber, DType::Int64), axes);
    return g.div(sum, g.cast(count, ir::getElementType(sum)));
  }

  Call &call;
  GraphMath &g;
  Value x, isNumber;

public:
  const AxisList axes;
};

// What a function is on the numbers; its axes are gone.
using Reduction = Value (*)(Call &, const Numbers &);

} // namespace

static Tensor reduced(const char *function, Reduction reduction, const Operand &operand,
                      const Axes &axis, bool keepdims, SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  if (call.dtypeOf(x) == DType::Bool)
    x = call.cast(x, DType::Int32);
  std::vector<int64_t> axes = call.axes(axis, call.rank(x));
  Value y = reduction(call, Numbers(call, x, axes));
  return call.tensor(restoreDims(call, y, x, axes, keepdims));
}

static Value sumOf(Call &call, const Numbers &x) { return call.g.reduceSum(x.filled(0), x.axes); }
static Value productOf(Call &call, const Numbers &x) {
  return call.g.reduceProd(x.filled(1), x.axes);
}
static Value largestOf(Call &call, const Numbers &x) {
  if (x.areAll())
    return call.g.reduceMax(x.elements(), x.axes);
  return x.orNaN(call.g.reduceMax(x.filled(-infinity), x.axes));
}
static Value smallestOf(Call &call, const Numbers &x) {
  if (x.areAll())
    return call.g.reduceMin(x.elements(), x.axes);
  return x.orNaN(call.g.reduceMin(x.filled(infinity), x.axes));
}
static Value meanOf(Call &call, Value x, AxisList axes) { return Numbers(call, x, axes).mean(); }
static Value varianceOf(Call &call, Value x, AxisList axes) {
  return Numbers(call, x, axes).variance();
}
static Value deviationOf(Call &call, Value x, AxisList axes) {
  return call.g.sqrt(varianceOf(call, x, axes));
}

namespace keratin::backend {

Tensor nansum(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduced("nansum", sumOf, x, axis, keepdims, location);
}
Tensor nanprod(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduced("nanprod", productOf, x, axis, keepdims, location);
}
Tensor nanmax(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduced("nanmax", largestOf, x, axis, keepdims, location);
}
Tensor nanmin(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduced("nanmin", smallestOf, x, axis, keepdims, location);
}
Tensor nanmean(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("nanmean", meanOf, x, axis, keepdims, location);
}
Tensor nanvar(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("nanvar", varianceOf, x, axis, keepdims, location);
}
Tensor nanstd(const Operand &x, const Axes &axis, bool keepdims, SourceLocation location) {
  return reduceFloat("nanstd", deviationOf, x, axis, keepdims, location);
}

} // namespace keratin::backend

// K functions: what elements of one number have together.
#include "keratin/segments.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Reductions.h"
#include "frontend/values/DTypeRules.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

static const DimExpr zero(0);

// The integers as one int64 vector, each in [0, size).
static Value numbers(Call &call, Value x, const DimExpr &size, const std::string &name,
                     const std::string &whenOutside) {
  if (!isInteger(call.dtypeOf(x)))
    call.typeError(name + " have dtype " + dtypeName(call.dtypeOf(x)) + "; needed integers");
  x = call.g.reshape(x, {call.check(ir::elementCount(ir::getShape(x)))});
  return call.inRange(call.cast(x, DType::Int64), zero, size, whenOutside);
}

static DimExpr sizeOf(Call &call, const Size &size, const std::string &name) {
  DimExpr count = call.size(size, name);
  call.requireAtLeast(count, zero, name + " must not be negative");
  return count;
}

// How many of the numbers there are of each.
static Value counts(Call &call, Value numbers, const DimExpr &size, mlir::Type elementType) {
  Value ones = call.g.splat(1, ir::getTensorType(ir::getShape(numbers), elementType));
  return call.g.scatterAdd(numbers, ones, {size});
}

namespace {

// Rows along axis 0, and the number of each one's segment.
class Segments {
public:
  Segments(Call &call, const Operand &operand, const Operand &ids, const Size &count)
      : call(call), x(call.value(operand)) {
    if (call.dtypeOf(x) == DType::Bool)
      x = call.cast(x, DType::Int32);
    Value ofRows = call.value(ids);
    if (call.rank(x) == 0)
      call.valueError("x is a scalar; needed at least one axis");
    if (call.rank(ofRows) != 1)
      call.valueError("segment_ids have shape " + describe(ofRows) + "; needed rank 1");
    size = sizeOf(call, count, "num_segments");
    ofRows = call.requireShape(ofRows, {ir::getShape(x).front()}, "segment_ids and the rows of x");
    places = numbers(call, ofRows, size, "segment_ids",
                     "a segment is not below num_segments, or negative");
  }

  Value sum() { return call.cast(wideSum(widened(call, x)), call.dtypeOf(x)); }

  template <typename Op> Value extreme() {
    ir::Shape shape = ir::getShape(x);
    shape.front() = size;
    mlir::Type type = ir::getTensorType(shape, ir::getElementType(x));
    return call.builder.create<Op>(call.g.location(), type, places, x);
  }

  // Of no rows the mean is 0.
  Value mean() {
    ir::GraphMath &g = call.g;
    Value rows = isFloating(call.dtypeOf(x)) ? x : call.cast(x, Configuration::floatx());
    Value total = wideSum(widened(call, rows));
    // Counted in integers, which are exact.
    Value count = counts(call, places, size, call.elementType(DType::Int64));
    count = g.cast(g.maximum(count, g.oneLike(count)), ir::getElementType(total));
    Value mean = g.div(total, g.broadcast(count, ir::getShape(total), {0}));
    return call.cast(mean, call.dtypeOf(rows));
  }

private:
  Value wideSum(Value rows) {
    ir::Shape shape = ir::getShape(rows);
    shape.front() = size;
    return call.g.scatterAdd(places, rows, shape);
  }

  Call &call;
  Value x;
  DimExpr size = zero;
  Value places;
};

} // namespace

// The number of each element's bin, `bins` for those that are in none.
static Value binsOf(Call &call, Value x, int64_t bins, double low, double high) {
  ir::GraphMath &g = call.g;
  Value from = call.like(x, low), to = call.like(x, high), count = call.like(x, double(bins));
  Value place = g.floor(g.mul(g.div(g.sub(x, from), g.sub(to, from)), count));
  // The last bin has its upper edge, too.
  place = g.minimum(place, call.like(x, double(bins - 1)));
  Value inside = g.and_(g.greaterEqual(x, from), g.compare(ir::Comparison::LE, x, to));
  return call.cast(g.select(inside, place, count), DType::Int64);
}

namespace keratin::backend {

Tensor segment_sum(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location) {
  Call call("segment_sum", location);
  return call.tensor(Segments(call, x, segment_ids, num_segments).sum());
}

Tensor segment_mean(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                    SourceLocation location) {
  Call call("segment_mean", location);
  return call.tensor(Segments(call, x, segment_ids, num_segments).mean());
}

Tensor segment_max(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location) {
  Call call("segment_max", location);
  return call.tensor(Segments(call, x, segment_ids, num_segments).extreme<ir::ScatterMaxOp>());
}

Tensor segment_min(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location) {
  Call call("segment_min", location);
  return call.tensor(Segments(call, x, segment_ids, num_segments).extreme<ir::ScatterMinOp>());
}

Tensor bincount(const Operand &operand, const Size &length, const Operand &weights,
                SourceLocation location) {
  Call call("bincount", location);
  Value x = call.value(operand);
  DimExpr size = sizeOf(call, length, "length");
  Value places = numbers(call, x, size, "x", "a number is not below length, or negative");
  if (weights.isNone())
    return call.tensor(counts(call, places, size, call.elementType(DType::Int64)));
  Value weight = call.floating(weights);
  weight = call.broadcastTo(weight, call.broadcastShape(ir::getShape(weight), ir::getShape(x)));
  weight = call.requireShape(weight, ir::getShape(x), "weights and x");
  return call.tensor(
      call.g.scatterAdd(places, call.g.reshape(weight, ir::getShape(places)), {size}));
}

Tensor histogram(const Operand &operand, int64_t bins, double low, double high,
                 SourceLocation location) {
  Call call("histogram", location);
  Value x = call.floating(operand);
  // Places are exact in floats of 32 bits.
  constexpr int64_t mostBins = 1 << 24;
  if (bins < 1 || bins > mostBins)
    call.valueError("bins is " + std::to_string(bins) + "; needed 1 to " +
                    std::to_string(mostBins));
  if (!(low < high) || !std::isfinite(high - low))
    call.valueError("the range is from " + std::to_string(low) + " to " + std::to_string(high) +
                    "; needed two finite numbers, the smaller first");
  x = widened(call, x);
  x = call.g.reshape(x, {call.check(ir::elementCount(ir::getShape(x)))});
  Value all = counts(call, binsOf(call, x, bins, low, high), DimExpr(bins + 1),
                     call.elementType(DType::Int64));
  return call.tensor(call.g.slice(all, {zero}, {DimExpr(bins)}, {1}));
}

} // namespace keratin::backend

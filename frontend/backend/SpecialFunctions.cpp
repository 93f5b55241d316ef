// K functions: element by element, of several ops each, whose values and derivatives hold where a
// formula alone would divide by zero, overflow or cancel.
#include "frontend/backend/Elementwise.h"
#include "keratin/elementwise.h"

#include <limits>
#include <numbers>

using namespace keratin;
using namespace keratin::frontend;

// x, but 1 where the condition holds: what may be divided by.
static Value oneWhere(Call &call, Value condition, Value x) {
  return call.g.select(condition, call.g.oneLike(x), x);
}

static Value isZero(Call &call, Value x) { return call.g.equal(x, call.g.zeroLike(x)); }

static Value isInfinite(Call &call, Value x) {
  return call.g.equal(call.g.abs(x),
                      call.g.constantLike(std::numeric_limits<double>::infinity(), x));
}

// Whether the sign bit is set, of zeros too.
static Value isNegative(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  Value reciprocal = g.div(g.oneLike(x), x);
  return g.or_(g.less(x, g.zeroLike(x)), g.less(reciprocal, g.zeroLike(x)));
}

namespace {

// atan2. The quotient is taken of the smaller by the larger, so that it is between -1 and 1: it
// neither overflows, nor is its derivative lost where the other one is zero.
class Angle {
public:
  Angle(Call &call, Value y, Value x) : call(call), g(call.g), y(y), x(x) {}

  Value build() {
    Value isFlat = g.greaterEqual(g.abs(x), g.abs(y));
    Value high = g.select(isFlat, x, y), low = g.select(isFlat, y, x);
    Value isOrigin = g.and_(isZero(call, x), isZero(call, y));
    Value quotient = g.select(isOrigin, signedBy(0), g.div(low, oneWhere(call, isOrigin, high)));
    // Of two infinities the angle is that of a diagonal.
    Value areInfinite = g.and_(isInfinite(call, x), isInfinite(call, y));
    quotient = g.select(areInfinite, g.mul(g.sign(x), g.sign(y)), quotient);
    Value part = g.atan(quotient);
    Value straight = g.select(isNegative(call, x), signedBy(std::numbers::pi), g.zeroLike(x));
    // -0 + 0 would be 0.
    Value flat = g.select(isNegative(call, x), g.add(straight, part), part);
    Value steep = g.sub(signedBy(std::numbers::pi / 2), part);
    return g.select(isFlat, flat, steep);
  }

private:
  // The number with the sign of y.
  Value signedBy(double number) {
    Value size = g.constantLike(number, y);
    return g.select(isNegative(call, y), g.neg(size), size);
  }

  Call &call;
  ir::GraphMath &g;
  Value y, x;
};

} // namespace

// sin(t) / t for |t| <= 1: of t * t, so that no derivative cancels.
static Value sineSeries(Call &call, Value t) {
  ir::GraphMath &g = call.g;
  Value square = g.mul(t, t);
  const int terms = call.dtypeOf(t) == DType::Float64 ? 10 : 6;
  Value sum;
  for (int k = terms; k >= 0; --k) {
    double factor = k % 2 ? -1 : 1;
    for (int i = 2; i <= 2 * k + 1; ++i)
      factor /= i;
    Value coefficient = g.constantLike(factor, t);
    sum = sum ? g.add(g.mul(sum, square), coefficient) : coefficient;
  }
  return sum;
}

namespace keratin::backend {

Tensor hypot(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("hypot", location);
  ir::GraphMath &g = call.g;
  auto [x, y] = binaryFloats(call, first, second);
  Value a = g.abs(x), b = g.abs(y);
  // At a tie one is x and the other y, for the sake of the gradient.
  Value high = g.maximum(a, b), low = g.minimum(b, a);
  Value isPlain = g.and_(g.isFinite(high), g.notEqual(high, g.zeroLike(high)));
  Value quotient = g.div(low, g.select(isPlain, high, g.oneLike(high)));
  Value length = g.mul(high, g.sqrt(g.add(g.mul(quotient, quotient), g.oneLike(high))));
  return call.tensor(g.select(isPlain, length, high));
}

Tensor atan2(const Operand &y, const Operand &x, SourceLocation location) {
  Call call("atan2", location);
  auto [rise, run] = binaryFloats(call, y, x);
  return call.tensor(Angle(call, rise, run).build());
}

Tensor sinc(const Operand &operand, SourceLocation location) {
  Call call("sinc", location);
  ir::GraphMath &g = call.g;
  Value t = g.scale(call.floating(operand), std::numbers::pi);
  Value one = g.oneLike(t), isSmall = g.less(g.abs(t), one);
  Value near = g.select(isSmall, t, one), far = g.select(isSmall, one, t);
  return call.tensor(g.select(isSmall, sineSeries(call, near), g.div(g.sin(far), far)));
}

Tensor xlogy(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("xlogy", location);
  ir::GraphMath &g = call.g;
  auto [x, y] = binaryFloats(call, first, second);
  // Where x is 0 an infinite or undefined logarithm counts as 0.
  Value hasLogarithm = g.and_(g.greater(y, g.zeroLike(y)), g.isFinite(y));
  Value isLeftOut = g.and_(isZero(call, x), g.and_(g.not_(hasLogarithm), g.equal(y, y)));
  return call.tensor(g.mul(x, g.log(oneWhere(call, isLeftOut, y))));
}

} // namespace keratin::backend

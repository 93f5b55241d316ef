#include "frontend/backend/ComplexFunctions.h"

#include "frontend/backend/SpecialFunctions.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <numbers>

using namespace keratin;
using namespace keratin::frontend;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Functions of one complex number.
class OfParts {
public:
  OfParts(Call &call, Value z)
      : call(call), g(call.g), a(partsOf(call, z).re), b(partsOf(call, z).im) {}

  Value abs() { return hypotOf(call, a, b); }

  // Beyond where exp is finite half of the exponent is taken twice: the cosine may make it finite
  // again. Of a real number the imaginary part stays zero, and where exp is 0 both parts are.
  Value exp() {
    Value isLarge = g.greater(a, number(isDouble() ? 709 : 88));
    Value once = g.exp(g.select(isLarge, g.scale(a, 0.5), a));
    Value again = g.select(isLarge, once, number(1));
    Value isVanishing = g.equal(a, number(-infinity));
    auto part = [&](Value factor) {
      return g.select(isVanishing, number(0), g.mul(g.mul(once, factor), again));
    };
    // Of an infinite size without direction the real part is infinite all the same.
    Value isUndirected = g.and_(g.equal(a, number(infinity)), g.not_(g.isFinite(b)));
    Value re = g.select(isUndirected, a, part(g.cos(b)));
    return join(re, g.select(isZero(b), b, part(g.sin(b))));
  }

  // Near 1 of what the squares are beyond 1, else of the larger part and of how much the smaller
  // one adds: no square overflows, and nothing cancels.
  Value log() {
    Value x = g.abs(a), y = g.abs(b);
    Value isSteep = g.less(x, y);
    Value large = g.select(isSteep, y, x), small = g.select(isSteep, x, y);
    Value isNear = g.and_(g.greater(large, number(0.5)), g.less(large, number(2)));
    Value one = number(1), nearLarge = g.select(isNear, large, one),
          nearSmall = g.select(isNear, small, number(0));
    Value excess =
        g.add(g.mul(g.sub(nearLarge, one), g.add(nearLarge, one)), g.mul(nearSmall, nearSmall));
    Value near = g.scale(g.log1p(excess), 0.5);
    Value divides = g.and_(g.not_(isZero(large)), g.isFinite(large));
    Value ratio = g.div(g.select(divides, small, number(0)), g.select(divides, large, one));
    Value far = g.add(g.log(large), g.scale(g.log1p(g.mul(ratio, ratio)), 0.5));
    return join(g.select(isNear, near, far), angleOf(call, b, a));
  }

  // Of the number times a power of 4, so that neither sum nor squares leave the range.
  Value sqrt() {
    Value size = g.maximum(g.abs(a), g.abs(b));
    Value isLarge = g.greaterEqual(size, number(1));
    const double up = isDouble() ? 0x1p108 : 0x1p48, root = isDouble() ? 0x1p-54 : 0x1p-24;
    Value scale = g.select(isLarge, number(0.25), number(up));
    Value x = g.mul(a, scale), y = g.mul(b, scale);
    Value sum = g.scale(g.add(g.abs(x), hypotOf(call, x, y)), 0.5);
    Value none = isZero(sum);
    Value half = g.select(none, number(0), g.sqrt(g.select(none, number(1), sum)));
    Value back = g.select(isLarge, number(2), number(root));
    Value t = g.mul(half, back);
    Value other = g.mul(g.div(y, g.scale(g.select(none, number(1), half), 2)), back);
    Value isLeft = isNegative(call, a);
    Value re = g.select(isLeft, g.abs(other), t);
    Value im = g.select(isLeft, withSignOf(t, b), other);
    // Infinite parts: an infinite imaginary one wins; of -inf the root is imaginary, of inf real.
    Value isTall = isInfinite(b), isWide = isInfinite(a);
    Value isFar = g.or_(isTall, isWide);
    Value limit = g.constantLike(infinity, a),
          nothing = g.mul(g.select(g.isFinite(b), b, number(0)), number(0));
    Value noNumber = g.sub(b, b); // NaN, unless b is finite
    Value farRe = g.select(isTall, limit, g.select(isLeft, g.abs(noNumber), limit));
    Value farIm = g.select(
        isTall, b, g.select(isLeft, withSignOf(limit, b), g.select(g.isFinite(b), nothing, b)));
    return join(g.select(isFar, farRe, re), g.select(isFar, farIm, im));
  }

  Value sin() {
    return join(hyperbolic(b, g.sin(a), Hyperbolic::Cosine),
                hyperbolic(b, g.cos(a), Hyperbolic::Sine));
  }
  Value cos() {
    return join(hyperbolic(b, g.cos(a), Hyperbolic::Cosine),
                g.neg(hyperbolic(b, g.sin(a), Hyperbolic::Sine)));
  }

  // (t + i h) / (1 - i t h) of t = tan(a), h = tanh(b).
  Value tan() {
    auto [along, across] = tangents(g.tan(a), b);
    return join(along, across);
  }
  // -i tan(i z).
  Value tanh() {
    auto [along, across] = tangents(g.tan(b), a);
    return join(across, along);
  }

private:
  bool isDouble() { return call.dtypeOf(a) == DType::Float64; }
  Value number(double value) { return g.constantLike(value, a); }
  Value isZero(Value x) { return g.equal(x, g.zeroLike(x)); }
  Value isInfinite(Value x) { return g.equal(g.abs(x), number(infinity)); }
  // The size, which is not negative, with the sign of x.
  Value withSignOf(Value size, Value x) { return g.select(isNegative(call, x), g.neg(size), size); }
  Value join(Value re, Value im) { return complexOf(call, {re, im}); }

  enum class Hyperbolic { Cosine, Sine };
  // cosh(x) or sinh(x) times a factor, which may make what overflows finite. A factor of 0 leaves
  // 0.
  Value hyperbolic(Value x, Value factor, Hyperbolic which) {
    Value size = g.abs(x), root = g.exp(g.scale(size, 0.5)), twice = g.scale(size, -2);
    Value half = which == Hyperbolic::Cosine ? g.scale(g.add(g.exp(twice), number(1)), 0.5)
                                             : withSignOf(g.scale(g.neg(g.expm1(twice)), 0.5), x);
    Value product = g.mul(g.mul(g.mul(half, root), factor), root);
    return g.select(isZero(factor), g.mul(factor, g.sign(half)), product);
  }

  // The parts of tan(x + i y) for t = tan(x): of the denominator 1 + (t tanh(y))^2.
  std::pair<Value, Value> tangents(Value t, Value y) {
    Value h = g.tanh(y), small = g.exp(g.scale(g.abs(y), -2));
    Value sum = g.add(number(1), small);
    Value falling = g.div(g.scale(small, 4), g.mul(sum, sum)); // 1 - h * h
    Value square = g.mul(t, t);
    Value below = g.add(number(1), g.mul(square, g.mul(h, h)));
    return {g.div(g.mul(t, falling), below), g.div(g.mul(h, g.add(number(1), square)), below)};
  }

  Call &call;
  ir::GraphMath &g;
  Value a, b;
};

} // namespace

static ComplexParts product(ir::GraphMath &g, const ComplexParts &x, const ComplexParts &y) {
  return {g.sub(g.mul(x.re, y.re), g.mul(x.im, y.im)), g.add(g.mul(x.re, y.im), g.mul(x.im, y.re))};
}

Value frontend::complexProduct(Call &call, Value a, Value b) {
  return complexOf(call, product(call.g, partsOf(call, a), partsOf(call, b)));
}

Value frontend::complexQuotient(Call &call, Value a, Value b) {
  ir::GraphMath &g = call.g;
  const ComplexParts x = partsOf(call, a), y = partsOf(call, b);
  Value zero = g.zeroLike(y.re), one = g.oneLike(y.re);
  Value isFlat = g.greaterEqual(g.abs(y.re), g.abs(y.im));
  Value large = g.select(isFlat, y.re, y.im), small = g.select(isFlat, y.im, y.re);
  // By 0 the quotients are those of the parts by its size, as NumPy has them.
  Value isZero = g.equal(large, zero);
  Value divisor = g.select(isZero, one, large);
  Value ratio = g.select(isZero, zero, g.div(small, divisor));
  Value sum = g.select(isZero, zero, g.add(large, g.mul(small, ratio)));
  Value first = g.select(isFlat, x.re, x.im), second = g.select(isFlat, x.im, x.re);
  auto added = [&](Value to, Value other) {
    return g.select(isZero, to, g.add(to, g.mul(other, ratio)));
  };
  Value re = g.div(added(first, second), sum);
  Value im = g.div(added(second, g.neg(first)), sum);
  return complexOf(call, {re, g.select(isFlat, im, g.neg(im))});
}

Value frontend::complexPower(Call &call, Value base, int64_t exponent) {
  ir::GraphMath &g = call.g;
  ComplexParts square = partsOf(call, base);
  std::optional<ComplexParts> result;
  for (uint64_t left = uint64_t(std::abs(exponent)); left; left >>= 1) {
    if (left & 1)
      result = result ? product(g, *result, square) : square;
    if (left > 1)
      square = product(g, square, square);
  }
  Value one = complexOf(call, {g.oneLike(square.re), g.zeroLike(square.re)});
  if (!result)
    return one;
  Value power = complexOf(call, *result);
  return exponent < 0 ? complexQuotient(call, one, power) : power;
}

Value frontend::complexPower(Call &call, Value base, Value exponent) {
  ir::GraphMath &g = call.g;
  const ComplexParts x = partsOf(call, base), w = partsOf(call, exponent);
  Value zero = g.zeroLike(x.re), one = g.oneLike(x.re);
  auto isZero = [&](const ComplexParts &z) {
    return g.and_(g.equal(z.re, zero), g.equal(z.im, zero));
  };
  Value isOfZero = isZero(x), isZeroth = isZero(w);
  Value safe = complexOf(call, {g.select(isOfZero, one, x.re), x.im});
  Value size = OfParts(call, complexProduct(call, exponent, OfParts(call, safe).log())).exp();
  const ComplexParts power = partsOf(call, size);
  // 0 to a power with a positive real part is 0, to any other none.
  Value noNumber = g.constantLike(std::numeric_limits<double>::quiet_NaN(), x.re);
  Value ofZero = g.select(g.greater(w.re, zero), zero, noNumber);
  Value re = g.select(isOfZero, ofZero, power.re), im = g.select(isOfZero, ofZero, power.im);
  return complexOf(call, {g.select(isZeroth, one, re), g.select(isZeroth, zero, im)});
}

Value frontend::complexSquareRoot(Call &call, Value z) { return OfParts(call, z).sqrt(); }

Value frontend::complexAngle(Call &call, Value z) {
  const ComplexParts parts = partsOf(call, z);
  return angleOf(call, parts.im, parts.re);
}

Value frontend::complexFunction(Call &call, llvm::StringRef name, Value z) {
  using Method = Value (OfParts::*)();
  Method method = llvm::StringSwitch<Method>(name)
                      .Case("abs", &OfParts::abs)
                      .Case("exp", &OfParts::exp)
                      .Case("log", &OfParts::log)
                      .Case("sin", &OfParts::sin)
                      .Case("cos", &OfParts::cos)
                      .Case("tan", &OfParts::tan)
                      .Case("tanh", &OfParts::tanh)
                      .Default(nullptr);
  if (!method)
    call.notImplemented("of complex numbers");
  return (OfParts(call, z).*method)();
}

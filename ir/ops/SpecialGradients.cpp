// Gradients of the incomplete gamma and beta functions, and of what says how samples change with
// their distributions. Densities are computed in f64, as their logarithms are differences of large
// numbers.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"

#include <limits>

using namespace keratin::ir;
using namespace mlir;

namespace {

// The operands in f64, and what comes of them in their own element type.
class WideMath {
public:
  WideMath(OpBuilder &builder, Operation *op)
      : g(builder, gradientLocation(op)), element(getElementType(op->getResult(0))) {}

  Value wide(Value x) { return g.cast(x, g.builder().getF64Type()); }
  Value narrow(Value x) { return g.cast(x, element); }

  // (a - 1) log(x), where 0 log(0) is 0, as x^0 is 1.
  Value powerOfNext(Value a, Value x) {
    Value exponent = g.sub(a, g.oneLike(a)), isZero = g.equal(exponent, g.zeroLike(a));
    return g.mul(exponent, g.log(g.select(isZero, g.oneLike(x), x)));
  }
  // x^(a - 1) e^-x / gamma(a).
  Value gammaDensity(Value a, Value x) {
    Value logarithm = g.sub(g.sub(powerOfNext(a, x), x), g.lgamma(a));
    Value isInfinite = g.equal(x, g.constantLike(std::numeric_limits<double>::infinity(), x));
    return g.select(isInfinite, g.zeroLike(x), g.exp(logarithm));
  }
  // x^(a - 1) (1 - x)^(b - 1) / beta(a, b).
  Value betaDensity(Value a, Value b, Value x) {
    Value powers = g.add(powerOfNext(a, x), powerOfNext(b, complement(x)));
    Value beta = g.sub(g.add(g.lgamma(a), g.lgamma(b)), g.lgamma(g.add(a, b)));
    return g.exp(g.sub(powers, beta));
  }
  Value complement(Value x) { return g.sub(g.oneLike(x), x); }
  // The density, and NaN where the function is.
  Value defined(Value density, Value y) {
    Value of = wide(g.builder().create<StopGradientOp>(g.location(), y));
    return g.select(g.equal(of, of), density, of);
  }
  // density * rate, 0 where the density is.
  Value flow(Value density, Value rate) {
    Value isZero = g.equal(density, g.zeroLike(density));
    return g.select(isZero, density, g.mul(density, rate));
  }

  GraphMath g;
  Type element;
};

} // namespace

// That of igamma, or of 1 minus it.
static LogicalResult gammaVjp(Operation *op, OpBuilder &builder, Value dy, bool isUpper,
                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!dy)
    return success();
  WideMath math(builder, op);
  GraphMath &g = math.g;
  Value a = math.wide(op->getOperand(0)), x = math.wide(op->getOperand(1));
  Value density = math.defined(math.gammaDensity(a, x), op->getResult(0));
  Value byShape = math.flow(density, g.gammaSampleGradient(a, x));
  Value up = g.mul(dy, math.narrow(density)), down = g.mul(dy, math.narrow(byShape));
  gradients[0] = isUpper ? down : g.neg(down);
  gradients[1] = isUpper ? g.neg(up) : up;
  return success();
}

LogicalResult IgammaOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value> &gradients) {
  return gammaVjp(*this, builder, cotangents[0], /*isUpper=*/false, gradients);
}

LogicalResult IgammacOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  return gammaVjp(*this, builder, cotangents[0], /*isUpper=*/true, gradients);
}

// Of y = -(dP/da) / p with the density p: dy/db = -(dp/da) / p - y (dp/db) / p. See
// refuseMissingGradients for that of a.
LogicalResult GammaSampleGradientOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                              SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (!cotangents[0])
    return success();
  WideMath math(builder, *this);
  GraphMath &g = math.g;
  Value a = math.wide(getA()), x = math.wide(getB()), y = math.wide(getY()), one = g.oneLike(x);
  Value byShape = g.sub(g.log(x), g.digamma(a));
  Value byNumber = g.sub(g.div(g.sub(a, one), x), one);
  Value slope = g.neg(g.add(byShape, g.mul(y, byNumber)));
  gradients[1] = g.mul(cotangents[0], math.narrow(slope));
  return success();
}

LogicalResult BetaincOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  gradients.assign(3, Value());
  if (!cotangents[0])
    return success();
  WideMath math(builder, *this);
  GraphMath &g = math.g;
  Value a = math.wide(getA()), b = math.wide(getB()), x = math.wide(getX());
  Value density = math.defined(math.betaDensity(a, b, x), getY());
  Value byA = math.flow(density, g.betaSampleGradient(a, b, x));
  Value byB = math.flow(density, g.betaSampleGradient(b, a, math.complement(x)));
  gradients[0] = g.neg(g.mul(cotangents[0], math.narrow(byA)));
  gradients[1] = g.mul(cotangents[0], math.narrow(byB));
  gradients[2] = g.mul(cotangents[0], math.narrow(density));
  return success();
}

LogicalResult BetaSampleGradientOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                             SmallVectorImpl<Value> &gradients) {
  gradients.assign(3, Value());
  if (!cotangents[0])
    return success();
  WideMath math(builder, *this);
  GraphMath &g = math.g;
  Value a = math.wide(getA()), b = math.wide(getB()), x = math.wide(getX()), y = math.wide(getY()),
        one = g.oneLike(x);
  Value byA = g.add(g.sub(g.log(x), g.digamma(a)), g.digamma(g.add(a, b)));
  Value byX = g.sub(g.div(g.sub(a, one), x), g.div(g.sub(b, one), math.complement(x)));
  gradients[2] = g.mul(cotangents[0], math.narrow(g.neg(g.add(byA, g.mul(y, byX)))));
  return success();
}

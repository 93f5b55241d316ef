// K functions: random numbers whose distribution follows from numbers that are drawn until one is
// accepted.
#include "frontend/backend/Random.h"
#include "frontend/graph/GivenGradient.h"
#include "frontend/graph/Loop.h"
#include "keratin/random.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

static bool isPositive(double number) { return number > 0 && std::isfinite(number); }

// Draws again for all elements that are to be drawn and have none accepted yet; those that none of
// many draws suits keep what they began with.
struct Proposal {
  Value value, isAccepted;
};
static Value accepted(Call &call, const std::string &what, Value first, Value isWanted,
                      int64_t mostSteps, llvm::function_ref<Proposal()> propose) {
  ir::GraphMath &g = call.g;
  auto any = [&](Value open) { return g.reduceAny(open, call.axes(None, call.rank(open))); };
  Loop loop(call, what);
  Value begins = any(isWanted);
  loop.addState(begins.getType());
  Value open = loop.addState(isWanted.getType()), value = loop.addState(first.getType());
  Proposal proposal = propose();
  Value takes = g.and_(open, proposal.isAccepted);
  Value next = g.select(takes, proposal.value, value);
  Value stays = g.and_(open, g.not_(proposal.isAccepted)), again = any(stays);
  loop.end();
  return loop.finishWhile({begins, isWanted, first}, {again, stays, next}, DimExpr(mostSteps))[2];
}

//===-- Gamma ---------------------------------------------------------------------------------===//

// Gamma-distributed numbers with scale 1, and their logarithms, which are finite where a number of
// a small shape underflows. Marsaglia, Tsang: A simple method for generating gamma variables (ACM
// TOMS 2000), for shapes of 1 and more; one of a smaller shape a is one of a + 1 times U^(1/a).
namespace {
struct GammaDraw {
  Value number, logarithm;
};
} // namespace

static GammaDraw drawGamma(Call &call, RandomStream &stream, Value shape, DType dtype) {
  ir::GraphMath &g = call.g;
  const ir::Shape sizes = ir::getShape(shape);
  Value one = g.oneLike(shape), zero = g.zeroLike(shape);
  Value isRegular = g.and_(g.greater(shape, zero), g.isFinite(shape));
  Value a = g.select(isRegular, shape, one), isSmall = g.less(a, one);
  Value d = g.sub(g.select(isSmall, g.add(a, one), a), call.like(a, 1.0 / 3));
  Value c = g.rsqrt(g.scale(d, 9));
  // What is no shape has no number, an infinite one an infinite number.
  Value isInfinite = g.equal(shape, call.like(shape, infinity));
  Value other = g.select(isInfinite, shape, call.like(shape, notANumber));
  Value first = g.select(isRegular, d, other);
  Value large = accepted(call, "random_gamma", first, isRegular, 100, [&]() -> Proposal {
    Value x = standardNormal(call, stream, sizes, dtype);
    Value u = inner(call, stream, sizes, dtype);
    Value root = g.add(g.mul(c, x), one), isAbove = g.greater(root, zero);
    root = g.select(isAbove, root, one);
    Value v = g.mul(root, g.mul(root, root));
    Value limit = g.add(g.scale(g.mul(x, x), 0.5), g.mul(d, g.add(g.sub(one, v), g.log(v))));
    return {g.mul(d, v), g.and_(isAbove, g.less(g.log(u), limit))};
  });
  Value logarithm = g.log(large);
  Value boost = g.div(g.log(inner(call, stream, sizes, dtype)), a);
  logarithm = g.select(isSmall, g.add(logarithm, boost), logarithm);
  return {g.select(isSmall, g.exp(logarithm), large), logarithm};
}

// The same with the gradient by the shape: how a number changes that stays the quantile of the same
// probability (Figurnov, Mohamed, Mnih: Implicit reparameterization gradients; NeurIPS 2018).
static GammaDraw standardGamma(Call &call, RandomStream &stream, Value shape) {
  ir::GraphMath &g = call.g;
  const DType dtype = call.dtypeOf(shape);
  const GammaDraw drawn = drawGamma(call, stream, shape, dtype);
  auto build = [&](llvm::ArrayRef<Value> results,
                   llvm::ArrayRef<Value> cotangents) -> std::vector<Value> {
    Value number = results[0], logarithm = results[1];
    Value byShape = g.gammaSampleGradient(shape, number);
    // Of one that is next to nothing the logarithm is (log(probability) + lgamma(a + 1)) / a.
    Value tiny = call.like(number, dtype == DType::Float64 ? 1e-290 : 1e-30);
    Value isTiny = g.less(number, tiny);
    Value ofTiny = g.div(g.sub(g.digamma(g.add(shape, g.oneLike(shape))), logarithm), shape);
    Value rate = g.div(byShape, g.select(isTiny, g.oneLike(number), number));
    return {
        g.add(g.mul(cotangents[0], byShape), g.mul(cotangents[1], g.select(isTiny, ofTiny, rate)))};
  };
  std::vector<Value> values = withGradient(call, "the gradient of random_gamma",
                                           {drawn.number, drawn.logarithm}, {shape}, build);
  return {values[0], values[1]};
}

//===-- Poisson -------------------------------------------------------------------------------===//

// Below this rate numbers are multiplied until they are too small; from it on Hoermann's rejection
// takes about as many draws, whatever the rate.
static constexpr double leastLarge = 10;

static Value smallPoisson(Call &call, RandomStream &stream, Value rate, Value isWanted) {
  ir::GraphMath &g = call.g;
  const ir::Shape sizes = ir::getShape(rate);
  const DType dtype = call.dtypeOf(rate);
  Value zero = g.zeroLike(rate), one = g.oneLike(rate);
  Value limit = g.exp(g.neg(g.select(isWanted, rate, zero)));
  auto any = [&](Value open) { return g.reduceAny(open, call.axes(None, call.rank(open))); };
  Loop loop(call, "random_poisson");
  Value begins = any(isWanted);
  loop.addState(begins.getType());
  Value open = loop.addState(isWanted.getType()), product = loop.addState(rate.getType()),
        count = loop.addState(rate.getType());
  Value next = g.mul(product, inner(call, stream, sizes, dtype));
  Value stays = g.and_(open, g.greater(next, limit));
  Value counted = g.select(stays, g.add(count, one), count), again = any(stays);
  loop.end();
  return loop.finishWhile({begins, isWanted, one, zero}, {again, stays, next, counted},
                          DimExpr(200))[3];
}

// In f64, as the logarithms of large rates are.
static Value largePoisson(Call &call, RandomStream &stream, Value rate, Value isWanted) {
  ir::GraphMath &g = call.g;
  const ir::Shape sizes = ir::getShape(rate);
  rate = g.select(isWanted, rate, call.like(rate, leastLarge));
  Value one = g.oneLike(rate), zero = g.zeroLike(rate);
  auto constant = [&](double number) { return call.like(rate, number); };
  Value root = g.sqrt(rate), logarithm = g.log(rate);
  Value b = g.add(g.scale(root, 2.53), constant(0.931));
  Value a = g.add(g.scale(b, 0.02483), constant(-0.059));
  Value inverse = g.add(g.div(constant(1.1328), g.sub(b, constant(3.4))), constant(1.1239));
  Value squeeze = g.sub(constant(0.9277), g.div(constant(3.6224), g.sub(b, constant(2))));
  return accepted(call, "random_poisson", g.floor(rate), isWanted, 200, [&]() -> Proposal {
    Value u = g.sub(inner(call, stream, sizes, DType::Float64), constant(0.5));
    Value v = inner(call, stream, sizes, DType::Float64);
    Value distance = g.sub(constant(0.5), g.abs(u));
    Value slope = g.add(g.div(g.scale(a, 2), distance), b);
    Value k = g.floor(g.add(g.mul(slope, u), g.add(rate, constant(0.43))));
    Value isAtOnce = g.and_(g.greaterEqual(distance, constant(0.07)), g.greaterEqual(squeeze, v));
    Value isOut =
        g.or_(g.less(k, zero), g.and_(g.less(distance, constant(0.013)), g.greater(v, distance)));
    Value found = g.select(isOut, zero, k);
    Value density = g.add(g.div(a, g.mul(distance, distance)), b);
    Value left = g.log(g.div(g.mul(v, inverse), density));
    Value right = g.sub(g.sub(g.mul(found, logarithm), rate), g.lgamma(g.add(found, one)));
    Value isUnder = g.and_(g.not_(isOut), g.greaterEqual(right, left));
    return {found, g.or_(isAtOnce, isUnder)};
  });
}

static Value poisson(Call &call, RandomStream &stream, Value rate) {
  ir::GraphMath &g = call.g;
  rate = call.cast(rate, DType::Float64);
  Value zero = g.zeroLike(rate), border = call.like(rate, leastLarge);
  Value isRegular = g.and_(g.greaterEqual(rate, zero), g.isFinite(rate));
  Value isLarge = g.and_(isRegular, g.greaterEqual(rate, border));
  Value isSmall = g.and_(isRegular, g.less(rate, border));
  Value small = smallPoisson(call, stream, rate, isSmall);
  Value large = largePoisson(call, stream, rate, isLarge);
  Value number = g.select(isLarge, large, small);
  return g.select(isRegular, number, call.like(rate, notANumber));
}

namespace keratin::backend {

Tensor random_gamma(const Shape &shape, const Operand &alpha, const Operand &beta,
                    DTypeArgument dtype, std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_gamma", location);
  const DType type = floatDtype(call, dtype), work = workDtype(type);
  const ir::Shape sizes = call.shape(shape);
  requireNumbers(call, alpha, "alpha", isPositive, "a finite number above 0");
  requireNumbers(call, beta, "beta", isPositive, "a finite number above 0");
  RandomStream stream(call, seed);
  Value number = standardGamma(call, stream, parameter(call, alpha, work, sizes, "alpha")).number;
  if (!(beta.isNumber() && beta.number() == 1))
    number = call.g.div(number, parameter(call, beta, work, sizes, "beta"));
  return call.tensor(call.cast(number, type));
}

Tensor random_beta(const Shape &shape, const Operand &a, const Operand &b, DTypeArgument dtype,
                   std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_beta", location);
  const DType type = floatDtype(call, dtype), work = workDtype(type);
  const ir::Shape sizes = call.shape(shape);
  requireNumbers(call, a, "a", isPositive, "a finite number above 0");
  requireNumbers(call, b, "b", isPositive, "a finite number above 0");
  RandomStream stream(call, seed);
  // x / (x + y) of two gamma-distributed numbers, by their logarithms.
  Value x = standardGamma(call, stream, parameter(call, a, work, sizes, "a")).logarithm;
  Value y = standardGamma(call, stream, parameter(call, b, work, sizes, "b")).logarithm;
  return call.tensor(call.cast(call.g.logistic(call.g.sub(x, y)), type));
}

Tensor random_exponential(const Shape &shape, const Operand &scale, DTypeArgument dtype,
                          std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_exponential", location);
  const DType type = floatDtype(call, dtype), work = workDtype(type);
  const ir::Shape sizes = call.shape(shape);
  requireNumbers(
      call, scale, "scale", [](double number) { return number >= 0 && std::isfinite(number); },
      "a finite number, 0 or more");
  RandomStream stream(call, seed);
  Value number = call.g.neg(call.g.log(inner(call, stream, sizes, work)));
  if (!(scale.isNumber() && scale.number() == 1))
    number = call.g.mul(number, parameter(call, scale, work, sizes, "scale"));
  return call.tensor(call.cast(number, type));
}

Tensor random_poisson(const Shape &shape, const Operand &lam, DTypeArgument dtype,
                      std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_poisson", location);
  const DType type = dtype.valueOr(DType::Int64);
  requireRealDtype(call, type);
  const ir::Shape sizes = call.shape(shape);
  requireNumbers(
      call, lam, "lam", [](double number) { return number >= 0 && std::isfinite(number); },
      "a finite number, 0 or more");
  RandomStream stream(call, seed);
  Value rate = parameter(call, lam, DType::Float64, sizes, "lam");
  return call.tensor(call.cast(poisson(call, stream, rate), type));
}

} // namespace keratin::backend

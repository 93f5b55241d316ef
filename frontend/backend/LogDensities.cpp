// K functions: logarithms of densities. What lies outside of a distribution is replaced by a number
// inside before anything is computed of it, so that no gradient is made of infinities.
#include "frontend/backend/AlongAxis.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Diagonals.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"
#include "keratin/distributions.h"
#include "keratin/linear_algebra.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace keratin;
using namespace keratin::frontend;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double logTwoPi = std::log(2 * std::numbers::pi);

namespace {

// The operands of one shape and dtype, as they are computed with.
class Density {
public:
  Density(const char *function, const std::vector<Operand> &operands, SourceLocation location)
      : call(function, location), g(call.g) {
    values = floatsOfOneShape(call, operands);
    dtype = call.dtypeOf(values.front());
    for (Value &value : values)
      value = widened(call, value);
  }

  Value operator[](size_t i) const { return values[i]; }
  Value constant(double number) { return g.constantLike(number, values.front()); }
  Value one() { return constant(1); }
  Value zero() { return constant(0); }
  Value plus(Value x, double number) { return g.add(x, constant(number)); }
  Value complement(Value x) { return g.sub(one(), x); }

  // NaN where it is not.
  Value positive(Value x) {
    return g.select(g.greater(x, zero()), x, constant(std::numeric_limits<double>::quiet_NaN()));
  }
  // (x - loc) / scale
  Value standardized(Value x, Value loc, Value scale) { return g.div(g.sub(x, loc), scale); }
  // a log(x), and 0 where a is 0; x is not negative. Where x is 0 too, no gradient flows.
  Value timesLog(Value a, Value x) {
    Value isNothing = g.equal(a, zero());
    return g.mul(a, g.log(g.select(isNothing, one(), x)));
  }
  Value timesLogOfRest(Value a, Value x) {
    Value isNothing = g.equal(a, zero());
    return g.mul(a, g.log1p(g.neg(g.select(isNothing, zero(), x))));
  }
  Value isWhole(Value x) { return g.equal(g.floor(x), x); }
  Value isProbability(Value p) {
    return g.and_(g.greaterEqual(p, zero()), g.greaterEqual(one(), p));
  }
  Value probability(Value p) {
    return g.select(isProbability(p), p, constant(std::numeric_limits<double>::quiet_NaN()));
  }

  // x, or where it is not inside, or NaN, another number that is.
  Value within(Value inside, Value x, Value other) { return g.select(inside, x, other); }
  // The value where x is inside or NaN, else -inf.
  Tensor result(Value inside, Value x, Value value) {
    Value isNumber = g.equal(x, x);
    Value outside = g.select(isNumber, constant(-infinity), x);
    // What parameters are not, stays: NaN + -inf.
    Value isUsual = g.equal(value, value);
    return call.tensor(call.cast(
        g.select(g.and_(inside, isNumber), value, g.select(isUsual, outside, value)), dtype));
  }
  Tensor result(Value value) { return call.tensor(call.cast(value, dtype)); }

  Call call;
  ir::GraphMath &g;

private:
  std::vector<Value> values;
  DType dtype;
};

} // namespace

// Of x >= 0 with a scale.
static Tensor gammaLogProb(Density &d, Value x, Value a, Value scale) {
  ir::GraphMath &g = d.g;
  a = d.positive(a);
  scale = d.positive(scale);
  Value inside = g.greaterEqual(x, d.zero()), z = g.div(d.within(inside, x, d.one()), scale);
  Value power = d.timesLog(d.plus(a, -1), z);
  return d.result(inside, x, g.sub(g.sub(power, z), g.add(g.lgamma(a), g.log(scale))));
}

namespace keratin::backend {

Tensor normal_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                       SourceLocation location) {
  Density d("normal_log_prob", {x, loc, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[2]), z = d.standardized(d[0], d[1], width);
  Value exponent = g.scale(g.mul(z, z), -0.5);
  return d.result(g.sub(d.plus(exponent, -logTwoPi / 2), g.log(width)));
}

Tensor lognormal_log_prob(const Operand &x, const Operand &s, const Operand &scale,
                          SourceLocation location) {
  Density d("lognormal_log_prob", {x, s, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[1]), inside = g.greater(d[0], d.zero());
  Value logX = g.log(d.within(inside, d[0], d.one()));
  Value z = g.div(g.sub(logX, g.log(d.positive(d[2]))), width);
  Value exponent = d.plus(g.scale(g.mul(z, z), -0.5), -logTwoPi / 2);
  return d.result(inside, d[0], g.sub(exponent, g.add(g.log(width), logX)));
}

Tensor half_normal_log_prob(const Operand &x, const Operand &scale, SourceLocation location) {
  Density d("half_normal_log_prob", {x, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[1]), inside = g.greaterEqual(d[0], d.zero());
  Value z = g.div(d.within(inside, d[0], d.one()), width);
  Value exponent = d.plus(g.scale(g.mul(z, z), -0.5), std::log(2.0) - logTwoPi / 2);
  return d.result(inside, d[0], g.sub(exponent, g.log(width)));
}

Tensor student_t_log_prob(const Operand &x, const Operand &df, const Operand &loc,
                          const Operand &scale, SourceLocation location) {
  Density d("student_t_log_prob", {x, df, loc, scale}, location);
  ir::GraphMath &g = d.g;
  Value degrees = d.positive(d[1]), width = d.positive(d[3]);
  Value z = d.standardized(d[0], d[2], width);
  Value half = g.scale(d.plus(degrees, 1), 0.5);
  Value size = g.sub(g.lgamma(half), g.lgamma(g.scale(degrees, 0.5)));
  size = g.sub(size, g.add(g.scale(g.log(g.scale(degrees, std::numbers::pi)), 0.5), g.log(width)));
  return d.result(g.sub(size, g.mul(half, g.log1p(g.div(g.mul(z, z), degrees)))));
}

Tensor cauchy_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                       SourceLocation location) {
  Density d("cauchy_log_prob", {x, loc, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[2]), z = d.standardized(d[0], d[1], width);
  Value size = d.plus(g.neg(g.log(width)), -std::log(std::numbers::pi));
  return d.result(g.sub(size, g.log1p(g.mul(z, z))));
}

Tensor laplace_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                        SourceLocation location) {
  Density d("laplace_log_prob", {x, loc, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[2]), z = d.standardized(d[0], d[1], width);
  return d.result(g.sub(d.plus(g.neg(g.abs(z)), -std::log(2.0)), g.log(width)));
}

Tensor exponential_log_prob(const Operand &x, const Operand &scale, SourceLocation location) {
  Density d("exponential_log_prob", {x, scale}, location);
  ir::GraphMath &g = d.g;
  Value width = d.positive(d[1]), inside = g.greaterEqual(d[0], d.zero());
  Value z = g.div(d.within(inside, d[0], d.one()), width);
  return d.result(inside, d[0], g.neg(g.add(z, g.log(width))));
}

Tensor gamma_log_prob(const Operand &x, const Operand &a, const Operand &scale,
                      SourceLocation location) {
  Density d("gamma_log_prob", {x, a, scale}, location);
  return gammaLogProb(d, d[0], d[1], d[2]);
}

Tensor inverse_gamma_log_prob(const Operand &x, const Operand &a, const Operand &scale,
                              SourceLocation location) {
  Density d("inverse_gamma_log_prob", {x, a, scale}, location);
  ir::GraphMath &g = d.g;
  Value shape = d.positive(d[1]), width = d.positive(d[2]);
  Value inside = g.greater(d[0], d.zero());
  Value z = g.div(d.within(inside, d[0], d.one()), width);
  Value power = g.mul(d.plus(shape, 1), g.log(z));
  Value size = g.add(g.lgamma(shape), g.log(width));
  return d.result(inside, d[0], g.neg(g.add(g.add(power, g.div(d.one(), z)), size)));
}

Tensor beta_log_prob(const Operand &x, const Operand &a, const Operand &b,
                     SourceLocation location) {
  Density d("beta_log_prob", {x, a, b}, location);
  ir::GraphMath &g = d.g;
  Value first = d.positive(d[1]), second = d.positive(d[2]), inside = d.isProbability(d[0]);
  Value p = d.within(inside, d[0], d.constant(0.5));
  Value powers = g.add(d.timesLog(d.plus(first, -1), p), d.timesLogOfRest(d.plus(second, -1), p));
  Value size = g.sub(g.add(g.lgamma(first), g.lgamma(second)), g.lgamma(g.add(first, second)));
  return d.result(inside, d[0], g.sub(powers, size));
}

Tensor chi2_log_prob(const Operand &x, const Operand &df, SourceLocation location) {
  Density d("chi2_log_prob", {x, df}, location);
  return gammaLogProb(d, d[0], d.g.scale(d[1], 0.5), d.constant(2));
}

Tensor uniform_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                        SourceLocation location) {
  Density d("uniform_log_prob", {x, loc, scale}, location);
  ir::GraphMath &g = d.g;
  Value inside = g.and_(g.greaterEqual(d[0], d[1]), g.greaterEqual(g.add(d[1], d[2]), d[0]));
  return d.result(inside, d[0], g.neg(g.log(d.positive(d[2]))));
}

Tensor bernoulli_log_prob(const Operand &k, const Operand &logits, SourceLocation location) {
  Density d("bernoulli_log_prob", {k, logits}, location);
  ir::GraphMath &g = d.g;
  Value isOne = g.equal(d[0], d.one()), inside = g.or_(isOne, g.equal(d[0], d.zero()));
  // -softplus of what speaks against it.
  return d.result(inside, d[0], g.neg(g.softplus(g.select(isOne, g.neg(d[1]), d[1]))));
}

Tensor binomial_log_prob(const Operand &k, const Operand &n, const Operand &p,
                         SourceLocation location) {
  Density d("binomial_log_prob", {k, n, p}, location);
  ir::GraphMath &g = d.g;
  Value isCount = g.and_(d.isWhole(d[1]), g.greaterEqual(d[1], d.zero()));
  Value all = g.select(isCount, d[1], d.constant(std::numeric_limits<double>::quiet_NaN()));
  Value probability = d.probability(d[2]);
  Value inside =
      g.and_(d.isWhole(d[0]), g.and_(g.greaterEqual(d[0], d.zero()), g.greaterEqual(d[1], d[0])));
  Value found = d.within(inside, d[0], d.zero()), rest = g.sub(all, found);
  Value ways =
      g.sub(g.lgamma(d.plus(all, 1)), g.add(g.lgamma(d.plus(found, 1)), g.lgamma(d.plus(rest, 1))));
  Value powers = g.add(d.timesLog(found, probability), d.timesLogOfRest(rest, probability));
  return d.result(inside, d[0], g.add(ways, powers));
}

Tensor poisson_log_prob(const Operand &k, const Operand &mu, SourceLocation location) {
  Density d("poisson_log_prob", {k, mu}, location);
  ir::GraphMath &g = d.g;
  Value isRate = g.greaterEqual(d[1], d.zero());
  Value rate = g.select(isRate, d[1], d.constant(std::numeric_limits<double>::quiet_NaN()));
  Value inside = g.and_(d.isWhole(d[0]), g.greaterEqual(d[0], d.zero()));
  Value found = d.within(inside, d[0], d.zero());
  Value power = g.sub(d.timesLog(found, rate), rate);
  return d.result(inside, d[0], g.sub(power, g.lgamma(d.plus(found, 1))));
}

Tensor negative_binomial_log_prob(const Operand &k, const Operand &n, const Operand &p,
                                  SourceLocation location) {
  Density d("negative_binomial_log_prob", {k, n, p}, location);
  ir::GraphMath &g = d.g;
  Value successes = d.positive(d[1]), probability = d.probability(d[2]);
  Value inside = g.and_(d.isWhole(d[0]), g.greaterEqual(d[0], d.zero()));
  Value failures = d.within(inside, d[0], d.zero());
  Value ways = g.sub(g.lgamma(g.add(failures, successes)),
                     g.add(g.lgamma(successes), g.lgamma(d.plus(failures, 1))));
  Value powers =
      g.add(g.mul(successes, g.log(probability)), d.timesLogOfRest(failures, probability));
  return d.result(inside, d[0], g.add(ways, powers));
}

Tensor categorical_log_prob(const Operand &k, const Operand &logits, SourceLocation location) {
  Call call("categorical_log_prob", location);
  ir::GraphMath &g = call.g;
  Value classes = call.value(k), scores = call.floating(logits);
  if (!isInteger(call.dtypeOf(classes)))
    call.typeError(std::string("k is ") + dtypeName(call.dtypeOf(classes)) +
                   "; needed an integer dtype");
  if (call.rank(scores) == 0)
    call.valueError("logits is a scalar; needed at least one axis");
  const DType dtype = call.dtypeOf(scores);
  scores = widened(call, scores);
  // Both with the axes of both.
  ir::Shape shape = ir::getShape(scores);
  const DimExpr count = shape.back();
  shape.pop_back();
  shape = call.broadcastShape(shape, ir::getShape(classes));
  classes = call.broadcastTo(call.cast(classes, DType::Int64), shape);
  shape.push_back(count);
  scores = call.broadcastTo(scores, shape);
  const std::vector<int64_t> last = {call.rank(scores) - 1};
  Value sum = logSumExp(call, scores, last);
  Value zero = g.zeroLike(classes);
  Value end = g.broadcastScalar(call.scalar(count, DType::Int64), ir::getShape(classes));
  Value inside = g.and_(g.greaterEqual(classes, zero), g.less(classes, end));
  ir::Shape column = ir::getShape(classes);
  column.push_back(DimExpr(1));
  Value places = g.reshape(g.select(inside, classes, zero), column);
  Value found = g.reshape(pickedAlongLast(call, scores, places), ir::getShape(classes));
  Value value = g.sub(found, g.reshape(sum, ir::getShape(classes)));
  return call.tensor(call.cast(g.select(inside, value, g.constantLike(-infinity, value)), dtype));
}

Tensor dirichlet_log_prob(const Operand &x, const Operand &alpha, SourceLocation location) {
  Density d("dirichlet_log_prob", {x, alpha}, location);
  ir::GraphMath &g = d.g;
  if (d.call.rank(d[0]) == 0)
    d.call.valueError("x and alpha are scalars; needed at least one axis");
  const std::vector<int64_t> last = {d.call.rank(d[0]) - 1};
  Value concentration = d.positive(d[1]), inside = d.isProbability(d[0]);
  Value part = d.within(inside, d[0], d.one());
  Value power = d.timesLog(d.plus(concentration, -1), part);
  power = g.select(inside, power, d.constant(-infinity));
  Value size =
      g.sub(g.lgamma(g.reduceSum(concentration, last)), g.reduceSum(g.lgamma(concentration), last));
  return d.result(g.add(size, g.reduceSum(power, last)));
}

Tensor multivariate_normal_log_prob(const Operand &x, const Operand &mean, const Operand &cov,
                                    SourceLocation location) {
  DimExpr size, count;
  ir::Shape shape; // without the vectors' axis
  auto [deviation, covariance] = [&] {
    Call call("multivariate_normal_log_prob", location);
    std::vector<Value> values = call.promoted({x, mean, cov});
    for (Value &value : values)
      if (!isFloating(call.dtypeOf(value)))
        value = call.cast(value, Configuration::floatx());
    if (call.rank(values[0]) == 0)
      call.valueError("x is a scalar; needed at least one axis");
    if (call.rank(values[2]) != 2)
      call.valueError("cov has shape " + describe(values[2]) + "; needed a matrix");
    shape = call.broadcastShape(ir::getShape(values[0]), ir::getShape(values[1]));
    size = shape.back();
    Value matrix = call.requireShape(values[2], {size, size}, "cov and the last axis of x");
    Value difference =
        call.g.sub(call.broadcastTo(values[0], shape), call.broadcastTo(values[1], shape));
    shape.pop_back();
    count = call.check(ir::elementCount(shape));
    // Vectors as columns.
    difference = call.g.transpose(call.g.reshape(difference, {count, size}), {1, 0});
    return std::pair(call.tensor(difference), call.tensor(matrix));
  }();
  Tensor factor = cholesky(covariance, /*check=*/false, location);
  Tensor columns = triangular_solve(factor, deviation, /*lower=*/true, /*transposed=*/false,
                                    /*unit_diagonal=*/false, /*check=*/false, location);
  Call call("multivariate_normal_log_prob", location);
  ir::GraphMath &g = call.g;
  Value z = valueOf(columns), l = valueOf(factor);
  Value squares = g.reshape(g.reduceSum(g.mul(z, z), {0}), shape);
  Value root = g.reduceSum(g.log(diagonal(call, l, 0, 1, 0)), {0});
  Value dimensions = call.cast(call.scalar(size, DType::Int64), call.dtypeOf(z));
  Value sizes = g.add(root, g.scale(dimensions, logTwoPi / 2));
  return call.tensor(g.sub(g.scale(squares, -0.5), g.broadcastScalar(sizes, shape)));
}

} // namespace keratin::backend

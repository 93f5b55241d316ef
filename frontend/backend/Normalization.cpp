// K functions: dropout, biases, batch normalisation, ranking.
#include "keratin/nn.h"

#include "keratin/config.h"

#include "frontend/backend/Random.h"
#include "frontend/backend/RankStatistics.h"
#include "frontend/backend/Reductions.h"
#include "frontend/backend/Windows.h"
#include "frontend/graph/SmallSizes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

// The noise of dropout: entries may be None, x's size.
static ir::Shape noiseShape(Call &call, Value x, const Shape &noise) {
  ir::Shape shape = ir::getShape(x);
  if (noise.isNone())
    return shape;
  std::vector<std::optional<DimExpr>> entries = call.entries(noise, "noise_shape");
  if (entries.size() != shape.size())
    call.valueError("noise_shape has " + std::to_string(entries.size()) +
                    " entries; needed the rank of x, " + std::to_string(shape.size()));
  for (size_t i = 0; i < shape.size(); ++i)
    if (entries[i])
      shape[i] = *entries[i];
  return shape;
}

// A parameter of batch normalisation under x's rank: its elements along the axes, 1 elsewhere.
static Value alongAxes(Call &call, const Operand &operand, Value x, AxisList axes,
                       const char *name) {
  Value value = call.value(operand, call.dtypeOf(x));
  ir::Shape shape(size_t(call.rank(x)), one), full = ir::getShape(x);
  for (int64_t axis : axes)
    shape[axis] = full[axis];
  DimExpr wanted = call.check(ir::elementCount(shape));
  DimExpr found = call.check(ir::elementCount(ir::getShape(value)));
  if (wanted.isConstant() && found.isConstant() && wanted != found)
    call.valueError(std::string(name) + " has shape " + describe(value) + "; needed " +
                    wanted.str() + " elements for x of shape " + describe(x));
  return call.g.reshape(value, shape);
}

// (x - mean) / sqrt(variance + epsilon) * gamma + beta; the parameters broadcast to x.
static Value normalized(Call &call, Value x, Value mean, Value variance, Value gamma, Value beta,
                        double epsilon) {
  ir::GraphMath &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  // The factor is computed once for each parameter, not once for each element.
  Value factor = g.rsqrt(g.add(variance, call.like(variance, epsilon)));
  if (gamma) {
    ir::Shape common = call.broadcastShape(ir::getShape(factor), ir::getShape(gamma));
    factor = g.mul(call.broadcastTo(factor, common), call.broadcastTo(gamma, common));
  }
  Value y = g.mul(g.sub(x, call.broadcastTo(mean, shape)), call.broadcastTo(factor, shape));
  return beta ? g.add(y, call.broadcastTo(beta, shape)) : y;
}

// x, whose unknown sizes are the noise's where that has a number other than 1. Other sizes that are
// not known meet when the noise is broadcast.
static Value matchingNoise(Call &call, Value x, const ir::Shape &noise) {
  ir::Shape shape = ir::getShape(x);
  bool fits = noise.size() <= shape.size();
  for (size_t i = 0; fits && i < noise.size(); ++i) {
    DimExpr &size = shape[shape.size() - noise.size() + i];
    if (!noise[i].isConstant() || noise[i] == one)
      continue;
    fits = !size.isConstant() || size == noise[i];
    size = noise[i];
  }
  if (!fits)
    call.valueError("noise_shape is " + describe(noise) + "; needed one that broadcasts to " +
                    describe(x));
  return call.requireShape(x, shape, "noise_shape and x");
}

namespace keratin::backend {

Tensor dropout(const Operand &operand, double level, const Shape &noise_shape,
               std::optional<int64_t> seed, SourceLocation location) {
  Call call("dropout", location);
  ir::GraphMath &g = call.g;
  if (!(level >= 0 && level < 1))
    call.valueError("level is " + std::to_string(level) + "; needed at least 0 and below 1");
  if (level == 0 && operand.isTensor()) {
    (void)call.raw(operand.tensor());
    return operand.tensor();
  }
  Value x = call.floating(operand);
  if (level == 0)
    return call.tensor(x);
  ir::Shape noise = noiseShape(call, x, noise_shape);
  x = matchingNoise(call, x, noise);
  // The uniform number of an element is its 32 bits as a fraction: kept if it is not below level,
  // and the greatest in any case.
  RandomStream stream(call, seed);
  Value bits = stream.bits(noise);
  Value border = g.integerScalar(int64_t(std::min(std::ceil(level * 0x1p32), 0x1p32 - 1)),
                                 ir::getElementType(bits));
  Value keep = g.greaterEqual(bits, g.broadcastScalar(border, noise));
  Value scaled = g.scale(x, 1.0 / (1.0 - level));
  return call.tensor(g.select(call.broadcastTo(keep, ir::getShape(x)), scaled, g.zeroLike(x)));
}

Tensor in_top_k(const Operand &predictions, const Operand &targets, int64_t k,
                SourceLocation location) {
  Call call("in_top_k", location);
  ir::GraphMath &g = call.g;
  Value p = call.floating(predictions), t = call.value(targets);
  if (call.rank(p) != 2 || call.rank(t) != 1)
    call.valueError("predictions and targets have ranks " + std::to_string(call.rank(p)) + " and " +
                    std::to_string(call.rank(t)) + "; needed 2 and 1");
  if (!isInteger(call.dtypeOf(t)))
    call.typeError(std::string("targets have dtype ") + dtypeName(call.dtypeOf(t)) +
                   "; needed integers");
  ir::Shape shape = ir::getShape(p);
  shape[0] = call.unify(shape[0], ir::getShape(t)[0], "the batch sizes of predictions and targets");
  p = call.requireShape(p, shape, "predictions");
  t = call.requireShape(call.cast(t, DType::Int64), {shape[0]}, "targets");
  const std::vector<int64_t> classes = {1};
  Value hit = g.equal(spread(call, t, p, classes),
                      g.iota(ir::getTensorType(shape, call.elementType(DType::Int64)), 1));
  Value chosen = g.reduceSum(g.select(hit, p, g.zeroLike(p)), classes);
  Value above = call.cast(g.greater(p, spread(call, chosen, p, classes)), DType::Int64);
  Value count = g.reduceSum(above, classes);
  Value few = g.less(count, call.g.broadcastScalar(
                                g.integerScalar(k, call.elementType(DType::Int64)), {shape[0]}));
  Value valid = g.and_(g.reduceAny(hit, classes), g.reduceAll(g.isFinite(p), classes));
  return call.tensor(g.and_(few, valid));
}

Tensor bias_add(const Operand &operand, const Operand &bias, const DataFormat &data_format,
                SourceLocation location) {
  Call call("bias_add", location);
  ir::GraphMath &g = call.g;
  bool channelsFirst = isChannelsFirst(call, data_format);
  Value x = call.value(operand), b = call.value(bias, call.dtypeOf(x));
  int64_t rank = call.rank(x), biasRank = call.rank(b);
  if (rank == 0)
    call.valueError("x has rank 0; needed 1 or more");
  if (biasRank != 1 && biasRank != rank - 1)
    call.valueError("bias has rank " + std::to_string(biasRank) + "; needed 1 or " +
                    std::to_string(rank - 1));
  ir::Shape shape = ir::getShape(x);
  bool spatial = rank >= 3 && rank <= 5;
  if (biasRank == 1) {
    ir::Shape along(size_t(rank), one);
    along[spatial && channelsFirst ? 1 : rank - 1] = ir::getShape(b)[0];
    b = g.reshape(b, along);
  } else {
    // Channels-first keeps the order of the elements: a reshape, not a transposition.
    ir::Shape from = ir::getShape(b);
    if (spatial && channelsFirst) {
      from.insert(from.begin(), from.back());
      from.pop_back();
    }
    from.insert(from.begin(), one);
    b = g.reshape(b, from);
  }
  // What one of them knows of a size holds for both; a bias does not stretch x.
  ir::Shape needed = ir::getShape(b);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (needed[i] == one)
      continue;
    if (shape[i].isConstant() && needed[i].isConstant() && shape[i] != needed[i])
      call.valueError("bias has shape " + describe(call.value(bias)) +
                      ", which does not fit x of shape " + describe(x));
    shape[i] = needed[i] = call.unify(shape[i], needed[i], "the sizes of x and bias");
  }
  if (call.dtypeOf(x) == DType::Bool)
    call.typeError("x is bool; needed numbers");
  x = call.requireShape(x, shape, "x and bias");
  b = call.requireShape(b, needed, "x and bias");
  return call.tensor(g.add(x, call.broadcastTo(b, shape)));
}

std::tuple<Tensor, Tensor, Tensor>
normalize_batch_in_training(const Operand &operand, const Operand &gamma, const Operand &beta,
                            const Axes &reduction_axes, double epsilon, SourceLocation location) {
  Call call("normalize_batch_in_training", location);
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  std::vector<int64_t> axes = call.axes(reduction_axes, call.rank(x)), kept;
  for (int64_t i = 0; i < call.rank(x); ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(i);
  // What FunctionOptions::localStatistics is about.
  Value own = call.g.enterRank(x), m = mean(call, own, axes), v = variance(call, own, axes);
  auto parameter = [&](const Operand &operand, const char *name) {
    return operand.isNone() ? Value() : call.g.enterRank(alongAxes(call, operand, x, kept, name));
  };
  Value scale = parameter(gamma, "gamma"), offset = parameter(beta, "beta");
  Value y =
      call.g.leaveRank(normalized(call, own, restoreDims(call, m, x, axes, true),
                                  restoreDims(call, v, x, axes, true), scale, offset, epsilon));
  m = averageRanks(call, m, x, axes);
  v = averageRanks(call, v, x, axes);
  return {call.tensor(call.cast(y, dtype)), call.tensor(call.cast(m, dtype)),
          call.tensor(call.cast(v, dtype))};
}

Tensor batch_normalization(const Operand &operand, const Operand &mean, const Operand &var,
                           const Operand &beta, const Operand &gamma, Axis axis, double epsilon,
                           SourceLocation location) {
  Call call("batch_normalization", location);
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  axis = call.axis(axis, call.rank(x));
  // beta and gamma may be left out.
  auto parameter = [&](const Operand &value, const char *name, bool isOptional) -> Value {
    if (value.isNone() && !isOptional)
      call.valueError(std::string(name) + " is None; needed a tensor");
    if (value.isNone())
      return {};
    Value p = call.value(value, call.dtypeOf(x));
    if (call.rank(p) == 1 && call.rank(x) != 1)
      return alongAxes(call, value, x, {axis}, name);
    if (call.broadcastShape(ir::getShape(p), ir::getShape(x)) != ir::getShape(x))
      call.valueError(std::string(name) + " has shape " + describe(p) +
                      ", which does not fit x of shape " + describe(x));
    return p;
  };
  return call.tensor(
      call.cast(normalized(call, x, parameter(mean, "mean", false), parameter(var, "var", false),
                           parameter(gamma, "gamma", true), parameter(beta, "beta", true), epsilon),
                dtype));
}

} // namespace keratin::backend

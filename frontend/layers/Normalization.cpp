// LayerNorm, BatchNorm, Dropout.
#include "keratin/layers/normalization.h"

#include "frontend/backend/RankStatistics.h"

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

static Operand orNone(const Tensor &tensor) {
  return tensor.isEmpty() ? Operand(None) : Operand(tensor);
}

LayerNorm::LayerNorm(int64_t size, const LayerNormOptions &options, SourceLocation location)
    : Layer("LayerNorm", options.name), size(size), epsilon(options.epsilon) {
  checkSize("size", size, location);
  if (options.scale)
    gamma = add("gamma", {size}, 1.0, {}, location);
  if (options.center)
    beta = add("beta", {size}, 0.0, {}, location);
}

Tensor LayerNorm::operator()(const Tensor &x, SourceLocation location) const {
  checkRank("x", x, 2, /*isExact=*/false, location);
  checkAxis("x", x, -1, size, location);
  const K::name_scope inside(scope());
  return K::batch_normalization(x, K::mean(x, -1, true, location), K::var(x, -1, true, location),
                                orNone(beta), orNone(gamma), -1, epsilon, location);
}

BatchNorm::BatchNorm(int64_t size, const BatchNormOptions &options, SourceLocation location)
    : Layer("BatchNorm", options.name), size(size), options(options) {
  checkSize("size", size, location);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    valueError("momentum is " + std::to_string(options.momentum) + "; needed from 0 to 1",
               location);
  if (options.scale)
    gamma = add("gamma", {size}, 1.0, {}, location);
  if (options.center)
    beta = add("beta", {size}, 0.0, {}, location);
  movingMean = addStatistic("moving_mean", {size}, 0.0, location);
  movingVariance = addStatistic("moving_variance", {size}, 1.0, location);
}

Tensor BatchNorm::operator()(const Tensor &x, const Operand &training,
                             SourceLocation location) const {
  checkRank("x", x, 2, /*isExact=*/false, location);
  const int64_t rank = x.ndim(), axis = options.axis, channels = axis < 0 ? axis + rank : axis;
  if (channels < 0 || channels >= rank)
    valueError("axis is " + std::to_string(axis) + "; needed one of x, whose shape is " +
                   toString(x.shape()),
               location);
  checkAxis("x", x, channels, size, location);
  std::vector<int64_t> others;
  for (int64_t other = 0; other < rank; ++other)
    if (other != channels)
      others.push_back(other);
  const K::name_scope inside(scope());
  // What a rank normalises with is its own, where a function has such statistics; what is kept of
  // them is all ranks'.
  const Tensor own = frontend::enterRank(x, location);
  auto mean = [&] { return K::mean(own, others, false, location); };
  auto variance = [&] { return K::var(own, others, false, location); };
  auto inPhase = [&](const std::function<Tensor()> &statistic, const Tensor &moving) {
    return K::in_train_phase(statistic, moving, training, location);
  };
  const Operand phase = training.isNone() ? K::learning_phase() : training;
  if (phase.isTensor() || phase.number() != 0) {
    // In a call that is not for training these are the moving ones, which so stay as they are.
    auto follow = [&](const Tensor &moving, const std::function<Tensor()> &statistic) {
      auto average = [&] { return frontend::averageRanks(statistic(), x, others, location); };
      addUpdate(
          K::moving_average_update(moving, inPhase(average, moving), options.momentum, location));
    };
    follow(movingMean, mean);
    follow(movingVariance, variance);
  }
  auto parameter = [&](const Tensor &tensor) {
    return tensor.isEmpty() ? Operand(None) : Operand(frontend::enterRank(tensor, location));
  };
  return frontend::leaveRank(K::batch_normalization(own, inPhase(mean, movingMean),
                                                    inPhase(variance, movingVariance),
                                                    parameter(beta), parameter(gamma), channels,
                                                    options.epsilon, location),
                             location);
}

Dropout::Dropout(double rate, const DropoutOptions &options, SourceLocation location)
    : Layer("Dropout", options.name), rate(rate), options(options) {
  if (!(rate >= 0 && rate < 1))
    valueError("rate is " + std::to_string(rate) + "; needed at least 0 and below 1", location);
}

Tensor Dropout::operator()(const Tensor &x, const Operand &training,
                           SourceLocation location) const {
  checkRank("x", x, 0, /*isExact=*/false, location);
  const K::name_scope inside(scope());
  return K::in_train_phase(
      [&] { return K::dropout(x, rate, options.noise_shape, options.seed, location); }, x, training,
      location);
}

// The steps of the optimizers.
#include "keratin/optimizers.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::optimizers;
namespace K = keratin::backend;

//===-- SGD -----------------------------------------------------------------------------------===//

SGD::SGD(const Schedule &rate, const SGDOptions &options, SourceLocation location)
    : Optimizer(options.name, rate, options.clip, location), options(options) {}

Tensor SGD::next(const Step &step) {
  const Tensor &p = step.parameter, change = step.rate * step.gradient;
  if (options.momentum == 0)
    return p - change;
  Tensor v = slot(step, "momentum"), nextV = options.momentum * v - change;
  step.updates.push_back(K::update(v, nextV, step.location));
  return options.nesterov ? p + options.momentum * nextV - change : p + nextV;
}

//===-- RMSprop -------------------------------------------------------------------------------===//

RMSprop::RMSprop(const Schedule &rate, const RMSpropOptions &options, SourceLocation location)
    : Optimizer(options.name, rate, options.clip, location), options(options) {}

Tensor RMSprop::next(const Step &step) {
  const Tensor &p = step.parameter, &g = step.gradient;
  auto average = [&](const char *name, const Tensor &x) {
    Tensor a = slot(step, name), nextA = options.rho * a + (1.0 - options.rho) * x;
    step.updates.push_back(K::update(a, nextA, step.location));
    return nextA;
  };
  Tensor size = average("rms", K::square(g, step.location));
  if (options.centered)
    size = size - K::square(average("mean", g), step.location);
  Tensor change = step.rate * g / (K::sqrt(size, step.location) + options.epsilon);
  if (options.momentum == 0)
    return p - change;
  Tensor v = slot(step, "momentum"), nextV = options.momentum * v + change;
  step.updates.push_back(K::update(v, nextV, step.location));
  return p - nextV;
}

//===-- Adam ----------------------------------------------------------------------------------===//

Adam::Adam(const Schedule &rate, const AdamOptions &options, SourceLocation location)
    : Optimizer(options.name, rate, options.clip, location), options(options) {}

Tensor Adam::next(const Step &step) {
  const Tensor &p = step.parameter, &g = step.gradient, &t = step.number;
  const double beta1 = options.beta_1, beta2 = options.beta_2;
  const SourceLocation at = step.location;
  Tensor size = step.rate * K::sqrt(1.0 - K::pow(beta2, t, at), at) / (1.0 - K::pow(beta1, t, at));
  Tensor m = slot(step, "m"), v = slot(step, "v");
  Tensor nextM = beta1 * m + (1.0 - beta1) * g;
  Tensor nextV = beta2 * v + (1.0 - beta2) * K::square(g, at);
  step.updates.push_back(K::update(m, nextM, at));
  step.updates.push_back(K::update(v, nextV, at));
  if (options.amsgrad) {
    Tensor most = slot(step, "v_max");
    nextV = K::maximum(most, nextV, at);
    step.updates.push_back(K::update(most, nextV, at));
  }
  return p - size * nextM / (K::sqrt(nextV, at) + options.epsilon);
}

AdamW::AdamW(const Schedule &rate, const AdamWOptions &options, SourceLocation location)
    : Adam(rate,
           {.beta_1 = options.beta_1,
            .beta_2 = options.beta_2,
            .epsilon = options.epsilon,
            .amsgrad = options.amsgrad,
            .clip = options.clip,
            .name = options.name},
           location),
      decay(options.weight_decay), excluded(options.exclude_from_weight_decay) {}

Tensor AdamW::next(const Step &step) {
  const std::string name = step.parameter.name();
  const size_t begin = name.rfind('/') + 1; // npos + 1 is 0
  const std::string last = name.substr(begin, name.rfind(':') - begin);
  Tensor stepped = Adam::next(step);
  if (std::find(excluded.begin(), excluded.end(), last) != excluded.end())
    return stepped;
  return stepped - step.rate * decay * step.parameter;
}

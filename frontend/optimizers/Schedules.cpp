// Learning rates that follow the steps.
#include "keratin/optimizers.h"

#include "frontend/values/ValueError.h"

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::optimizers;
namespace K = keratin::backend;

static void checkSteps(const char *schedule, const char *argument, int64_t steps, int64_t least,
                       SourceLocation location) {
  if (steps < least)
    frontend::valueError(std::string(schedule) + ": " + argument + " is " + std::to_string(steps) +
                             "; needed at least " + std::to_string(least),
                         location);
}

// `count` steps and fewer, as a number.
static Tensor atMost(const Tensor &step, double count) { return K::minimum(step, count); }

Schedule::Schedule(const Operand &rate) {
  if (rate.isTensor()) {
    if (rate.tensor().isEmpty() || rate.tensor().ndim() != 0)
      frontend::valueError("learning rate: " + toString(rate.tensor()) + " is no scalar",
                           rate.location);
    function = [tensor = rate.tensor()](const Tensor &) { return tensor; };
    return;
  }
  if (!(rate.number() >= 0) || std::isinf(rate.number()))
    frontend::valueError("learning rate: found " + std::to_string(rate.number()) +
                             "; needed 0 or more",
                         rate.location);
  function = [number = rate.number()](const Tensor &step) {
    return K::constant(number, step.dtype());
  };
}

PiecewiseConstant::PiecewiseConstant(const std::vector<int64_t> &boundaries,
                                     const std::vector<double> &values, SourceLocation location)
    : Schedule([boundaries, values](const Tensor &step) {
        Tensor place = K::constant(0, DType::Int32);
        for (int64_t boundary : boundaries)
          place = place + K::cast(step >= double(boundary), DType::Int32);
        return K::gather(K::constant(values, step.dtype()), place);
      }) {
  if (values.size() != boundaries.size() + 1)
    frontend::valueError("PiecewiseConstant: " + std::to_string(boundaries.size()) +
                             " boundaries and " + std::to_string(values.size()) +
                             " values; needed one value more than boundaries",
                         location);
  if (!std::is_sorted(boundaries.begin(), boundaries.end()))
    frontend::valueError("PiecewiseConstant: the boundaries do not rise", location);
}

ExponentialDecay::ExponentialDecay(double rate, int64_t steps, double factor,
                                   const ExponentialDecayOptions &options, SourceLocation location)
    : Schedule([=](const Tensor &step) {
        // Whole numbers of floats are exact where the step is.
        Tensor exponent = options.staircase
                              ? K::cast(K::floor_divide(step, double(steps)), step.dtype())
                              : step / double(steps);
        return rate * K::pow(K::constant(factor, step.dtype()), exponent);
      }) {
  checkSteps("ExponentialDecay", "steps", steps, 1, location);
  if (!(factor > 0))
    frontend::valueError(
        "ExponentialDecay: factor is " + std::to_string(factor) + "; needed above 0", location);
}

CosineDecay::CosineDecay(double rate, int64_t steps, const CosineDecayOptions &options,
                         SourceLocation location)
    : Schedule([=](const Tensor &step) {
        const double warmup = double(options.warmup_steps);
        Tensor place = atMost(K::maximum(step - warmup, 0.0), double(steps)) / double(steps);
        Tensor decayed =
            rate * (options.alpha + (1 - options.alpha) * 0.5 * (1.0 + K::cos(M_PI * place)));
        return warmup > 0 ? atMost(step, warmup) / warmup * decayed : decayed;
      }) {
  checkSteps("CosineDecay", "steps", steps, 1, location);
  checkSteps("CosineDecay", "warmup_steps", options.warmup_steps, 0, location);
}

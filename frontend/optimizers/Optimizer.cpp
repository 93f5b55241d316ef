// What all optimizers share: gradients, clipping, their own variables.
#include "keratin/optimizers.h"

#include "keratin/layers/layer.h"

#include "frontend/values/ValueError.h"

using namespace keratin;
using namespace keratin::optimizers;
namespace K = keratin::backend;

static std::string withoutIndex(const std::string &name) { return name.substr(0, name.rfind(':')); }

Optimizer::Optimizer(const std::string &name, const Schedule &rate, const Clip &clip,
                     SourceLocation location)
    : clip(clip) {
  const K::name_scope scope(name);
  scopeName = scope.name().empty() ? "" : scope.name().substr(0, scope.name().size() - 1);
  for (const auto &[limit, option] : {std::pair(clip.value, "clip.value"),
                                      {clip.norm, "clip.norm"},
                                      {clip.global_norm, "clip.global_norm"}})
    if (limit && !(*limit > 0))
      frontend::valueError(scopeName + ": " + std::string(option) + " is " +
                               std::to_string(*limit) + "; needed above 0",
                           location);
  counter = K::variable(Array(int64_t(0)), DType::Int64, "iterations", nullptr, location);
  counter.setTrainable(false);
  // Two bytes are too few to count with.
  const char *floats = K::floatx() == "float64" ? "float64" : "float32";
  this->rate = rate(K::cast(counter, floats, location));
  if (this->rate.isEmpty() || this->rate.ndim() != 0)
    frontend::valueError(scopeName + ": the schedule returns " + toString(this->rate) +
                             "; needed a scalar",
                         location);
}

std::vector<Tensor> Optimizer::variables() const {
  std::vector<Tensor> all = {counter};
  for (const Slot &slot : slots)
    all.push_back(slot.variable);
  return all;
}

std::vector<Update> Optimizer::minimize(const Tensor &loss, const TensorList &variables,
                                        SourceLocation location) {
  return apply(K::gradients(loss, variables, location), variables, location);
}

std::vector<Update> Optimizer::minimize(const Tensor &loss, const layers::Layer &layer,
                                        SourceLocation location) {
  std::vector<Update> updates = minimize(loss, layer.trainable(), location);
  const std::vector<Update> others = layer.updates();
  updates.insert(updates.end(), others.begin(), others.end());
  return updates;
}

// x * limit / max(norm, limit): x where the norm is not above it.
static Tensor shortened(const Tensor &x, const Tensor &norm, double limit, SourceLocation at) {
  return x * (limit / K::maximum(norm, limit, at));
}

std::vector<Tensor> Optimizer::clipped(std::vector<Tensor> gradients,
                                       SourceLocation location) const {
  auto squares = [&](const Tensor &g) {
    return K::sum(K::square(g, location), None, false, location);
  };
  for (Tensor &g : gradients) {
    if (clip.value)
      g = K::clip(g, -*clip.value, *clip.value, location);
    if (clip.norm)
      g = shortened(g, K::sqrt(squares(g), location), *clip.norm, location);
  }
  if (clip.global_norm) {
    Tensor sum = squares(gradients.front());
    for (size_t i = 1; i < gradients.size(); ++i)
      sum = sum + squares(gradients[i]);
    for (Tensor &g : gradients)
      g = shortened(g, K::sqrt(sum, location), *clip.global_norm, location);
  }
  return gradients;
}

std::vector<Update> Optimizer::apply(const TensorList &gradients, const TensorList &variables,
                                     SourceLocation location) {
  const std::vector<Tensor> &parameters = variables.list();
  if (parameters.empty())
    frontend::valueError(scopeName + ": no variables to train", location);
  if (gradients.list().size() != parameters.size())
    frontend::valueError(scopeName + ": " + std::to_string(gradients.list().size()) +
                             " gradients for " + std::to_string(parameters.size()) + " variables",
                         location);
  for (const Tensor &p : parameters)
    if (isComplex(p.dtype()))
      frontend::valueError(scopeName + ": the variable " + p.name() + " is " +
                               dtypeName(p.dtype()) + "; needed real ones",
                           location);
  const K::name_scope scope(scopeName + "/");
  const std::vector<Tensor> limited = clipped(gradients.list(), location);
  std::vector<Update> updates = {K::update_add(counter, 1, location)};
  const Tensor number = K::cast(counter, rate.dtype(), location) + 1.0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &p = parameters[i];
    const auto inItsDtype = [&](const Tensor &x) {
      return x.dtype() == p.dtype() ? x : K::cast(x, p.dtype(), location);
    };
    Tensor value = next({p, limited[i], inItsDtype(rate), number, updates, location});
    if (const Constraint constraint = p.constraint())
      value = constraint(value);
    updates.push_back(K::update(p, value, location));
  }
  return updates;
}

Tensor Optimizer::slot(const Step &step, const char *name) {
  for (const Slot &slot : slots)
    if (K::is_same(slot.parameter, step.parameter) && slot.name == name)
      return slot.variable;
  Tensor variable = K::zeros(step.parameter.shape(), step.parameter.dtype(),
                             withoutIndex(step.parameter.name()) + "/" + name, step.location);
  variable.setTrainable(false);
  slots.push_back({step.parameter, name, variable});
  return variable;
}

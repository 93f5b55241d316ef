// How variables begin.
#include "keratin/layers/layer.h"

#include "frontend/values/ValueError.h"

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

namespace {

// Numbers that are drawn, by name.
struct Drawn {
  const char *name;
  bool isNormal;
  // One over the variance, from inputs and outputs.
  double (*fan)(double n, double m);
};

} // namespace

static double glorot(double n, double m) { return (n + m) / 2; }
static double he(double n, double) { return n / 2; }
static double lecun(double n, double) { return n; }

static const Drawn drawn[] = {
    {"glorot_normal", true, glorot},
    {"glorot_uniform", false, glorot},
    {"he_normal", true, he},
    {"he_uniform", false, he},
    {"lecun_normal", true, lecun},
    {"lecun_uniform", false, lecun},
    {"normal", true, [](double, double) { return 400.0; }},
    {"uniform", false, [](double, double) { return 1200.0; }},
};

static const Drawn *find(const std::string &name) {
  for (const Drawn &entry : drawn)
    if (name == entry.name)
      return &entry;
  return nullptr;
}

Initializer::Initializer(const std::string &name, SourceLocation location) {
  if (name == "zeros" || name == "ones") {
    value = Array(name == "ones" ? 1.0 : 0.0);
    return;
  }
  this->name = name;
  if (find(name))
    return;
  std::string names;
  for (const Drawn &entry : drawn)
    names += std::string(entry.name) + ", ";
  frontend::valueError(
      "initializer: none is named '" + name + "'; there are " + names + "ones, zeros", location);
}

Tensor Initializer::operator()(const std::vector<int64_t> &shape, const Use &use,
                               SourceLocation location) const {
  if (const Drawn *entry = find(name)) {
    const double fan = entry->fan(double(use.inputs), double(use.outputs));
    if (entry->isNormal)
      return K::random_normal_variable(shape, 0, std::sqrt(1 / fan), None, use.variable, use.seed,
                                       location);
    const double limit = std::sqrt(3 / fan);
    return K::random_uniform_variable(shape, -limit, limit, None, use.variable, use.seed, location);
  }
  Array start = maker ? maker(shape) : value;
  if (!maker && !start.isNone() && start.ndim() == 0) {
    Array filled = Array::empty(DType::Float64, shape);
    std::fill_n(filled.data<double>(), filled.size(), start.item());
    start = std::move(filled);
  }
  if (start.isNone() || start.shape() != shape)
    frontend::valueError(use.layer + ": the initial value of " + use.variable + " has shape " +
                             (start.isNone() ? "None" : toString(start.shape())) + "; needed " +
                             toString(shape),
                         location);
  return K::variable(start, None, use.variable, nullptr, location);
}

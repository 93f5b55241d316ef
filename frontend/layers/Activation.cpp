// Functions that layers apply to their results, by name.
#include "keratin/layers/layer.h"

#include "frontend/values/ValueError.h"

#include <cmath>

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

namespace {

struct Known {
  const char *name;
  Tensor (*function)(const Tensor &, SourceLocation);
};

} // namespace

static Tensor silu(const Tensor &x, SourceLocation at) { return x * K::sigmoid(x, at); }

static const Known known[] = {
    {"elu", [](const Tensor &x, SourceLocation at) { return K::elu(x, 1.0, at); }},
    {"exponential", [](const Tensor &x, SourceLocation at) { return K::exp(x, at); }},
    {"gelu", [](const Tensor &x,
                SourceLocation at) { return 0.5 * x * (1.0 + K::erf(std::sqrt(0.5) * x, at)); }},
    {"gelu_tanh",
     [](const Tensor &x, SourceLocation at) {
       Tensor cubic = x + 0.044715 * (x * K::square(x, at));
       return 0.5 * x * (1.0 + K::tanh(std::sqrt(2 / M_PI) * cubic, at));
     }},
    {"hard_sigmoid", [](const Tensor &x, SourceLocation at) { return K::hard_sigmoid(x, at); }},
    {"linear", [](const Tensor &x, SourceLocation) { return x; }},
    {"relu", [](const Tensor &x, SourceLocation at) { return K::relu(x, 0.0, None, 0.0, at); }},
    {"selu",
     [](const Tensor &x, SourceLocation at) {
       return 1.0507009873554805 * K::elu(x, 1.6732632423543772, at);
     }},
    {"sigmoid", [](const Tensor &x, SourceLocation at) { return K::sigmoid(x, at); }},
    {"silu", silu},
    {"softmax", [](const Tensor &x, SourceLocation at) { return K::softmax(x, -1, at); }},
    {"softplus", [](const Tensor &x, SourceLocation at) { return K::softplus(x, at); }},
    {"softsign", [](const Tensor &x, SourceLocation at) { return K::softsign(x, at); }},
    {"swish", silu},
    {"tanh", [](const Tensor &x, SourceLocation at) { return K::tanh(x, at); }},
};

Activation::Activation(const std::string &name, SourceLocation location) {
  std::string names;
  for (const Known &entry : known) {
    if (name == entry.name) {
      function = entry.function;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  frontend::valueError("activation: no function is named '" + name + "'; there are " + names,
                       location);
}

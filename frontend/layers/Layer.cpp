// What all layers are: names, variables, parts, checks.
#include "keratin/layers/layer.h"

#include "frontend/values/ValueError.h"

#include <cctype>

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

struct Layer::State {
  std::string kind, name;         // "" of a model of the user's
  std::vector<Tensor> weights;    // what gradients change
  std::vector<Tensor> statistics; // what updates change
  std::vector<Update> updates;
  std::vector<std::shared_ptr<State>> parts;

  // Of it and of its parts, in this order.
  template <typename Visit> void forEach(Visit &&visit) {
    visit(*this);
    for (const auto &part : parts)
      part->forEach(visit);
  }
};

// "MultiHeadAttention" to "multi_head_attention", as Keras names layers.
static std::string nameOfKind(const std::string &kind) {
  std::string name;
  for (size_t i = 0; i < kind.size(); ++i) {
    if (i > 0 && std::isupper(kind[i]) && std::islower(kind[i - 1]))
      name += '_';
    name += char(std::tolower(kind[i]));
  }
  return name;
}

// What parts share is there once.
static void addOnce(std::vector<Tensor> &tensors, const Tensor &tensor) {
  for (const Tensor &other : tensors)
    if (K::is_same(other, tensor))
      return;
  tensors.push_back(tensor);
}

Layer::Layer() : state(std::make_shared<State>()) {}

Layer::Layer(const std::string &kind, const std::string &name) : Layer() {
  state->kind = kind;
  const K::name_scope scope(name.empty() ? nameOfKind(kind) : name);
  state->name = scope.name().substr(0, scope.name().size() - 1);
}

const std::string &Layer::name() const { return state->name; }

std::string Layer::scope() const { return state->name.empty() ? "" : state->name + "/"; }

std::vector<Tensor> Layer::variables() const {
  std::vector<Tensor> all;
  state->forEach([&](const State &part) {
    for (const Tensor &weight : part.weights)
      addOnce(all, weight);
    for (const Tensor &statistic : part.statistics)
      addOnce(all, statistic);
  });
  return all;
}

std::vector<Tensor> Layer::trainable() const {
  std::vector<Tensor> all;
  state->forEach([&](const State &part) {
    for (const Tensor &weight : part.weights)
      if (weight.trainable())
        addOnce(all, weight);
  });
  return all;
}

void Layer::setTrainable(bool trainable) {
  state->forEach([&](State &part) {
    for (Tensor &weight : part.weights)
      weight.setTrainable(trainable);
  });
}

std::vector<Update> Layer::updates() const {
  std::vector<Update> all;
  state->forEach(
      [&](const State &part) { all.insert(all.end(), part.updates.begin(), part.updates.end()); });
  return all;
}

Tensor Layer::add(Tensor variable) {
  if (variable.isEmpty() || !K::is_variable(variable))
    throw ValueError("Layer::add: " + toString(variable) + " is no variable");
  state->weights.push_back(variable);
  return variable;
}

void Layer::addPart(const Layer &part) { state->parts.push_back(part.state); }

void Layer::addUpdate(const Update &update) const { state->updates.push_back(update); }

Tensor Layer::add(const std::string &variable, const std::vector<int64_t> &shape,
                  const Initializer &initializer, Initializer::Use use, SourceLocation location) {
  const K::name_scope inside(scope());
  use.layer = state->kind + " '" + state->name + "'";
  use.variable = variable;
  return add(initializer(shape, use, location));
}

Tensor Layer::addStatistic(const std::string &variable, const std::vector<int64_t> &shape,
                           double start, SourceLocation location) {
  const K::name_scope inside(scope());
  Tensor statistic = Initializer(start)(shape, {.variable = variable}, location);
  statistic.setTrainable(false);
  state->statistics.push_back(statistic);
  return statistic;
}

void Layer::valueError(const std::string &text, SourceLocation location) const {
  frontend::valueError(state->kind + " '" + state->name + "': " + text, location);
}

void Layer::checkSize(const char *argument, int64_t size, SourceLocation location) const {
  if (size < 1)
    valueError(std::string(argument) + " is " + std::to_string(size) + "; needed at least 1",
               location);
}

void Layer::checkRank(const char *argument, const Tensor &x, int64_t rank, bool isExact,
                      SourceLocation location) const {
  if (x.isEmpty())
    valueError(std::string(argument) + " is an empty Tensor", location);
  if (isExact ? x.ndim() != rank : x.ndim() < rank)
    valueError(std::string(argument) + " has shape " + toString(x.shape()) + "; needed " +
                   std::to_string(rank) + (isExact ? " axes" : " axes or more"),
               location);
}

void Layer::checkAxis(const char *argument, const Tensor &x, int64_t axis, int64_t size,
                      SourceLocation location) const {
  const StaticShape shape = x.shape();
  const int64_t place = axis < 0 ? axis + int64_t(shape.size()) : axis;
  const std::optional<int64_t> found = shape.at(size_t(place));
  if (found && *found != size)
    valueError(std::string(argument) + " has shape " + toString(shape) + "; needed " +
                   std::to_string(size) + " along axis " + std::to_string(axis),
               location);
}

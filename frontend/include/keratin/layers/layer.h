// What all layers are, how their variables begin, and what they do to their results.
#ifndef KERATIN_LAYERS_LAYER_H
#define KERATIN_LAYERS_LAYER_H

#include "keratin/backend.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace keratin::layers {

// What a layer does to its result: None (nothing), the name of a function, or a function of a
// tensor. Names: elu, exponential, gelu, gelu_tanh, hard_sigmoid, linear, relu, selu, sigmoid,
// silu, softmax, softplus, softsign, swish, tanh. silu and swish are x * sigmoid(x); gelu is
// x / 2 * (1 + erf(x / sqrt(2))), gelu_tanh its approximation
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) (Hendrycks and Gimpel, Gaussian error
// linear units, 2016); selu is s * elu(x, a) with Keras's numbers.
class Activation {
public:
  Activation(std::nullopt_t = None) {}
  Activation(const char *name, SourceLocation location = SourceLocation::current())
      : Activation(std::string(name), location) {}
  Activation(const std::string &name, SourceLocation location = SourceLocation::current());
  template <typename F, typename = decltype(Tensor(std::declval<F &>()(std::declval<Tensor>())))>
  Activation(F f) : function([f](const Tensor &x, SourceLocation) mutable { return f(x); }) {}

  Tensor operator()(const Tensor &x, SourceLocation location = SourceLocation::current()) const {
    return function ? function(x, location) : x;
  }

private:
  std::function<Tensor(const Tensor &, SourceLocation)> function;
};

// How a variable begins: a number (every element), an array (its elements), a function of its shape
// that returns an array, or a name. With n inputs and m outputs of a unit:
//   glorot_uniform, glorot_normal: variance 2 / (n + m) (Glorot and Bengio, AISTATS 2010)
//   he_uniform, he_normal: variance 2 / n (He et al., ICCV 2015)
//   lecun_uniform, lecun_normal: variance 1 / n (LeCun et al., Efficient backprop, 1998)
//   uniform: from -0.05 to 0.05; normal: standard deviation 0.05; zeros; ones
// The normal ones are not cut off. Each variable of a layer has a seed of its own, from the
// layer's.
class Initializer {
public:
  using Maker = std::function<Array(const std::vector<int64_t> &shape)>;

  Initializer(const char *kind, SourceLocation location = SourceLocation::current())
      : Initializer(std::string(kind), location) {}
  Initializer(const std::string &name, SourceLocation location = SourceLocation::current());
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Initializer(T number) : value(number) {}
  Initializer(Array array) : value(std::move(array)) {}
  template <typename F, typename = decltype(Array(std::declval<F &>()(std::vector<int64_t>())))>
  Initializer(F f) : maker(std::move(f)) {}

  // What a variable of a unit's shape is made for.
  struct Use {
    int64_t inputs = 1, outputs = 1;
    std::optional<int64_t> seed = None;
    std::string layer = "", variable = ""; // "Dense 'dense_1'", "kernel"
  };
  // A new variable of this name.
  Tensor operator()(const std::vector<int64_t> &shape, const Use &use,
                    SourceLocation location = SourceLocation::current()) const;

private:
  std::string name; // "" for the others
  Array value;
  Maker maker;
};

// What all layers are, and what a model of the user's is made of:
//
//   struct Net : layers::Layer {
//     layers::Dense hidden = add(layers::Dense(64, 256)), last = add(layers::Dense(256, 10));
//     K::Tensor operator()(const K::Tensor &x) const { return last(K::relu(hidden(x))); }
//   };
class Layer {
public:
  Layer();

  // "encoder/dense_1"; "" for a model of the user's.
  const std::string &name() const;
  // All that it has and its parts have, each once; and of these what gradients are to change.
  std::vector<Tensor> variables() const;
  std::vector<Tensor> trainable() const;
  // Whether gradients are to change it and its parts (that is, what they could change at first).
  void setTrainable(bool trainable);
  // What its calls for training change besides (see BatchNorm). An optimizer's
  // minimize(loss, layer) adds these to its own.
  std::vector<Update> updates() const;

protected:
  struct State;

  // For one of the library's: claims a name, the given one or that of its kind ("Dense").
  Layer(const std::string &kind, const std::string &name);

  // A part: a layer, or a variable. Returns it.
  template <typename Part> Part add(Part part) {
    static_assert(std::is_base_of_v<Layer, Part>, "a part is a layer or a variable");
    addPart(part);
    return part;
  }
  Tensor add(Tensor variable);
  void addPart(const Layer &part);
  void addUpdate(const Update &update) const;

  // Makes a variable in the layer's scope.
  Tensor add(const std::string &variable, const std::vector<int64_t> &shape,
             const Initializer &initializer, Initializer::Use use, SourceLocation location);
  // One that updates change, not gradients.
  Tensor addStatistic(const std::string &variable, const std::vector<int64_t> &shape, double start,
                      SourceLocation location);
  // "encoder/dense_1/", for K::name_scope.
  std::string scope() const;
  // ValueError "Dense 'dense_1': …; at net.cc:12".
  [[noreturn]] void valueError(const std::string &text, SourceLocation location) const;
  void checkSize(const char *argument, int64_t size, SourceLocation location) const;
  // x has at least `rank` axes (or exactly), and `size` as the size of the axis, or an unknown one.
  void checkRank(const char *argument, const Tensor &x, int64_t rank, bool isExact,
                 SourceLocation location) const;
  void checkAxis(const char *argument, const Tensor &x, int64_t axis, int64_t size,
                 SourceLocation location) const;

private:
  std::shared_ptr<State> state;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_LAYER_H

// Layers one after another.
#ifndef KERATIN_LAYERS_SEQUENTIAL_H
#define KERATIN_LAYERS_SEQUENTIAL_H

#include "keratin/layers/attention.h"
#include "keratin/layers/recurrence.h"

#include <initializer_list>

namespace keratin::layers {

// Layers, and functions of a tensor, each of what the one before it gave; those that take training
// are given it.
//
//   layers::Sequential net{layers::Conv2D(1, 32, 3), [](const K::Tensor &x) { return K::relu(x); },
//                          layers::Dropout(0.2)};
class Sequential : public Layer {
public:
  class Step {
  public:
    template <typename T, typename = std::enable_if_t<
                              !std::is_same_v<T, Step> &&
                              (std::is_invocable_r_v<Tensor, const T &, const Tensor &> ||
                               std::is_invocable_r_v<Tensor, const T &, const Tensor &, Operand>)>>
    Step(T layer) {
      if constexpr (std::is_base_of_v<Layer, T>)
        part = layer;
      function = [layer = std::move(layer)](const Tensor &x, const Operand &training,
                                            SourceLocation location) -> Tensor {
        if constexpr (std::is_invocable_v<const T &, Tensor, Operand, SourceLocation>) {
          return layer(x, training, location);
        } else if constexpr (std::is_invocable_v<const T &, Tensor, Operand>) {
          return layer(x, training);
        } else if constexpr (std::is_invocable_v<const T &, Tensor, AttentionCall>) {
          AttentionCall call;
          call.training = training;
          return layer(x, call, location);
        } else if constexpr (std::is_invocable_v<const T &, Tensor, RecurrentCall>) {
          return layer(x, RecurrentCall(), location);
        } else if constexpr (std::is_invocable_v<const T &, Tensor, SourceLocation>) {
          return layer(x, location);
        } else {
          return layer(x);
        }
      };
    }

  private:
    friend class Sequential;
    std::optional<Layer> part;
    std::function<Tensor(const Tensor &, const Operand &, SourceLocation)> function;
  };

  Sequential(std::initializer_list<Step> list) : Sequential(std::vector<Step>(list)) {}
  Sequential(const std::vector<Step> &steps);
  Tensor operator()(const Tensor &x, const Operand &training = None,
                    SourceLocation location = SourceLocation::current()) const;

private:
  std::vector<Step> steps;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_SEQUENTIAL_H

// Trains a perceptron on handwritten digits: everything of a training step, forward, gradients,
// Adam and dropout, is one compiled function.
//
//   digits <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

namespace K = keratin::backend;

struct Perceptron {
  layers::Dense first{64, 256, 1}, second{256, 128, 2}, last{128, 10, 3};

  K::Tensor operator()(const K::Tensor &x, bool training) const {
    auto hidden = [&](const layers::Dense &layer, const K::Tensor &input, int64_t seed) {
      K::Tensor y = K::relu(layer(input));
      return training ? K::dropout(y, 0.2, K::DropoutOptions{.seed = seed}) : y;
    };
    return last(hidden(second, hidden(first, x, 11), 12));
  }
  std::vector<K::Tensor> parameters() const { return layers::parametersOf(first, second, last); }
};

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits", "model.ktg", 30, [](const Arguments &arguments) {
    Perceptron model;
    trainClassifier(arguments, model, model.parameters());
  });
}

// Trains a convolutional net on handwritten digits.
//
//   digits_conv <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

namespace K = keratin::backend;

struct ConvolutionalNet {
  layers::Conv3x3 first{1, 32, 1}, second{32, 32, 3}, third{32, 64, 5};
  layers::Dense last{2 * 2 * 64, 10, 7};

  K::Tensor operator()(const K::Tensor &images, bool training) const {
    auto drop = [&](const K::Tensor &x, double level, int64_t seed) {
      return training ? K::dropout(x, level, K::DropoutOptions{.seed = seed}) : x;
    };
    K::Tensor x = K::reshape(images, {-1, 8, 8, 1});
    x = K::relu(second(K::relu(first(x))));
    x = drop(K::pool2d(x, {2, 2}, {2, 2}), 0.2, 11);
    x = K::pool2d(K::relu(third(x)), {2, 2}, {2, 2});
    return last(drop(K::batch_flatten(x), 0.4, 12));
  }
  std::vector<K::Tensor> parameters() const {
    return layers::parametersOf(first, second, third, last);
  }
};

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits_conv", "model.ktg", 30, [](const Arguments &arguments) {
    ConvolutionalNet model;
    trainClassifier(arguments, model, model.parameters());
  });
}

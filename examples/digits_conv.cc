// Trains a convolutional net on handwritten digits.
//
//   digits_conv <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

static layers::Conv2D convolution(int64_t inputs, int64_t filters, int64_t seed) {
  return {inputs, filters, 3, {.padding = "same", .activation = "relu", .seed = seed}};
}

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits_conv", "model.ktg", 30, [](const Arguments &arguments) {
    auto toImages = [](const K::Tensor &x) { return K::reshape(x, {-1, 8, 8, 1}); };
    auto pool = [](const K::Tensor &x) { return K::pool2d(x, {2, 2}, {2, 2}); };
    auto flatten = [](const K::Tensor &x) { return K::batch_flatten(x); };
    layers::Sequential model{toImages,
                             convolution(1, 32, 1),
                             convolution(32, 32, 3),
                             pool,
                             layers::Dropout(0.2, {.seed = 11}),
                             convolution(32, 64, 5),
                             pool,
                             flatten,
                             layers::Dropout(0.4, {.seed = 12}),
                             layers::Dense(2 * 2 * 64, 10, {.seed = 7})};
    trainClassifier(arguments, model);
  });
}

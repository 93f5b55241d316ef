// Trains a recurrent net on handwritten digits, which it reads row by row.
//
//   digits_lstm <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits_lstm", "model.ktg", 40, [](const Arguments &arguments) {
    auto toRows = [](const K::Tensor &x) { return K::reshape(x, {-1, 8, 8}); };
    layers::Sequential model{toRows, layers::LSTM(8, 64, {.seed = 1}),
                             layers::Dense(64, 10, {.seed = 3})};
    trainClassifier(arguments, model, /*rate=*/1e-2);
  });
}

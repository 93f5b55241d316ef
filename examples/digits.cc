// Trains a perceptron on handwritten digits: everything of a training step, forward, gradients,
// Adam and dropout, is one compiled function.
//
//   digits <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits", "model.ktg", 30, [](const Arguments &arguments) {
    layers::Sequential model{layers::Dense(64, 256, {.activation = "relu", .seed = 1}),
                             layers::Dropout(0.2, {.seed = 11}),
                             layers::Dense(256, 128, {.activation = "relu", .seed = 2}),
                             layers::Dropout(0.2, {.seed = 12}),
                             layers::Dense(128, 10, {.seed = 3})};
    trainClassifier(arguments, model);
  });
}

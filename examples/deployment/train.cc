// A classifier of handwritten digits: what is deployed, and values for it.
//
//   train <digits.csv> <model.ktg> <weights.safetensors>
//
// The model is saved before it is trained: it is compiled once, and may be given new weights at any
// time. predict.c and predict.py run it without Keratin.
#include "common/Digits.h"

#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <cstdio>
#include <exception>

using namespace keratin;
namespace K = keratin::backend;

static int run(const char *data, const char *model, const char *weights) {
  DigitsData digits = readDigits(data);
  K::Tensor images = K::placeholder({"batch", 64}, {.name = "images"});
  K::Tensor labels = K::placeholder({"batch"}, {.dtype = "int32", .name = "labels"});
  layers::Dense last(64, 10);
  K::Tensor scores = last(images);
  K::Tensor loss =
      K::mean(K::sparse_categorical_crossentropy(labels, scores, {.from_logits = true}));

  K::Function predict = K::function(images, {{"probabilities", K::softmax(scores)}}, {}, "predict");
  K::save_function(predict, model);

  optimizers::Adam adam(0.01);
  K::Function step =
      K::function({images, labels}, {{"loss", loss}}, adam.minimize(loss, last), "train_step");
  training::fit(step, {digits.train.images, digits.train.labels}, {.epochs = 5});
  K::save_weights(predict, weights);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: train <digits.csv> <model.ktg> <weights.safetensors>\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

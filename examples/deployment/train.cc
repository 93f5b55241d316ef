// A classifier of handwritten digits: what is deployed, and values for it.
//
//   train <digits.csv> <model.ktg> <weights.safetensors>
//
// The model is saved before it is trained: it is compiled once, and may be given new weights at any
// time. predict.c and predict.py run it without Keratin.
#include "common/Digits.h"

#include <keratin/backend.h>

#include <cstdio>
#include <exception>

namespace K = keratin::backend;

static int run(const char *data, const char *model, const char *weights) {
  DigitsData digits = readDigits(data);
  K::Tensor images = K::placeholder({K::None, 64}, {.name = "images"});
  K::Tensor labels = K::placeholder({K::None}, {.dtype = "int32", .name = "labels"});
  K::Tensor w = K::zeros({64, 10}, {.name = "weights"}), b = K::zeros({10}, {.name = "bias"});
  K::Tensor scores = K::bias_add(K::dot(images, w), b);
  K::Tensor loss =
      K::mean(K::sparse_categorical_crossentropy(labels, scores, {.from_logits = true}));
  auto g = K::gradients(loss, {w, b});

  K::Function predict = K::function(images, {{"probabilities", K::softmax(scores)}}, {}, "predict");
  K::Function step = K::function({images, labels}, {{"loss", loss}},
                                 {K::update_sub(w, 0.5 * g[0]), K::update_sub(b, 0.5 * g[1])});
  K::save_function(predict, model);

  std::vector<size_t> rows = allRows(digits.train);
  K::Array x = imagesOf(digits.train, rows.data(), rows.size());
  K::Array y = labelsOf(digits.train, rows.data(), rows.size());
  double last = 0;
  for (int i = 0; i < 300; ++i)
    last = step({x, y})["loss"].item();
  std::printf("loss %.4f\n", last);
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

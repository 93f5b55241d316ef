// What the programs on digits share: their command line, and training a classifier.
#ifndef KERATIN_EXAMPLES_COMMON_TRAINING_H
#define KERATIN_EXAMPLES_COMMON_TRAINING_H

#include "common/Digits.h"

#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <chrono>
#include <cstdio>
#include <functional>

namespace K = keratin::backend;
namespace layers = keratin::layers;
namespace optimizers = keratin::optimizers;
namespace training = keratin::training;

// <digits.csv> [epochs] [file]
struct Arguments {
  DigitsData digits;
  int epochs;
  std::string output; // "" if none is given
};

// Runs the program with its arguments; an exception becomes a message and exit code 1.
inline int runExample(int argc, char **argv, const char *name, const char *file, int epochs,
                      const std::function<void(const Arguments &)> &program) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <digits.csv> [epochs] [%s]\n", name, file);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  Arguments arguments{readDigits(argv[1]), argc > 2 ? std::atoi(argv[2]) : epochs,
                      argc > 3 ? argv[3] : ""};
  std::printf("%zu images to train on, %zu held out\n", arguments.digits.train.size(),
              arguments.digits.test.size());
  program(arguments);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%.3f seconds in all\n", time.count());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}

inline void describe(const K::Function &step, const K::Function &evaluate) {
  std::printf("compiled in %.1f ms: training step of %lld kernels, evaluation of %lld\n",
              step.compileMilliseconds() + evaluate.compileMilliseconds(),
              (long long)step.kernelCount(), (long long)evaluate.kernelCount());
  std::printf("%s\n", step.memoryPlan().c_str());
  std::fflush(stdout);
}

inline void printStepTime(const training::History &history) {
  double seconds = 0, steps = 0;
  for (const training::Epoch &epoch : history) {
    seconds += epoch.stepSeconds;
    steps += double(epoch.steps);
  }
  std::printf("%.1f us a step\n", steps > 0 ? seconds / steps * 1e6 : 0.0);
}

// Trains a net from images (batch, 64) to ten logits with softmax crossentropy and Adam, and says
// how many of the images held out are right. With an output file, saves train_step and predict as
// they begin: whoever compiles the file ahead of time trains them from there.
inline void trainClassifier(const Arguments &arguments, const layers::Sequential &model,
                            double rate = 1e-3) {
  const Digits &train = arguments.digits.train, &test = arguments.digits.test;
  // The batch may have any size, and each function is compiled once for all of them.
  K::Tensor images = K::placeholder({"batch", 64}, {.name = "images"});
  K::Tensor labels = K::placeholder({"batch"}, {.dtype = "int32", .name = "labels"});
  auto accuracyOf = [&](const K::Tensor &logits) {
    K::Tensor isRight = K::equal(K::argmax(logits), K::cast(labels, K::DType::Int64));
    return K::mean(K::cast(isRight, K::DType::Float32));
  };
  K::Tensor logits = model(images, /*training=*/true);
  K::Tensor loss =
      K::mean(K::sparse_categorical_crossentropy(labels, logits, {.from_logits = true}));
  optimizers::Adam adam(rate);
  K::Function step =
      K::function({images, labels}, {{"loss", loss}, {"accuracy", accuracyOf(logits)}},
                  adam.minimize(loss, model), "train_step");

  K::Tensor inference = model(images, /*training=*/false);
  K::Function evaluate =
      K::function({images, labels}, {{"accuracy", accuracyOf(inference)}}, {}, "evaluate");
  if (!arguments.output.empty()) {
    K::Function predict = K::function(images, {{"digit", K::argmax(inference)}}, {}, "predict");
    K::save_functions({step, predict}, arguments.output);
    std::printf("saved train_step and predict to %s\n", arguments.output.c_str());
  }
  describe(step, evaluate);

  training::History history =
      training::fit(step, {train.images, train.labels}, {.epochs = arguments.epochs, .seed = 7});
  // Other batch sizes, same code.
  const training::Dataset heldOut(test.images, test.labels);
  double accuracy = 0;
  for (int64_t size : {heldOut.size(), int64_t(1), int64_t(100)}) {
    accuracy = training::evaluate(evaluate, heldOut, size)["accuracy"];
    std::printf("in batches of %lld: %.0f of %zu right\n", (long long)size,
                accuracy * double(test.size()), test.size());
  }
  printStepTime(history);
  std::printf("test accuracy %.4f\n", accuracy);
}

#endif // KERATIN_EXAMPLES_COMMON_TRAINING_H

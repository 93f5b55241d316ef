// What the examples' programs share: their command line, epochs with a progress line, evaluation.
#ifndef KERATIN_EXAMPLES_COMMON_TRAINING_H
#define KERATIN_EXAMPLES_COMMON_TRAINING_H

#include "common/Digits.h"
#include "common/Layers.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

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
  Stopwatch watch;
  Arguments arguments{readDigits(argv[1]), argc > 2 ? std::atoi(argv[2]) : epochs,
                      argc > 3 ? argv[3] : ""};
  std::printf("%zu images to train on, %zu held out\n", arguments.digits.train.size(),
              arguments.digits.test.size());
  program(arguments);
  std::printf("%.3f seconds in all\n", watch.seconds());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}

inline void describe(const keratin::Function &step, const keratin::Function &evaluate) {
  std::printf("compiled in %.1f ms: training step of %lld kernels, evaluation of %lld\n",
              step.compileMilliseconds() + evaluate.compileMilliseconds(),
              (long long)step.kernelCount(), (long long)evaluate.kernelCount());
  std::printf("%s\n", step.memoryPlan().c_str());
}

// Shuffled batches of the rows of a set, and the time that calls take.
class Epochs {
public:
  static constexpr size_t batchSize = 32;

  explicit Epochs(const Digits &digits) : rows(allRows(digits)) {}

  // Calls the function on the feeds of every batch; gives the means of its scalar results over the
  // images.
  std::vector<double>
  run(const keratin::Function &step,
      const std::function<std::vector<keratin::Array>(const size_t *, size_t)> &feeds) {
    std::shuffle(rows.begin(), rows.end(), shuffle);
    std::vector<double> means;
    for (size_t at = 0; at < rows.size(); at += batchSize) {
      size_t count = std::min(batchSize, rows.size() - at);
      std::vector<keratin::Array> batch = feeds(&rows[at], count);
      Stopwatch watch;
      step.call(batch.data(), batch.size(), results);
      seconds += watch.seconds();
      ++steps;
      means.resize(results.size());
      for (size_t i = 0; i < results.size(); ++i)
        means[i] += results[i].item() * double(count) / double(rows.size());
    }
    return means;
  }
  double microsecondsPerStep() const { return seconds / double(std::max<size_t>(steps, 1)) * 1e6; }

private:
  std::vector<size_t> rows;
  std::mt19937 shuffle{7};
  std::vector<keratin::Array> results;
  double seconds = 0;
  size_t steps = 0;
};

// A net from images (batch, 64) to ten logits; with or without what only training has.
using Classifier = std::function<keratin::Tensor(const keratin::Tensor &images, bool training)>;

// Trains with softmax crossentropy and Adam, and says how many of the images held out are right.
// With an output file, saves train_step and predict as they begin: whoever compiles the file ahead
// of time trains them from there.
inline void trainClassifier(const Arguments &arguments, const Classifier &model,
                            const std::vector<keratin::Tensor> &parameters, double rate = 1e-3) {
  namespace K = keratin::backend;
  const Digits &train = arguments.digits.train, &test = arguments.digits.test;
  // None: the batch may have any size, and each function is compiled once for all of them.
  K::Tensor images = K::placeholder({K::None, 64}, {.name = "images"});
  K::Tensor labels = K::placeholder({K::None}, {.dtype = "int32", .name = "labels"});
  auto isRight = [&](const K::Tensor &logits) {
    return K::equal(K::argmax(logits), K::cast(labels, K::DType::Int64));
  };
  K::Tensor logits = model(images, /*training=*/true);
  K::Tensor loss =
      K::mean(K::sparse_categorical_crossentropy(labels, logits, {.from_logits = true}));
  K::Tensor accuracy = K::mean(K::cast(isRight(logits), K::DType::Float32));
  K::Function step = K::function({images, labels}, {{"loss", loss}, {"accuracy", accuracy}},
                                 layers::adam(loss, parameters, rate), "train_step");

  K::Tensor inference = model(images, /*training=*/false);
  K::Tensor hits = K::sum(K::cast(isRight(inference), K::DType::Int32));
  K::Function evaluate = K::function({images, labels}, hits, {}, "evaluate");
  if (!arguments.output.empty()) {
    K::Function predict = K::function(images, {{"digit", K::argmax(inference)}}, {}, "predict");
    K::save_functions({step, predict}, arguments.output);
    std::printf("saved train_step and predict to %s\n", arguments.output.c_str());
  }
  describe(step, evaluate);

  Epochs epochs(train);
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    Stopwatch watch;
    std::vector<double> means = epochs.run(step, [&](const size_t *rows, size_t count) {
      return std::vector<K::Array>{imagesOf(train, rows, count), labelsOf(train, rows, count)};
    });
    std::printf("epoch %2d  loss %.4f  accuracy %.4f  %.0f images/s\n", epoch, means[0], means[1],
                double(train.size()) / watch.seconds());
    std::fflush(stdout);
  }

  // Other batch sizes, same code.
  std::vector<size_t> rows = allRows(test);
  int64_t right = 0;
  for (size_t size : {test.size(), size_t(1), size_t(100)}) {
    right = 0;
    for (size_t at = 0; at < rows.size(); at += size) {
      size_t count = std::min(size, rows.size() - at);
      right += evaluate({imagesOf(test, &rows[at], count), labelsOf(test, &rows[at], count)})[0]
                   .item<int64_t>();
    }
    std::printf("in batches of %zu: %lld of %zu right\n", size, (long long)right, test.size());
  }
  std::printf("%.1f us a step\n", epochs.microsecondsPerStep());
  std::printf("test accuracy %.4f\n", double(right) / double(test.size()));
}

#endif // KERATIN_EXAMPLES_COMMON_TRAINING_H

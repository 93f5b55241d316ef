// Trains a perceptron on handwritten digits: everything of a training step, forward, gradients,
// Adam and dropout, is one compiled function.
//
//   digits <digits.csv> [epochs] [model.ktg]
#include <keratin/backend.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace K = keratin::backend;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===-- Data ----------------------------------------------------------------------------------===//

struct Digits {
  std::vector<float> pixels; // 64 an image, 0 to 1
  std::vector<int32_t> labels;

  size_t size() const { return labels.size(); }
  void add(const float *image, int32_t label) {
    pixels.insert(pixels.end(), image, image + 64);
    labels.push_back(label);
  }
};

// Every fifth row is held out: the rows are ordered by writer, so a tail would not be a fair
// sample.
static bool readDigits(const char *path, Digits &train, Digits &test) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) // the header
    return false;
  for (size_t row = 0; std::getline(file, line); ++row) {
    float image[64];
    const char *at = line.c_str();
    for (float &pixel : image) {
      char *end;
      pixel = std::strtof(at, &end) / 16.0f;
      if (end == at || *end != ',')
        return false;
      at = end + 1;
    }
    char *end;
    long label = std::strtol(at, &end, 10);
    if (end == at || label < 0 || label > 9)
      return false;
    (row % 5 == 0 ? test : train).add(image, int32_t(label));
  }
  return train.size() > 0 && test.size() > 0;
}

//===-- Model ---------------------------------------------------------------------------------===//

struct Dense {
  K::Tensor weights, bias;

  // Glorot's uniform initialisation (Glorot and Bengio, AISTATS 2010).
  Dense(int64_t inputs, int64_t outputs, int64_t seed) {
    double limit = std::sqrt(6.0 / double(inputs + outputs));
    weights =
        K::random_uniform_variable({inputs, outputs}, -limit, limit, K::None, "weights", seed);
    bias = K::zeros({outputs}, K::None, "bias");
  }
  K::Tensor operator()(const K::Tensor &x) const { return K::bias_add(K::dot(x, weights), bias); }
};

struct Perceptron {
  Dense first{64, 256, 1}, second{256, 128, 2}, last{128, 10, 3};

  K::Tensor logits(const K::Tensor &x, bool training) const {
    auto hidden = [&](const Dense &layer, const K::Tensor &input, int64_t seed) {
      K::Tensor y = K::relu(layer(input));
      return training ? K::dropout(y, 0.2, K::None, seed) : y;
    };
    return last(hidden(second, hidden(first, x, 11), 12));
  }
  std::vector<K::Tensor> parameters() const {
    return {first.weights, first.bias, second.weights, second.bias, last.weights, last.bias};
  }
};

// Adam (Kingma and Ba, ICLR 2015) as updates of the graph.
static std::vector<keratin::Update> adam(const K::Tensor &loss,
                                         const std::vector<K::Tensor> &parameters, double rate) {
  const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;
  std::vector<keratin::Update> updates;
  K::Tensor iterations = K::variable(0.0, K::None, "iterations");
  K::Tensor t = iterations + 1.0;
  K::Tensor step = rate * K::sqrt(1.0 - K::pow(beta2, t)) / (1.0 - K::pow(beta1, t));
  updates.push_back(K::update(iterations, t));
  auto gradients = K::gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const K::Tensor &p = parameters[i], &g = gradients[i].value();
    K::Tensor m = K::zeros(p.shape()), v = K::zeros(p.shape());
    K::Tensor newM = beta1 * m + (1.0 - beta1) * g;
    K::Tensor newV = beta2 * v + (1.0 - beta2) * K::square(g);
    updates.push_back(K::update(m, newM));
    updates.push_back(K::update(v, newV));
    updates.push_back(K::update(p, p - step * newM / (K::sqrt(newV) + epsilon)));
  }
  return updates;
}

//===-- Training ------------------------------------------------------------------------------===//

static K::Array imagesOf(const Digits &digits, const size_t *rows, size_t count) {
  K::Array batch = K::Array::empty(K::DType::Float32, {int64_t(count), 64});
  float *to = batch.data<float>();
  for (size_t i = 0; i < count; ++i)
    std::copy_n(digits.pixels.data() + rows[i] * 64, 64, to + i * 64);
  return batch;
}

static K::Array labelsOf(const Digits &digits, const size_t *rows, size_t count) {
  K::Array batch = K::Array::empty(K::DType::Int32, {int64_t(count)});
  int32_t *to = batch.data<int32_t>();
  for (size_t i = 0; i < count; ++i)
    to[i] = digits.labels[rows[i]];
  return batch;
}

int main(int argc, char **argv) try {
  auto start = Clock::now();
  if (argc < 2) {
    std::fprintf(stderr, "usage: digits <digits.csv> [epochs] [model.ktg]\n");
    return 2;
  }
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 30;
  constexpr size_t batchSize = 32;
  Digits train, test;
  if (!readDigits(argv[1], train, test)) {
    std::fprintf(
        stderr,
        "%s: error: not a file of digits: a header line, then 64 pixels and a label a line\n",
        argv[1]);
    return 1;
  }
  std::printf("%zu images to train on, %zu held out\n", train.size(), test.size());

  // None: the batch may have any size, and each function is compiled once for all of them.
  K::Tensor images = K::placeholder({K::None, 64}, K::None, K::None, false, "images");
  K::Tensor labels = K::placeholder({K::None}, K::None, K::DType::Int32, false, "labels");
  Perceptron model;
  K::Tensor logits = model.logits(images, /*training=*/true);
  K::Tensor loss =
      K::mean(K::sparse_categorical_crossentropy(labels, logits, /*from_logits=*/true));
  K::Tensor accuracy = K::mean(
      K::cast(K::equal(K::argmax(logits), K::cast(labels, K::DType::Int64)), K::DType::Float32));
  K::Function step = K::function({images, labels}, {loss, accuracy},
                                 adam(loss, model.parameters(), 1e-3), "train_step");

  K::Tensor predicted = K::argmax(model.logits(images, /*training=*/false));
  K::Tensor hits =
      K::sum(K::cast(K::equal(predicted, K::cast(labels, K::DType::Int64)), K::DType::Int32));
  K::Function evaluate = K::function({images, labels}, {hits}, {}, "evaluate");
  if (argc > 3) {
    // As it begins: whoever compiles the file ahead of time trains it from there.
    K::Function predict = K::function({images}, {predicted}, {}, "predict");
    K::save_functions({step, predict}, argv[3]);
    std::printf("saved train_step and predict to %s\n", argv[3]);
  }
  std::printf("compiled in %.1f ms: training step of %lld kernels, evaluation of %lld\n",
              step.compileMilliseconds() + evaluate.compileMilliseconds(),
              (long long)step.kernelCount(), (long long)evaluate.kernelCount());
  std::printf("%s\n", step.memoryPlan().c_str());

  std::vector<size_t> order(train.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937 shuffle(7);
  double stepSeconds = 0;
  size_t steps = 0;
  std::vector<K::Array> results;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), shuffle);
    double lossSum = 0, accuracySum = 0;
    auto epochStart = Clock::now();
    for (size_t at = 0; at < order.size(); at += batchSize) {
      size_t count = std::min(batchSize, order.size() - at);
      K::Array feeds[] = {imagesOf(train, &order[at], count), labelsOf(train, &order[at], count)};
      auto stepStart = Clock::now();
      step.call(feeds, 2, results);
      stepSeconds += secondsSince(stepStart);
      ++steps;
      lossSum += results[0].item() * double(count);
      accuracySum += results[1].item() * double(count);
    }
    double n = double(order.size());
    std::printf("epoch %2d  loss %.4f  accuracy %.4f  %.0f images/s\n", epoch, lossSum / n,
                accuracySum / n, n / secondsSince(epochStart));
  }

  // Other batch sizes, same code.
  std::vector<size_t> all(test.size());
  std::iota(all.begin(), all.end(), size_t(0));
  int64_t correct = 0;
  for (size_t size : {test.size(), size_t(1), size_t(100)}) {
    correct = 0;
    for (size_t at = 0; at < all.size(); at += size) {
      size_t count = std::min(size, all.size() - at);
      correct += evaluate({imagesOf(test, &all[at], count), labelsOf(test, &all[at], count)})[0]
                     .item<int64_t>();
    }
    std::printf("in batches of %zu: %lld of %zu right\n", size, (long long)correct, test.size());
  }
  std::printf("%.1f us a step\n", stepSeconds / double(std::max<size_t>(steps, 1)) * 1e6);
  std::printf("test accuracy %.4f\n", double(correct) / double(test.size()));
  std::printf("%.3f seconds in all\n", secondsSince(start));
  return 0;
} catch (const keratin::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}

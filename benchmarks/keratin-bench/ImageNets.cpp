// cnn_cifar, resnet20: training steps of nets over images of 32x32x3. repeated_blocks: what
// compiling such a step takes, of few blocks and of many that are alike. sepconv: a depthwise and a
// pointwise convolution, each with relu6.
#include "benchmarks/keratin-bench/GradientCheck.h"
#include "benchmarks/keratin-bench/ImageLayers.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr int64_t kSide = 32, kChannels = 3, kClasses = 10;
static constexpr double kRate = 0.01;
// The function that is timed takes any batch, and is checked with this one.
static constexpr int64_t kCheckedBatch = 2;

//===-- Nets -------------------------------------------------------------------------------------//

// Keras's example cifar10_cnn.py, without dropout.
static constexpr auto cifarNet = [](auto &layers, auto x) {
  for (int64_t filters : {32, 64}) {
    x = layers.relu(layers.bias(layers.convolution(x, 3, filters)));
    x = layers.relu(layers.bias(layers.convolution(x, 3, filters, 1, Padding::Valid)));
    x = layers.maxPool(x);
  }
  x = layers.relu(layers.bias(layers.dense(layers.flatten(x), 512)));
  return layers.bias(layers.dense(x, kClasses));
};

// He, Zhang, Ren, Sun: Deep residual learning; CVPR 2016. Where the size changes, the shortcut is a
// convolution of 1x1.
template <int64_t blocks>
static constexpr auto resnet = [](auto &layers, auto x) {
  x = layers.relu(layers.normalize(layers.convolution(x, 3, 16)));
  for (int64_t filters : {16, 32, 64})
    for (int64_t block = 0; block < blocks; ++block) {
      bool narrows = filters > 16 && block == 0;
      int64_t stride = narrows ? 2 : 1;
      auto y = layers.relu(layers.normalize(layers.convolution(x, 3, filters, stride)));
      y = layers.normalize(layers.convolution(y, 3, filters));
      if (narrows)
        x = layers.convolution(x, 1, filters, stride);
      x = layers.relu(layers.add(y, x));
    }
  return layers.bias(layers.dense(layers.meanPool(x), kClasses));
};

//===-- Steps ------------------------------------------------------------------------------------//

static std::vector<int32_t> labelsOf(int64_t batch) {
  std::mt19937_64 generator(5);
  std::vector<int32_t> labels(static_cast<size_t>(batch));
  for (int32_t &label : labels)
    label = int32_t(generator() % uint64_t(kClasses));
  return labels;
}

static double crossentropy(const DoubleImage &logits, const std::vector<int32_t> &labels) {
  double loss = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    const double *from = &logits.data[row * kClasses];
    double most = *std::max_element(from, from + kClasses), sum = 0;
    for (int64_t i = 0; i < kClasses; ++i)
      sum += std::exp(from[i] - most);
    loss += most + std::log(sum) - from[labels[row]];
  }
  return loss / double(labels.size());
}

template <typename Net> static K::Function stepOf(GraphLayers &layers, const Net &net) {
  Tensor x = K::placeholder({K::None, kSide, kSide, kChannels});
  Tensor labels = K::placeholder({K::None}, K::None, K::DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, net(layers, x), true));
  std::vector<Update> updates;
  auto gradients = K::gradients(loss, layers.parameters);
  for (size_t i = 0; i < gradients.size(); ++i)
    updates.push_back(K::update_sub(layers.parameters[i], kRate * gradients[i].value()));
  return K::function({x, labels}, {loss}, updates);
}

template <typename Net>
static void runStep(Bench &bench, const char *name, int64_t batch, const Net &net) {
  GraphLayers layers;
  K::Function f = stepOf(layers, net);

  Row row;
  row.name = name;
  row.caseName = "step b" + std::to_string(batch);
  row.describe(f);

  auto inputsOf = [&](int64_t count) {
    return std::vector<Array>{randomArray({count, kSide, kSide, kChannels}, -1, 1, 3),
                              Array(labelsOf(count))};
  };
  auto values = [&] {
    std::vector<Doubles> all;
    for (const Tensor &parameter : layers.parameters)
      all.push_back(toDoubles(K::get_value(parameter)));
    return all;
  };
  std::vector<Array> inputs = inputsOf(kCheckedBatch), outputs;
  std::vector<Doubles> before = values();
  f.call(inputs.data(), 2, outputs);
  std::vector<Doubles> after = values(), found = before;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < found[i].size(); ++j)
      found[i][j] = (before[i][j] - after[i][j]) / kRate;
  auto lossOf = [&](const std::vector<Doubles> &parameters) {
    DoubleLayers reference(parameters);
    DoubleImage image{kCheckedBatch, kSide, kSide, kChannels, toDoubles(inputs[0])};
    double result = crossentropy(net(reference, image), labelsOf(kCheckedBatch));
    // Forward, gradients by all parameters and by all but the first input.
    double products = 3 * reference.multiplyAdds - reference.firstMultiplyAdds;
    row.work.flops = 2 * products * double(batch) / double(kCheckedBatch);
    return result;
  };
  double expected = lossOf(before);
  Bench::expectNear(row.caseName + ", loss", outputs[0], &expected, 1e-5, 1e-5);
  expectGradients(row.name, before, found, lossOf);

  inputs = inputsOf(batch);
  bench.time(row, [&] { f.call(inputs.data(), 2, outputs); });
}

void keratin::bench::runCnnCifar(Bench &bench) { runStep(bench, "cnn_cifar", 32, cifarNet); }
void keratin::bench::runResnet20(Bench &bench) { runStep(bench, "resnet20", 64, resnet<3>); }

// What compiling takes where many blocks are alike. The code is that of resnet20's kernels, whose
// gradients its row checks; here the loss is.
template <int64_t blocks> static void compileResnet(Bench &bench, const char *caseName) {
  GraphLayers layers;
  double start = seconds();
  K::Function f = stepOf(layers, resnet<blocks>);
  Row row;
  row.name = "repeated_blocks";
  row.caseName = caseName;
  row.timing = summarize({(seconds() - start) * 1e3});
  row.describe(f);
  std::vector<Doubles> parameters;
  for (const Tensor &parameter : layers.parameters)
    parameters.push_back(toDoubles(K::get_value(parameter)));
  const Array inputs[] = {randomArray({kCheckedBatch, kSide, kSide, kChannels}, -1, 1, 3),
                          Array(labelsOf(kCheckedBatch))};
  std::vector<Array> outputs;
  f.call(inputs, 2, outputs);
  DoubleLayers reference(parameters);
  DoubleImage image{kCheckedBatch, kSide, kSide, kChannels, toDoubles(inputs[0])};
  double expected = crossentropy(resnet<blocks>(reference, image), labelsOf(kCheckedBatch));
  Bench::expectNear(caseName, outputs[0], &expected, 1e-4, 1e-4);
  bench.report(row);
}

void keratin::bench::runDeepResnet(Bench &bench) {
  compileResnet<3>(bench, "resnet20 step");
  compileResnet<18>(bench, "resnet110 step");
}

//===-- Separable convolutions -------------------------------------------------------------------//

static void runSeparable(Bench &bench, int64_t batch, int64_t side, int64_t channels) {
  constexpr int64_t filters = 128;
  auto net = [](auto &layers, auto x) {
    x = layers.relu6(layers.depthwise(x, 3));
    return layers.relu6(layers.convolution(x, 1, filters));
  };
  GraphLayers layers;
  Tensor x = K::placeholder({batch, side, side, channels});
  K::Function f = K::function({x}, {net(layers, x)});

  Row row;
  row.name = "sepconv";
  row.caseName = std::to_string(batch) + "x" + std::to_string(side) + "x" + std::to_string(side) +
                 "x" + std::to_string(channels);
  row.describe(f);
  const Array input = randomArray({batch, side, side, channels}, -2, 2, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  std::vector<Doubles> parameters;
  for (const Tensor &parameter : layers.parameters)
    parameters.push_back(toDoubles(K::get_value(parameter)));
  DoubleLayers reference(parameters);
  DoubleImage expected = net(reference, DoubleImage{batch, side, side, channels, toDoubles(input)});
  Bench::expectNear(row.caseName, outputs[0], expected.data.data(), 1e-4, 1e-5);
  row.work.flops = 2 * reference.multiplyAdds;
  row.work.movedBytes = 4.0 * double(input.size() + outputs[0].size());
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

void keratin::bench::runSepConv(Bench &bench) {
  runSeparable(bench, 1, 112, 64);
  runSeparable(bench, 8, 56, 128);
}

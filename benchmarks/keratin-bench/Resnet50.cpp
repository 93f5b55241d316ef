// resnet50: a training step and inference of the net over images of 224x224x3; large.
#include "benchmarks/keratin-bench/ImageTraining.h"

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

// A pass of the reference over one image takes seconds. Gradients in float32 are off by a
// thousandth of their length, after so many layers.
static constexpr ImageTask kTask{
    .side = 224, .classes = 1000, .checkedBatch = 1, .bound = {.directions = 1, .error = 5e-3}};

// Blocks begin near the identity, as is usual: otherwise rounding errors grow from block to block.
static constexpr double kLastScale = 0.2;

// He, Zhang, Ren, Sun: Deep residual learning; CVPR 2016. As is usual since, the convolution of 3x3
// is the one with a stride. For inference normalisations are in the filters, and leave a bias.
template <bool isTraining>
static constexpr auto resnet50 = [](auto &layers, auto x) {
  auto convolution = [&](const auto &from, int64_t size, int64_t filters, int64_t stride = 1,
                         double scale = 1) {
    auto y = layers.convolution(from, size, filters, stride);
    if constexpr (isTraining)
      return layers.normalize(y, scale);
    else
      return layers.bias(y);
  };
  x = layers.relu(convolution(x, 7, 64, 2));
  x = layers.maxPool(x, 3, 2, Padding::Same);
  int64_t filters = 64;
  for (int64_t blocks : {3, 4, 6, 3}) {
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t stride = filters > 64 && block == 0 ? 2 : 1;
      auto y = layers.relu(convolution(x, 1, filters));
      y = layers.relu(convolution(y, 3, filters, stride));
      y = convolution(y, 1, 4 * filters, 1, kLastScale);
      if (block == 0)
        x = convolution(x, 1, 4 * filters, stride);
      x = layers.relu(layers.add(y, x));
    }
    filters *= 2;
  }
  return layers.bias(layers.dense(layers.meanPool(x), kTask.classes));
};

// For one image the function knows it is one; for more it takes any, and is checked with one.
static void runForward(Bench &bench, int64_t batch) {
  Row row;
  row.name = "resnet50";
  row.caseName = "forward b" + std::to_string(batch);
  if (!bench.wants(row.caseName))
    return;
  GraphLayers layers;
  std::optional<int64_t> known;
  if (batch == kTask.checkedBatch)
    known = batch;
  Tensor x = K::placeholder({known, kTask.side, kTask.side, kTask.channels});
  K::Function f = K::function({x}, {resnet50<false>(layers, x)});
  row.describe(f);
  const std::vector<Doubles> parameters = valuesOf(layers);
  Array images = kTask.inputsOf(kTask.checkedBatch)[0];
  std::vector<Array> outputs;
  f.call(&images, 1, outputs);
  DoubleLayers reference(parameters);
  const DoubleImage expected = resnet50<false>(reference, kTask.imageOf(images));
  Bench::expectNear(row.caseName, outputs[0], expected.data.data(), 1e-4, 1e-4);
  row.work.flops = 2 * reference.multiplyAdds * double(batch) / double(kTask.checkedBatch);
  for (const Doubles &values : parameters)
    row.work.readBytes += double(values.size()) * sizeof(float);
  images = kTask.inputsOf(batch)[0];
  bench.time(row, [&] { f.call(&images, 1, outputs); });
}

void keratin::bench::runResnet50(Bench &bench) {
  if (!bench.large())
    return;
  runForward(bench, 1);
  runForward(bench, 8);
  runStep(bench, "resnet50", "step b8 sgd", kTask, 8, resnet50<true>);
}

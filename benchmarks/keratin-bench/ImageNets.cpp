// cnn_cifar, resnet20: training steps of nets over images of 32x32x3. repeated_blocks: what
// compiling such a step takes, of few blocks and of many that are alike. sepconv: a depthwise and a
// pointwise convolution, each with relu6.
#include "benchmarks/keratin-bench/ImageTraining.h"

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr ImageTask kTask{.side = 32, .classes = 10, .checkedBatch = 2};

//===-- Nets -------------------------------------------------------------------------------------//

// Keras's example cifar10_cnn.py, without dropout.
static constexpr auto cifarNet = [](auto &layers, auto x) {
  for (int64_t filters : {32, 64}) {
    x = layers.relu(layers.bias(layers.convolution(x, 3, filters)));
    x = layers.relu(layers.bias(layers.convolution(x, 3, filters, 1, Padding::Valid)));
    x = layers.maxPool(x);
  }
  x = layers.relu(layers.bias(layers.dense(layers.flatten(x), 512)));
  return layers.bias(layers.dense(x, kTask.classes));
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
  return layers.bias(layers.dense(layers.meanPool(x), kTask.classes));
};

//===-- Steps ------------------------------------------------------------------------------------//

void keratin::bench::runCnnCifar(Bench &bench) {
  runStep(bench, "cnn_cifar", "step b32", kTask, 32, cifarNet);
}
void keratin::bench::runResnet20(Bench &bench) {
  runStep(bench, "resnet20", "step b64", kTask, 64, resnet<3>);
}

// What compiling takes where many blocks are alike. The code is that of resnet20's kernels, whose
// gradients its row checks; here the loss is.
template <int64_t blocks> static void compileResnet(Bench &bench, const char *caseName) {
  GraphLayers layers;
  double start = seconds();
  K::Function f = stepOf(layers, kTask, resnet<blocks>);
  Row row;
  row.name = "repeated_blocks";
  row.caseName = caseName;
  row.timing = summarize({(seconds() - start) * 1e3});
  row.describe(f);
  const std::vector<Doubles> parameters = valuesOf(layers);
  const std::vector<Array> inputs = kTask.inputsOf(kTask.checkedBatch);
  std::vector<Array> outputs;
  f.call(inputs.data(), 2, outputs);
  DoubleLayers reference(parameters);
  double expected = kTask.loss(resnet<blocks>(reference, kTask.imageOf(inputs[0])), inputs[1]);
  Bench::expectNear(caseName, outputs[0], &expected, 1e-4, 1e-4);
  bench.report(row);
}

void keratin::bench::runDeepResnet(Bench &bench) {
  compileResnet<3>(bench, "resnet20 step");
  compileResnet<18>(bench, "resnet110 step");
}

//===-- Separable convolutions -------------------------------------------------------------------//

template <typename Net>
static void runConvolutions(Bench &bench, const char *kind, int64_t batch, int64_t side,
                            int64_t channels, const Net &net) {
  Row row;
  row.name = "sepconv";
  row.caseName = kind + std::to_string(batch) + "x" + std::to_string(side) + "x" +
                 std::to_string(side) + "x" + std::to_string(channels);
  if (!bench.wants(row.caseName))
    return;
  GraphLayers layers;
  Tensor x = K::placeholder({batch, side, side, channels});
  K::Function f = K::function({x}, {net(layers, x)});
  row.describe(f);
  const Array input = randomArray({batch, side, side, channels}, -2, 2, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  const std::vector<Doubles> parameters = valuesOf(layers);
  DoubleLayers reference(parameters);
  DoubleImage expected = net(reference, DoubleImage{batch, side, side, channels, toDoubles(input)});
  Bench::expectNear(row.caseName, outputs[0], expected.data.data(), 1e-4, 1e-5);
  row.work.flops = 2 * reference.multiplyAdds;
  row.work.movedBytes = 4.0 * double(input.size() + outputs[0].size());
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

void keratin::bench::runSepConv(Bench &bench) {
  constexpr auto depthwise = [](auto &layers, auto x) { return layers.depthwise(x, 3); };
  constexpr auto separable = [](auto &layers, auto x) {
    x = layers.relu6(layers.depthwise(x, 3));
    return layers.relu6(layers.convolution(x, 1, 128));
  };
  runConvolutions(bench, "", 1, 112, 64, separable);
  runConvolutions(bench, "", 8, 56, 128, separable);
  runConvolutions(bench, "depthwise ", 8, 56, 128, depthwise);
}

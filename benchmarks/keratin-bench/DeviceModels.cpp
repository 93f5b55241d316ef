#include "benchmarks/keratin-bench/DeviceModels.h"

#include "benchmarks/keratin-bench/DenseNet.h"
#include "benchmarks/keratin-bench/ImageLayers.h"
#include "benchmarks/keratin-bench/Training.h"

#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr double kRate = 0.01;

static std::vector<Tensor> withGradients(const Tensor &y, const Tensor &loss,
                                         const std::vector<Tensor> &of) {
  std::vector<Tensor> results{y};
  for (const auto &gradient : K::gradients(loss, of))
    results.push_back(gradient.value());
  return results;
}

//===-- Element by element, reductions, moves
//-----------------------------------------------------//

static Function chain() {
  Tensor x = K::placeholder({1 << 16}), y = K::placeholder({1 << 16});
  Tensor u = K::tanh(x * y + x);
  Tensor w = K::relu(u * y - x, 0.1);
  return K::function({x, y}, {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)});
}

static Function broadcast() {
  Tensor x = K::placeholder({256, 256}), bias = K::placeholder({256});
  return K::function({x, bias}, {K::relu(x + bias)});
}

static Function softmax() {
  Tensor x = K::placeholder({64, 1000});
  return K::function({x}, {K::softmax(x)});
}

static Function layerNorm() {
  Tensor x = K::placeholder({64, 256}), dy = K::placeholder({64, 256});
  Tensor centered = x - K::mean(x, -1, true);
  Tensor y = centered / K::sqrt(K::mean(K::square(centered), -1, true) + 1e-5);
  return K::function({x, dy}, withGradients(y, K::sum(y * dy), {x}));
}

static Function sumOfRows() {
  Tensor x = K::placeholder({256, 1024});
  return K::function({x}, {K::sum(x, 1)});
}

static Function sumOfColumns() {
  Tensor x = K::placeholder({1024, 256});
  return K::function({x}, {K::sum(x, 0)});
}

static Function sumOfAll() {
  Tensor x = K::placeholder({1 << 18});
  return K::function({x}, {K::sum(x)});
}

static Function cumulativeSum() {
  Tensor x = K::placeholder({64, 1024});
  return K::function({x}, {K::cumsum(x, 1)});
}

static Function transpose() {
  Tensor x = K::placeholder({512, 512});
  return K::function({x}, {K::transpose(x)});
}

static Function gather() {
  Tensor table = weight({16, 64}, 5);
  Tensor rows = K::placeholder({1024}, K::None, DType::Int32);
  return K::function({rows}, {K::gather(table, rows)});
}

static Function dropout() {
  Tensor x = K::placeholder({1 << 16});
  return K::function({x}, {K::dropout(x, 0.2, K::None, 7)});
}

//===-- Products
//----------------------------------------------------------------------------------//

static Function product() {
  Tensor a = K::placeholder({128, 128}), b = K::placeholder({128, 128});
  return K::function({a, b}, {K::dot(a, b)});
}

static Function productOfHalves() {
  Tensor a = K::placeholder({128, 128}, K::None, DType::Float16);
  Tensor b = K::placeholder({128, 128}, K::None, DType::Float16);
  return K::function({a, b}, {K::dot(a, b)});
}

static Function perceptronStep() {
  constexpr int64_t batch = 16;
  const DenseNet net;
  DenseGraph graph(net);
  Tensor x = K::placeholder({batch, DenseNet::kSizes[0]});
  Tensor labels = K::placeholder({batch}, K::None, DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, graph.logits(x), true));
  return K::function({x, labels}, {loss}, descend(loss, graph.parameters(), kRate));
}

static Function attention() {
  constexpr int64_t heads = 4, time = 64, size = 32;
  Tensor q = K::placeholder({heads, time, size}), k = K::placeholder({heads, time, size});
  Tensor v = K::placeholder({heads, time, size});
  Tensor weights = K::softmax(K::batch_dot(q, k, {2, 2}) * (1.0 / std::sqrt(double(size))));
  return K::function({q, k, v}, {K::batch_dot(weights, v, {2, 1})});
}

//===-- Images
//------------------------------------------------------------------------------------//

static Function convolutionStep() {
  GraphLayers layers;
  Tensor x = K::placeholder({2, 16, 16, 16});
  Tensor y = layers.relu(layers.bias(layers.convolution(x, 3, 32)));
  Tensor loss = K::mean(K::square(y));
  return K::function({x}, {loss}, descend(loss, layers.parameters, kRate));
}

static Function separable() {
  GraphLayers layers;
  Tensor x = K::placeholder({1, 28, 28, 32});
  Tensor y = layers.relu6(layers.depthwise(x, 3));
  return K::function({x}, {layers.relu6(layers.convolution(y, 1, 32))});
}

static Function batchNorm() {
  Tensor x = K::placeholder({8, 14, 14, 32}), dy = K::placeholder({8, 14, 14, 32});
  Tensor gamma = K::variable(randomArray({32}, 0.5, 1.5, 11));
  Tensor beta = K::variable(randomArray({32}, -0.1, 0.1, 12));
  Tensor y = std::get<0>(K::normalize_batch_in_training(x, gamma, beta, {0, 1, 2}, 1e-3));
  return K::function({x, dy}, withGradients(y, K::sum(y * dy), {x, gamma, beta}));
}

static Function maxPool() {
  Tensor x = K::placeholder({4, 32, 32, 16});
  return K::function({x}, {K::pool2d(x, {2, 2}, {2, 2})});
}

//===-- Loops
//-------------------------------------------------------------------------------------//

static Function lstmStep() {
  constexpr int64_t time = 4, batch = 8, inputs = 32, units = 64;
  std::vector<Tensor> weights = {weight({inputs, 4 * units}, 11), weight({units, 4 * units}, 12)};
  Tensor x = K::placeholder({batch, time, inputs});
  Tensor loss = lstmLoss(x, weights, K::zeros({batch, units}), units);
  return K::function({x}, {loss}, descend(loss, weights, kRate));
}

const std::vector<DeviceModel> &keratin::bench::deviceModels() {
  static const std::vector<DeviceModel> models = {
      {"ew_chain", "n=2^16", chain},
      {"broadcast", "256x256 + 256, relu", broadcast},
      {"softmax", "64x1000", softmax},
      {"layernorm", "64x256, gradient", layerNorm},
      {"rows", "sums of 256x1024", sumOfRows},
      {"columns", "sums of 1024x256", sumOfColumns},
      {"sum", "of 2^18", sumOfAll},
      {"cumsum", "64x1024", cumulativeSum},
      {"transpose", "512x512", transpose},
      {"gather", "1024 rows of 64", gather},
      {"dropout", "n=2^16", dropout},
      {"gemm", "128x128x128", product},
      {"gemm_f16", "128x128x128", productOfHalves},
      {"mlp", "step b16 sgd", perceptronStep},
      {"attention", "4 heads, 64x32", attention},
      {"conv", "step 2x16x16x16 to 32", convolutionStep},
      {"sepconv", "1x28x28x32 to 32", separable},
      {"batchnorm", "8x14x14x32, gradient", batchNorm},
      {"maxpool", "4x32x32x16", maxPool},
      {"lstm", "step T4 b8 32-64", lstmStep}};
  return models;
}

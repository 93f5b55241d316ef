#include "benchmarks/keratin-bench/DenseNet.h"

#include "benchmarks/keratin-bench/DoubleMath.h"

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr int kLayers = DenseNet::kLayers;
static constexpr auto &kSizes = DenseNet::kSizes;

DenseNet::DenseNet() {
  for (int i = 0; i < kLayers; ++i) {
    double limit = std::sqrt(6.0 / double(kSizes[i] + kSizes[i + 1]));
    weights[i] = randomArray({kSizes[i], kSizes[i + 1]}, -limit, limit, uint64_t(10 + i));
    biases[i] = randomArray({kSizes[i + 1]}, -0.1, 0.1, uint64_t(20 + i));
  }
}

static double weightCount() {
  double count = 0;
  for (int i = 0; i < kLayers; ++i)
    count += double(kSizes[i] * kSizes[i + 1]);
  return count;
}

double DenseNet::forwardFlops(int64_t batch) { return 2.0 * double(batch) * weightCount(); }

double DenseNet::stepFlops(int64_t batch) {
  return 3 * forwardFlops(batch) - 2.0 * double(batch) * double(kSizes[0] * kSizes[1]);
}

double DenseNet::parameterBytes() {
  double count = weightCount();
  for (int i = 0; i < kLayers; ++i)
    count += double(kSizes[i + 1]);
  return count * sizeof(float);
}

//===-- The graph --------------------------------------------------------------------------------//

DenseGraph::DenseGraph(const DenseNet &net) {
  for (int i = 0; i < kLayers; ++i) {
    weights[i] = K::variable(net.weights[i]);
    biases[i] = K::variable(net.biases[i]);
  }
}

Tensor DenseGraph::logits(const Tensor &x) const {
  Tensor value = x;
  for (int i = 0; i < kLayers; ++i) {
    value = K::bias_add(K::dot(value, weights[i]), biases[i]);
    if (i + 1 < kLayers)
      value = K::relu(value);
  }
  return value;
}

std::vector<Tensor> DenseGraph::parameters() const {
  std::vector<Tensor> list;
  for (int i = 0; i < kLayers; ++i) {
    list.push_back(weights[i]);
    list.push_back(biases[i]);
  }
  return list;
}

//===-- The reference ----------------------------------------------------------------------------//

DenseReference::DenseReference(const DenseNet &net) {
  for (int i = 0; i < kLayers; ++i) {
    weights[i] = toDoubles(net.weights[i]);
    biases[i] = toDoubles(net.biases[i]);
  }
}

std::vector<Doubles> DenseReference::activations(const Doubles &x, int64_t batch) const {
  std::vector<Doubles> values{x};
  for (int i = 0; i < kLayers; ++i) {
    Doubles next = multiply(values.back(), weights[i], batch, kSizes[i + 1], kSizes[i]);
    for (size_t j = 0; j < next.size(); ++j) {
      next[j] += biases[i][j % biases[i].size()];
      if (i + 1 < kLayers)
        next[j] = std::max(next[j], 0.0);
    }
    values.push_back(std::move(next));
  }
  return values;
}

Doubles DenseReference::logits(const Doubles &x, int64_t batch) const {
  return activations(x, batch).back();
}

// The gradient by the logits of the mean crossentropy, which is added to loss.
static Doubles softmaxGradient(const Doubles &logits, const std::vector<int32_t> &labels,
                               double &loss) {
  const int64_t classes = DenseNet::kClasses;
  const double batch = double(labels.size());
  Doubles gradient(logits.size());
  for (size_t row = 0; row < labels.size(); ++row) {
    const double *from = &logits[row * classes];
    double *to = &gradient[row * classes];
    double largest = *std::max_element(from, from + classes), sum = 0;
    for (int64_t i = 0; i < classes; ++i)
      sum += to[i] = std::exp(from[i] - largest);
    for (int64_t i = 0; i < classes; ++i)
      to[i] /= sum * batch;
    to[labels[row]] -= 1 / batch;
    loss += (largest + std::log(sum) - from[labels[row]]) / batch;
  }
  return gradient;
}

DenseReference::Step DenseReference::step(const Doubles &x,
                                          const std::vector<int32_t> &labels) const {
  const int64_t batch = int64_t(labels.size());
  std::vector<Doubles> values = activations(x, batch);
  Step step;
  step.gradients.resize(2 * kLayers);
  Doubles dy = softmaxGradient(values.back(), labels, step.loss);
  for (int i = kLayers - 1; i >= 0; --i) {
    int64_t rows = kSizes[i], columns = kSizes[i + 1];
    step.gradients[2 * i] = multiply(transposed(values[i], batch, rows), dy, rows, columns, batch);
    Doubles &bias = step.gradients[2 * i + 1];
    bias.resize(size_t(columns));
    for (size_t j = 0; j < dy.size(); ++j)
      bias[j % bias.size()] += dy[j];
    if (i == 0)
      break;
    dy = multiply(dy, transposed(weights[i], rows, columns), batch, rows, columns);
    for (size_t j = 0; j < dy.size(); ++j)
      if (values[i][j] <= 0)
        dy[j] = 0;
  }
  return step;
}

std::vector<Doubles> DenseReference::parameters() const {
  std::vector<Doubles> list;
  for (int i = 0; i < kLayers; ++i) {
    list.push_back(weights[i]);
    list.push_back(biases[i]);
  }
  return list;
}

// Training steps of the nets over images: the function, and what its loss and gradients are checked
// against.
#ifndef KERATIN_BENCHMARKS_IMAGETRAINING_H
#define KERATIN_BENCHMARKS_IMAGETRAINING_H

#include "benchmarks/keratin-bench/GradientCheck.h"
#include "benchmarks/keratin-bench/ImageLayers.h"
#include "benchmarks/keratin-bench/Training.h"

#include <vector>

namespace keratin::bench {

struct ImageTask {
  int64_t side, classes;
  // The function that is timed takes any batch, and is checked with this one.
  int64_t checkedBatch;
  GradientBound bound = {};
  static constexpr int64_t channels = 3;
  static constexpr double rate = 0.01;

  // Images and their labels.
  std::vector<Array> inputsOf(int64_t batch) const;
  DoubleImage imageOf(const Array &images) const;
  // The mean crossentropy of their softmax.
  double loss(const DoubleImage &logits, const Array &labels) const;
};

// Of its parameters, in their order.
std::vector<Doubles> valuesOf(const GraphLayers &layers);

// A step of gradient descent, of images and labels; its result is the loss.
template <typename Net>
Function stepOf(GraphLayers &layers, const ImageTask &task, const Net &net) {
  namespace K = backend;
  Tensor x = K::placeholder({K::None, task.side, task.side, task.channels});
  Tensor labels = K::placeholder({K::None}, K::None, K::DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, net(layers, x), true));
  return K::function({x, labels}, {loss}, descend(loss, layers.parameters, task.rate));
}

template <typename Net>
void runStep(Bench &bench, const char *name, const char *caseName, const ImageTask &task,
             int64_t batch, const Net &net) {
  Row row;
  row.name = name;
  row.caseName = caseName;
  if (!bench.wants(row.caseName))
    return;
  GraphLayers layers;
  Function f = stepOf(layers, task, net);
  row.describe(f);

  std::vector<Array> inputs = task.inputsOf(task.checkedBatch), outputs;
  const std::vector<Doubles> before = valuesOf(layers);
  f.call(inputs.data(), 2, outputs);
  const std::vector<Doubles> after = valuesOf(layers);
  std::vector<Doubles> found = before;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < found[i].size(); ++j)
      found[i][j] = (before[i][j] - after[i][j]) / task.rate;
  auto lossOf = [&](const std::vector<Doubles> &parameters) {
    DoubleLayers reference(parameters);
    double result = task.loss(net(reference, task.imageOf(inputs[0])), inputs[1]);
    // Forward, gradients by all parameters and by all but the first input.
    double products = 3 * reference.multiplyAdds - reference.firstMultiplyAdds;
    row.work.flops = 2 * products * double(batch) / double(task.checkedBatch);
    return result;
  };
  double expected = lossOf(before);
  Bench::expectNear(row.caseName + ", loss", outputs[0], &expected, 1e-5, 1e-5);
  expectGradients(row.name, before, found, lossOf, task.bound);

  inputs = task.inputsOf(batch);
  bench.time(row, [&] { f.call(inputs.data(), 2, outputs); });
}

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_IMAGETRAINING_H

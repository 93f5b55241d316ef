// The network of the rows mlp and dynbatch: 784-512-512-10 with relu, as a graph and as plain loops
// in double precision.
#ifndef KERATIN_BENCHMARKS_DENSENET_H
#define KERATIN_BENCHMARKS_DENSENET_H

#include "benchmarks/keratin-bench/Bench.h"

#include <array>
#include <cstdint>
#include <vector>

namespace keratin::bench {

struct DenseNet {
  static constexpr int kLayers = 3;
  static constexpr std::array<int64_t, kLayers + 1> kSizes = {784, 512, 512, 10};
  static constexpr int64_t kClasses = kSizes[kLayers];

  // Initial values, Glorot's uniform; small biases.
  std::array<Array, kLayers> weights, biases;

  DenseNet();

  // Of one forward pass; all parameters are read.
  static double forwardFlops(int64_t batch);
  // Forward, gradients by all parameters, none by the input.
  static double stepFlops(int64_t batch);
  static double parameterBytes();
};

// The net's variables in the graph.
struct DenseGraph {
  std::array<Tensor, DenseNet::kLayers> weights, biases;

  explicit DenseGraph(const DenseNet &net);
  Tensor logits(const Tensor &x) const;
  std::vector<Tensor> parameters() const; // weights, biases, layer by layer
};

// What the graph means. Rows of x are samples.
struct DenseReference {
  std::array<Doubles, DenseNet::kLayers> weights, biases;

  explicit DenseReference(const DenseNet &net);
  Doubles logits(const Doubles &x, int64_t batch) const;

  struct Step {
    double loss = 0;                // mean crossentropy of the softmax
    std::vector<Doubles> gradients; // in the order of DenseGraph::parameters
  };
  Step step(const Doubles &x, const std::vector<int32_t> &labels) const;
  // In the same order.
  std::vector<Doubles> parameters() const;

private:
  // The input and each layer's output; the last without relu.
  std::vector<Doubles> activations(const Doubles &x, int64_t batch) const;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DENSENET_H

// What models that are trained here begin and end with, and an LSTM.
#ifndef KERATIN_BENCHMARKS_TRAINING_H
#define KERATIN_BENCHMARKS_TRAINING_H

#include "benchmarks/keratin-bench/Bench.h"

#include <cstdint>
#include <vector>

namespace keratin::bench {

// A variable, within Glorot's limit of its first and last size.
Tensor weight(std::vector<int64_t> dims, uint64_t seed);

// Gradient descent.
std::vector<Update> descend(const Tensor &loss, const std::vector<Tensor> &parameters, double rate);

// The mean square of all outputs of an LSTM over x, which begins with `zeros`. Weights are those of
// the input, the recurrent ones and, if there is a third, the biases; gates stand side by side, in
// Keras's order.
Tensor lstmLoss(const Tensor &x, const std::vector<Tensor> &weights, const Tensor &zeros,
                int64_t units);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_TRAINING_H

// K functions: neural networks.
#ifndef KERATIN_NN_H
#define KERATIN_NN_H

#include "keratin/arguments.h"

#include <optional>
#include <tuple>
#include <vector>

namespace keratin::backend {

// x above the threshold, alpha * (x - threshold) below; not more than max_value, if there is one.
Tensor relu(const Operand &x, double alpha = 0.0, std::optional<double> max_value = None,
            double threshold = 0.0, SourceLocation location = SourceLocation::current());
Tensor elu(const Operand &x, double alpha = 1.0,
           SourceLocation location = SourceLocation::current());
Tensor softmax(const Operand &x, Axis axis = -1,
               SourceLocation location = SourceLocation::current());
Tensor softsign(const Operand &x, SourceLocation location = SourceLocation::current());
// clip(0.2 x + 0.5, 0, 1).
Tensor hard_sigmoid(const Operand &x, SourceLocation location = SourceLocation::current());

// Probabilities are clipped to [epsilon, 1 - epsilon]; logits are not.
Tensor categorical_crossentropy(const Operand &target, const Operand &output,
                                bool from_logits = false, Axis axis = -1,
                                SourceLocation location = SourceLocation::current());
// Targets are class numbers; one outside the classes gives NaN.
Tensor sparse_categorical_crossentropy(const Operand &target, const Operand &output,
                                       bool from_logits = false, Axis axis = -1,
                                       SourceLocation location = SourceLocation::current());
// Element by element.
Tensor binary_crossentropy(const Operand &target, const Operand &output, bool from_logits = false,
                           SourceLocation location = SourceLocation::current());

// Zeros with probability level, else x / (1 - level). noise_shape None entries are x's sizes.
Tensor dropout(const Operand &x, double level, const Shape &noise_shape = None,
               std::optional<int64_t> seed = None,
               SourceLocation location = SourceLocation::current());
Tensor l2_normalize(const Operand &x, const Axes &axis = None,
                    SourceLocation location = SourceLocation::current());
// Whether fewer than k classes are predicted above the target.
Tensor in_top_k(const Operand &predictions, const Operand &targets, int64_t k,
                SourceLocation location = SourceLocation::current());
Tensor bias_add(const Operand &x, const Operand &bias, const DataFormat &data_format = None,
                SourceLocation location = SourceLocation::current());

// (normalised, mean, variance). gamma and beta may be None.
std::tuple<Tensor, Tensor, Tensor>
normalize_batch_in_training(const Operand &x, const Operand &gamma, const Operand &beta,
                            const Axes &reduction_axes, double epsilon = 0.001,
                            SourceLocation location = SourceLocation::current());
// (x - mean) / sqrt(var + epsilon) * gamma + beta; gamma and beta may be None.
Tensor batch_normalization(const Operand &x, const Operand &mean, const Operand &var,
                           const Operand &beta, const Operand &gamma, Axis axis = -1,
                           double epsilon = 0.001,
                           SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_NN_H

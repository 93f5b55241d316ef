// K functions: random numbers.
#ifndef KERATIN_RANDOM_H
#define KERATIN_RANDOM_H

#include "keratin/arguments.h"

#include <optional>
#include <string>

namespace keratin::backend {

// Every evaluation of a random tensor draws anew. Equal seeds, shapes and parameters give equal
// sequences of draws, in every process, with any number of threads. Without a seed one is taken
// from a generator of the process, which set_random_seed makes reproducible.
//
// Numbers as parameters are checked: finite, stddev and scale not negative, p from 0 to 1, maxval
// above minval. So are tensors as bounds of integers, at the call. Tensors of floats are not, as no
// value of theirs makes the formula anything but arithmetic: a negative stddev gives the same
// distribution as its absolute value, p below 0 or NaN zeros, above 1 ones, a maxval that is not
// above minval gives minval, and NaN gives NaN.
void set_random_seed(uint64_t seed);

Tensor random_normal(const Shape &shape, const Operand &mean = 0.0, const Operand &stddev = 1.0,
                     DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                     SourceLocation location = SourceLocation::current());
// In [minval, maxval); integers for an integer dtype.
Tensor random_uniform(const Shape &shape, const Operand &minval = 0.0, const Operand &maxval = 1.0,
                      DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                      SourceLocation location = SourceLocation::current());
// 1 with probability p, else 0.
Tensor random_binomial(const Shape &shape, const Operand &p = 0.0, DTypeArgument dtype = None,
                       std::optional<int64_t> seed = None,
                       SourceLocation location = SourceLocation::current());
// Normal, conditioned on lying within two standard deviations of the mean.
Tensor truncated_normal(const Shape &shape, const Operand &mean = 0.0, const Operand &stddev = 1.0,
                        DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                        SourceLocation location = SourceLocation::current());
// Gamma-distributed numbers with the shape alpha and the rate beta (1 / scale), both above 0.
// Gradients flow to both, to alpha by how the quantile of the same probability changes; there are
// no second ones by alpha. Tensors' parameters that are not above 0 give NaN.
Tensor random_gamma(const Shape &shape, const Operand &alpha, const Operand &beta = 1.0,
                    DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                    SourceLocation location = SourceLocation::current());
// Numbers between 0 and 1, beta-distributed with a and b above 0; gradients as random_gamma's.
Tensor random_beta(const Shape &shape, const Operand &a, const Operand &b,
                   DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                   SourceLocation location = SourceLocation::current());
// Exponentially distributed numbers with this mean.
Tensor random_exponential(const Shape &shape, const Operand &scale = 1.0,
                          DTypeArgument dtype = None, std::optional<int64_t> seed = None,
                          SourceLocation location = SourceLocation::current());
// Counts of events that happen lam times in the mean; int64 unless the dtype says otherwise. No
// gradients. A tensor's lam that is negative, infinite or NaN gives NaN, 0 of an integer dtype.
Tensor random_poisson(const Shape &shape, const Operand &lam = 1.0, DTypeArgument dtype = None,
                      std::optional<int64_t> seed = None,
                      SourceLocation location = SourceLocation::current());
// Classes, int64, as many as `count` for each line of logits along the last axis; the probability
// of a class is that of softmax.
Tensor random_categorical(const Operand &logits, const Size &count,
                          std::optional<int64_t> seed = None,
                          SourceLocation location = SourceLocation::current());
// The rows of x, or for an integer x the numbers 0, 1, ... below it, in a random order, all orders
// being equally likely.
Tensor random_permutation(const Operand &x, std::optional<int64_t> seed = None,
                          SourceLocation location = SourceLocation::current());
// Rows of x, or for an integer x numbers below it, in a tensor of this shape: each by itself, or
// without `replace` none of them twice. `p` are their weights, which need not sum to 1.
Tensor random_choice(const Operand &x, const Shape &shape, bool replace = true,
                     const Operand &p = None, std::optional<int64_t> seed = None,
                     SourceLocation location = SourceLocation::current());
// Variables that start with one draw.
Tensor random_uniform_variable(const Shape &shape, double low, double high,
                               DTypeArgument dtype = None, const std::string &name = "",
                               std::optional<int64_t> seed = None,
                               SourceLocation location = SourceLocation::current());
Tensor random_normal_variable(const Shape &shape, double mean, double scale,
                              DTypeArgument dtype = None, const std::string &name = "",
                              std::optional<int64_t> seed = None,
                              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_RANDOM_H

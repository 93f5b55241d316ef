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

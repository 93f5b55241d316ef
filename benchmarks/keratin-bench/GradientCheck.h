// Gradients against differences of a loss computed in double precision.
#ifndef KERATIN_BENCHMARKS_GRADIENTCHECK_H
#define KERATIN_BENCHMARKS_GRADIENTCHECK_H

#include "benchmarks/keratin-bench/Bench.h"

#include <functional>
#include <string>
#include <vector>

namespace keratin::bench {

struct GradientBound {
  int directions = 3; // that are tried
  double error = 1e-3;
};

// Along random directions, in which every element of every variable moves: the slope of the loss is
// the gradients' product with the direction. Throws std::runtime_error where they differ by more
// than the error times the gradients' length.
void expectGradients(const std::string &what, const std::vector<Doubles> &variables,
                     const std::vector<Doubles> &gradients,
                     const std::function<double(const std::vector<Doubles> &)> &loss,
                     GradientBound bound = {});

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_GRADIENTCHECK_H

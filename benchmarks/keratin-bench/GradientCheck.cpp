#include "benchmarks/keratin-bench/GradientCheck.h"

#include <cmath>
#include <random>
#include <stdexcept>

using namespace keratin::bench;

// Small enough that few activations and maxima change places on the way.
static constexpr double kStep = 1e-9;

void keratin::bench::expectGradients(
    const std::string &what, const std::vector<Doubles> &variables,
    const std::vector<Doubles> &gradients,
    const std::function<double(const std::vector<Doubles> &)> &loss, GradientBound bound) {
  std::mt19937_64 random(7);
  for (int direction = 0; direction < bound.directions; ++direction) {
    std::vector<Doubles> ahead = variables, behind = variables;
    double slope = 0, squares = 0;
    for (size_t i = 0; i < variables.size(); ++i)
      for (size_t j = 0; j < variables[i].size(); ++j) {
        double sign = random() % 2 ? 1 : -1;
        ahead[i][j] += sign * kStep;
        behind[i][j] -= sign * kStep;
        slope += sign * gradients[i][j];
        squares += gradients[i][j] * gradients[i][j];
      }
    double expected = (loss(ahead) - loss(behind)) / (2 * kStep);
    if (!(std::abs(slope - expected) <= bound.error * std::sqrt(squares)))
      throw std::runtime_error(what + ": the gradients have slope " + std::to_string(slope) +
                               " where the reference has " + std::to_string(expected));
  }
}

#include "benchmarks/keratin-bench/Training.h"

#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

Tensor keratin::bench::weight(std::vector<int64_t> dims, uint64_t seed) {
  double limit = std::sqrt(6.0 / double(dims.front() + dims.back()));
  return K::variable(randomArray(std::move(dims), -limit, limit, seed));
}

std::vector<Update> keratin::bench::descend(const Tensor &loss,
                                            const std::vector<Tensor> &parameters, double rate) {
  std::vector<Update> updates;
  auto gradients = K::gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i)
    updates.push_back(K::update_sub(parameters[i], rate * gradients[i].value()));
  return updates;
}

Tensor keratin::bench::lstmLoss(const Tensor &x, const std::vector<Tensor> &weights,
                                const Tensor &zeros, int64_t units) {
  auto step = [&](const Tensor &now, const Tensor &h, const Tensor &c) {
    Tensor z = K::dot(now, weights[0]) + K::dot(h, weights[1]);
    if (weights.size() > 2)
      z = K::bias_add(z, weights[2]);
    auto gate = [&](int64_t i) { return z[{K::All, K::Slice(i * units, (i + 1) * units)}]; };
    Tensor cell = K::sigmoid(gate(1)) * c + K::sigmoid(gate(0)) * K::tanh(gate(2));
    Tensor output = K::sigmoid(gate(3)) * K::tanh(cell);
    return std::make_tuple(output, output, cell);
  };
  return K::mean(K::square(std::get<1>(K::rnn(step, x, {zeros, zeros}))));
}

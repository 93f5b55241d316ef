// mlp: a whole training step of a perceptron as one function, and its forward pass.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DenseNet.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static std::vector<int32_t> randomLabels(int64_t batch) {
  std::mt19937_64 generator(5);
  std::vector<int32_t> labels(static_cast<size_t>(batch));
  for (int32_t &label : labels)
    label = int32_t(generator() % uint64_t(DenseNet::kClasses));
  return labels;
}

static double largest(const Doubles &values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

namespace {

// So large that one step moves the parameters well clear of their rounding.
constexpr double kSgdRate = 0.1;
constexpr double kAdamRate = 1e-3, kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-7;

// Float32 sums against double ones, relative to the largest gradient of a parameter.
constexpr double kGradientError = 1e-4;

struct Training {
  std::vector<Update> updates;
  // Adam's moments, in the order of the parameters.
  std::vector<Tensor> first, second;
};

Training sgd(const Tensor &loss, const std::vector<Tensor> &parameters) {
  Training training;
  auto gradients = K::gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i)
    training.updates.push_back(K::update_sub(parameters[i], kSgdRate * gradients[i].value()));
  return training;
}

// Adam: Kingma and Ba, ICLR 2015.
Training adam(const Tensor &loss, const std::vector<Tensor> &parameters) {
  Training training;
  Tensor iterations = K::variable(0.0);
  Tensor t = iterations + 1.0;
  training.updates.push_back(K::update(iterations, t));
  Tensor rate = kAdamRate * K::sqrt(1.0 - K::pow(kBeta2, t)) / (1.0 - K::pow(kBeta1, t));
  auto gradients = K::gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &p = parameters[i], &g = gradients[i].value();
    Tensor m = K::variable(K::zeros_like(p)), v = K::variable(K::zeros_like(p));
    Tensor newM = kBeta1 * m + (1.0 - kBeta1) * g;
    Tensor newV = kBeta2 * v + (1.0 - kBeta2) * K::square(g);
    training.updates.push_back(K::update(m, newM));
    training.updates.push_back(K::update(v, newV));
    training.updates.push_back(K::update(p, p - rate * newM / (K::sqrt(newV) + kEpsilon)));
    training.first.push_back(m);
    training.second.push_back(v);
  }
  return training;
}

} // namespace

static void checkSgd(const std::string &what, const std::vector<Tensor> &parameters,
                     const std::vector<Doubles> &before, const std::vector<Doubles> &gradients) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    Doubles expected = before[i];
    for (size_t j = 0; j < expected.size(); ++j)
      expected[j] -= kSgdRate * gradients[i][j];
    Bench::expectNear(what + ", parameter " + std::to_string(i), K::get_value(parameters[i]),
                      expected.data(), kSgdRate * kGradientError * largest(gradients[i]), 2e-7);
  }
}

static void checkAdam(const std::string &what, const Training &training,
                      const std::vector<Tensor> &parameters, const std::vector<Doubles> &before,
                      const std::vector<Doubles> &gradients) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string name = what + ", parameter " + std::to_string(i);
    const Doubles &g = gradients[i];
    double error = kGradientError * largest(g);
    Doubles first(g.size()), second(g.size());
    for (size_t j = 0; j < g.size(); ++j) {
      first[j] = (1 - kBeta1) * g[j];
      second[j] = (1 - kBeta2) * g[j] * g[j];
    }
    Bench::expectNear(name + ", first moment", K::get_value(training.first[i]), first.data(),
                      (1 - kBeta1) * error, 1e-6);
    Bench::expectNear(name + ", second moment", K::get_value(training.second[i]), second.data(),
                      (1 - kBeta2) * 3 * error * largest(g), 1e-6);
    // Where a gradient is not clear of its own error, the direction of the step is not known.
    Array value = K::get_value(parameters[i]);
    double correction = std::sqrt(1 - kBeta2) / (1 - kBeta1);
    for (size_t j = 0; j < g.size(); ++j) {
      double step = kAdamRate * correction * first[j] / (std::sqrt(second[j]) + kEpsilon);
      double scale = std::abs(g[j]) + kEpsilon / std::sqrt(1 - kBeta2);
      double allowed = kAdamRate * std::min(2.0, 2 * error / scale) + 2e-7 * std::abs(before[i][j]);
      double found = value.data<float>()[j];
      if (!(std::abs(found - (before[i][j] - step)) <= allowed + 1e-7))
        throw std::runtime_error(name + ": element " + std::to_string(j) + " is " +
                                 std::to_string(found) + "; the reference has " +
                                 std::to_string(before[i][j] - step));
    }
  }
}

static void runStep(Bench &bench, bool useAdam) {
  constexpr int64_t batch = 128;
  DenseNet net;
  DenseGraph graph(net);
  Tensor x = K::placeholder({batch, DenseNet::kSizes[0]});
  Tensor labels = K::placeholder({batch}, K::None, K::DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, graph.logits(x), true));
  std::vector<Tensor> parameters = graph.parameters();
  Training training = useAdam ? adam(loss, parameters) : sgd(loss, parameters);
  K::Function f = K::function({x, labels}, {loss}, training.updates);

  Row row;
  row.name = "mlp";
  row.caseName = useAdam ? "step b128 adam" : "step b128 sgd";
  row.describe(f);
  row.work.flops = DenseNet::stepFlops(batch);
  // Parameters, and Adam's two moments, are read and written.
  row.work.movedBytes = (useAdam ? 6 : 2) * DenseNet::parameterBytes();

  std::vector<int32_t> classes = randomLabels(batch);
  const Array inputs[] = {randomArray({batch, DenseNet::kSizes[0]}, -1, 1, 3), Array(classes)};
  std::vector<Array> outputs;
  f.call(inputs, 2, outputs);
  {
    DenseReference reference(net);
    DenseReference::Step step = reference.step(toDoubles(inputs[0]), classes);
    Bench::expectNear(row.caseName + ", loss", outputs[0], &step.loss, 0, 1e-5);
    if (useAdam)
      checkAdam(row.caseName, training, parameters, reference.parameters(), step.gradients);
    else
      checkSgd(row.caseName, parameters, reference.parameters(), step.gradients);
  }
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

static void runForward(Bench &bench, int64_t batch) {
  DenseNet net;
  DenseGraph graph(net);
  Tensor x = K::placeholder({batch, DenseNet::kSizes[0]});
  K::Function f = K::function({x}, {graph.logits(x)});

  Row row;
  row.name = "mlp";
  row.caseName = "forward b" + std::to_string(batch);
  row.describe(f);
  row.work.flops = DenseNet::forwardFlops(batch);
  row.work.readBytes = DenseNet::parameterBytes();

  const Array input = randomArray({batch, DenseNet::kSizes[0]}, -1, 1, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  Doubles expected = DenseReference(net).logits(toDoubles(input), batch);
  Bench::expectNear(row.caseName, outputs[0], expected.data(), 2e-5, 1e-5);
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

void keratin::bench::runMlp(Bench &bench) {
  runStep(bench, /*useAdam=*/false);
  runStep(bench, /*useAdam=*/true);
  runForward(bench, 1);
  runForward(bench, 32);
}

// check_numbers: what it costs that a function looks for NaN and infinities. The same graph is
// compiled with and without, both are timed in turns, and the ratio is that of the two.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DenseNet.h"
#include "benchmarks/keratin-bench/Training.h"

#include <cmath>
#include <stdexcept>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr double kRate = 1e-3;

namespace {

// The inputs and results of a graph that is compiled twice.
struct Subject {
  std::string name;
  std::vector<Tensor> inputs, outputs;
  std::vector<Update> updates;
  std::vector<Array> arrays;
};

} // namespace

static K::Function compile(const Subject &subject, bool checks) {
  FunctionOptions options;
  options.checkNumbers = checks;
  return K::function(subject.inputs, subject.outputs, subject.updates, "", options);
}

static void compare(Bench &bench, const Subject &subject) {
  K::Function plain = compile(subject, false), checked = compile(subject, true);
  Row row;
  row.name = "check_numbers";
  row.caseName = subject.name;
  row.describe(checked);
  std::vector<Array> outputs, expected;
  auto call = [&](const K::Function &f, std::vector<Array> &results) {
    f.call(subject.arrays.data(), subject.arrays.size(), results);
  };
  call(checked, outputs);
  // With updates the second call would begin from other values.
  if (subject.updates.empty()) {
    call(plain, expected);
    for (size_t i = 0; i < outputs.size(); ++i) {
      Doubles numbers = toDoubles(expected[i]);
      Bench::expectNear(subject.name, outputs[i], numbers.data(), 0, 0);
    }
  }
  for (const Array &output : outputs)
    for (double number : toDoubles(output))
      if (!std::isfinite(number))
        throw std::runtime_error(subject.name + ": a result is not finite");
  bench.timeAgainst(row, [&] { call(checked, outputs); }, [&] { call(plain, outputs); });
}

static Subject chain() {
  const int64_t n = int64_t(1) << 20;
  Tensor x = K::placeholder({n}), y = K::placeholder({n});
  Tensor v = K::tanh(x * y + x) * y - x;
  Tensor w = K::relu(v, 0.1);
  return {"elementwise chain n=2^20",
          {x, y},
          {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)},
          {},
          {randomArray({n}, -3, 3, 1), randomArray({n}, -3, 3, 2)}};
}

// Nothing but memory and a few additions: the worst that can be.
static Subject sums() {
  const int64_t n = int64_t(1) << 14;
  Tensor x = K::placeholder({n}), y = K::placeholder({n});
  return {"x * y + x, n=2^14, in the cache",
          {x, y},
          {x * y + x},
          {},
          {randomArray({n}, -3, 3, 1), randomArray({n}, -3, 3, 2)}};
}

static Subject perceptron() {
  constexpr int64_t batch = 128;
  DenseNet net;
  DenseGraph graph(net);
  Tensor x = K::placeholder({batch, DenseNet::kSizes[0]});
  Tensor labels = K::placeholder({batch}, K::None, K::DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, graph.logits(x), true));
  return {"mlp step b128 sgd",
          {x, labels},
          {loss},
          descend(loss, graph.parameters(), kRate),
          {randomArray({batch, DenseNet::kSizes[0]}, -1, 1, 3),
           Array(std::vector<int32_t>(size_t(batch), 1))}};
}

static Tensor normalize(const Tensor &x) {
  Tensor centered = x - K::mean(x, -1, true);
  return centered / K::sqrt(K::mean(K::square(centered), -1, true) + 1e-5);
}

// A layer of a transformer (Vaswani and others, NIPS 2017): four heads over 64 places.
static Subject transformer() {
  constexpr int64_t batch = 8, time = 64, units = 256, heads = 4, size = units / heads;
  Tensor x = K::placeholder({batch, time, units});
  std::vector<Tensor> parameters;
  auto dense = [&](const Tensor &in, int64_t from, int64_t to) {
    parameters.push_back(weight({from, to}, 20 + parameters.size()));
    return K::dot(in, parameters.back());
  };
  auto split = [&](const Tensor &in) {
    Tensor parts = K::permute_dimensions(K::reshape(in, {batch, time, heads, size}), {0, 2, 1, 3});
    return K::reshape(parts, {batch * heads, time, size});
  };
  Tensor q = split(dense(x, units, units)), k = split(dense(x, units, units));
  Tensor v = split(dense(x, units, units));
  Tensor attention = K::softmax(K::batch_dot(q, k, {2, 2}) * (1.0 / std::sqrt(double(size))));
  Tensor mixed = K::reshape(K::batch_dot(attention, v, {2, 1}), {batch, heads, time, size});
  mixed = K::permute_dimensions(mixed, {0, 2, 1, 3});
  Tensor h = normalize(x + dense(K::reshape(mixed, {batch, time, units}), units, units));
  Tensor y = normalize(h + dense(K::relu(dense(h, units, 4 * units)), 4 * units, units));
  Tensor loss = K::mean(K::square(y - x));
  std::vector<Update> updates = descend(loss, parameters, kRate);
  return {"transformer step b8 T64 256",
          {x},
          {loss},
          updates,
          {randomArray({batch, time, units}, -1, 1, 3)}};
}

static Subject lstm() {
  constexpr int64_t time = 64, batch = 32, inputs = 128, units = 256;
  std::vector<Tensor> weights = {weight({inputs, 4 * units}, 11), weight({units, 4 * units}, 12)};
  Tensor x = K::placeholder({batch, time, inputs});
  Tensor loss = lstmLoss(x, weights, K::zeros({batch, units}), units);
  return {"lstm step T64 b32 128-256",
          {x},
          {loss},
          descend(loss, weights, kRate),
          {randomArray({batch, time, inputs}, -1, 1, 3)}};
}

void keratin::bench::runCheckNumbers(Bench &bench) {
  for (Subject (*make)() : {chain, sums, perceptron, transformer, lstm})
    compare(bench, make());
}

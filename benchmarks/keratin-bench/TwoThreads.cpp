// two_threads: what a second thread is good for. Each function is compiled once and called with one
// thread and with two in turns, by the time that passes; the ceiling is half of what one takes.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DenseNet.h"
#include "benchmarks/keratin-bench/Training.h"

#include <keratin/runtime.h>

#include <cstdio>
#include <sched.h>
#include <stdexcept>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

struct Case {
  std::string name;
  std::vector<Tensor> inputs, outputs;
  std::vector<Array> arrays;
  std::vector<Update> updates = {};
  std::vector<Tensor> variables = {}; // that the updates change
};

Case chain() {
  const int64_t n = int64_t(1) << 20;
  Tensor x = K::placeholder({n}), y = K::placeholder({n});
  Tensor w = K::relu(K::tanh(x * y + x) * y - x, 0.1);
  return {"ew_chain n=2^20",
          {x, y},
          {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)},
          {randomArray({n}, -3, 3, 1), randomArray({n}, -3, 3, 2)}};
}

template <int64_t n> Case product() {
  Tensor x = K::placeholder({n, n}), y = K::placeholder({n, n});
  return {"gemm " + std::to_string(n),
          {x, y},
          {K::dot(x, y)},
          {randomArray({n, n}, -1, 1, 1), randomArray({n, n}, -1, 1, 2)}};
}

Case softmax() {
  Tensor x = K::placeholder({1024, 1024});
  return {"softmax 1024x1024 axis 1", {x}, {K::softmax(x)}, {randomArray({1024, 1024}, -3, 3, 1)}};
}

template <int64_t axis> Case sum() {
  Tensor x = K::placeholder({256, 256, 256});
  return {"sum of 256x256x256 over " + std::to_string(axis),
          {x},
          {K::sum(x, axis)},
          {randomArray({256, 256, 256}, 0.5, 1.5, 1)}};
}

Case forward() {
  DenseGraph graph{DenseNet()};
  Tensor x = K::placeholder({32, DenseNet::kSizes[0]});
  return {"mlp forward b32", {x}, {graph.logits(x)}, {randomArray({32, 784}, -1, 1, 3)}};
}

Case step() {
  constexpr int64_t batch = 128;
  DenseGraph graph{DenseNet()};
  Tensor x = K::placeholder({batch, DenseNet::kSizes[0]});
  Tensor labels = K::placeholder({batch}, K::None, K::DType::Int32);
  Tensor loss = K::mean(K::sparse_categorical_crossentropy(labels, graph.logits(x), true));
  return {"mlp step b128 sgd",
          {x, labels},
          {loss},
          {randomArray({batch, DenseNet::kSizes[0]}, -1, 1, 3),
           Array(std::vector<int32_t>(size_t(batch), 1))},
          descend(loss, graph.parameters(), 1e-3),
          graph.parameters()};
}

void useThreads(int threads) {
  if (keratin_num_threads() != threads)
    keratin_set_num_threads(threads);
}

// All that a call leaves.
std::vector<Doubles> resultsOf(const Case &subject, const K::Function &f, int threads) {
  std::vector<Array> before, outputs;
  for (const Tensor &variable : subject.variables)
    before.push_back(K::get_value(variable));
  useThreads(threads);
  f.call(subject.arrays.data(), subject.arrays.size(), outputs);
  std::vector<Doubles> results;
  for (const Array &output : outputs)
    results.push_back(toDoubles(output));
  for (size_t i = 0; i < before.size(); ++i) {
    results.push_back(toDoubles(K::get_value(subject.variables[i])));
    K::set_value(subject.variables[i], before[i]);
  }
  return results;
}

void run(Bench &bench, const Case &subject) {
  Row row;
  row.name = "two_threads";
  row.caseName = subject.name;
  K::Function f = K::function(subject.inputs, subject.outputs, subject.updates);
  row.describe(f);
  // One thread's results are those of other rows, which compare them with plain loops.
  if (resultsOf(subject, f, 1) != resultsOf(subject, f, 2))
    throw std::runtime_error(subject.name + ": two threads have other results than one");
  std::vector<Array> outputs;
  auto call = [&](int threads) {
    useThreads(threads);
    f.call(subject.arrays.data(), subject.arrays.size(), outputs);
  };
  bench.timeAgainst(row, [&] { call(2); }, [&] { call(1); }, 0.5);
}

} // namespace

void keratin::bench::runTwoThreads(Bench &bench) {
  cpu_set_t cores;
  if (!bench.checkOnly() && !sched_getaffinity(0, sizeof(cores), &cores) && CPU_COUNT(&cores) < 2) {
    std::fprintf(stderr, "keratin-bench: two_threads is left out: this process has one core\n");
    return;
  }
  const clockid_t clock = clockInUse();
  clockInUse() = CLOCK_MONOTONIC;
  for (Case (*make)() :
       {chain, product<512>, product<1024>, softmax, sum<0>, sum<2>, forward, step})
    run(bench, make());
  clockInUse() = clock;
  keratin_set_num_threads(bench.threads());
}

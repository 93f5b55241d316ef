// rnn: an LSTM with its gradient, a GRU. The scan of small: what a step costs when its work is
// nothing.
#include "benchmarks/keratin-bench/DoubleMath.h"
#include "benchmarks/keratin-bench/GradientCheck.h"
#include "benchmarks/keratin-bench/Training.h"

#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Glorot's limit for the input's weights; the recurrent ones and the bias are of that size too.
static std::vector<Array> weightsOf(int64_t inputs, int64_t units, int64_t gates) {
  double limit = std::sqrt(6.0 / double(inputs + units));
  return {randomArray({inputs, gates * units}, -limit, limit, 11),
          randomArray({units, gates * units}, -limit, limit, 12),
          randomArray({gates * units}, -0.1, 0.1, 13)};
}

static std::vector<Doubles> allDoubles(const std::vector<Array> &arrays) {
  std::vector<Doubles> result;
  for (const Array &array : arrays)
    result.push_back(toDoubles(array));
  return result;
}

// The columns of one gate.
static Tensor part(const Tensor &z, int64_t gate, int64_t units) {
  return z[{K::All, K::Slice(gate * units, (gate + 1) * units)}];
}

// x[batch, time, inputs] at one time.
static Doubles atTime(const Doubles &x, int64_t batch, int64_t time, int64_t inputs, int64_t t) {
  Doubles rows;
  for (int64_t n = 0; n < batch; ++n)
    rows.insert(rows.end(), &x[(n * time + t) * inputs], &x[(n * time + t) * inputs] + inputs);
  return rows;
}

//===-- LSTM -------------------------------------------------------------------------------------//

// Hochreiter and Schmidhuber, Neural Computation 9, 1997; gates in Keras's order i, f, c, o. The
// mean square of all outputs.
static double lstmLoss(const Doubles &x, const std::vector<Doubles> &weights, int64_t batch,
                       int64_t time, int64_t inputs, int64_t units) {
  Doubles h(size_t(batch * units)), cell = h;
  double loss = 0;
  for (int64_t t = 0; t < time; ++t) {
    Doubles z = multiply(atTime(x, batch, time, inputs, t), weights[0], batch, 4 * units, inputs);
    Doubles back = multiply(h, weights[1], batch, 4 * units, units);
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t u = 0; u < units; ++u) {
        auto gate = [&](int64_t i) {
          size_t at = size_t(n * 4 * units + i * units + u);
          return z[at] + back[at] + weights[2][size_t(i * units + u)];
        };
        double &c = cell[size_t(n * units + u)];
        c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * std::tanh(gate(2));
        double output = h[size_t(n * units + u)] = sigmoid(gate(3)) * std::tanh(c);
        loss += output * output;
      }
  }
  return loss / double(batch * time * units);
}

static void runLstm(Bench &bench) {
  constexpr int64_t time = 64, batch = 32, inputs = 128, units = 256, checkedBatch = 2;
  std::vector<Array> arrays = weightsOf(inputs, units, 4);
  std::vector<Tensor> weights;
  for (const Array &array : arrays)
    weights.push_back(K::variable(array));
  Tensor x = K::placeholder({K::None, time, inputs});
  Tensor loss = lstmLoss(x, weights, K::zeros({K::shape(x)[0], units}), units);
  std::vector<Tensor> results{loss};
  for (const auto &gradient : K::gradients(loss, weights))
    results.push_back(gradient.value());
  K::Function f = K::function({x}, results);

  Row row;
  row.name = "rnn";
  row.caseName = "lstm T64 b32 128-256, gradient";
  row.describe(f);
  // The input's product has no gradient by the input.
  row.work.flops = 2.0 * time * batch * 4 * units * (2 * inputs + 3 * units);

  Array input = randomArray({checkedBatch, time, inputs}, -1, 1, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  auto lossOf = [&](const std::vector<Doubles> &values) {
    return lstmLoss(toDoubles(input), values, checkedBatch, time, inputs, units);
  };
  std::vector<Doubles> values = allDoubles(arrays);
  double expected = lossOf(values);
  Bench::expectNear(row.caseName + ", loss", outputs[0], &expected, 0, 1e-5);
  expectGradients(row.caseName, values, allDoubles({outputs[1], outputs[2], outputs[3]}), lossOf);

  input = randomArray({batch, time, inputs}, -1, 1, 3);
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

//===-- GRU --------------------------------------------------------------------------------------//

// Cho and others, EMNLP 2014, with the reset gate after the product: gates z, r, h.
static void runGru(Bench &bench) {
  constexpr int64_t time = 128, inputs = 128, units = 512;
  std::vector<Array> arrays = weightsOf(inputs, units, 3);
  std::vector<Tensor> weights;
  for (const Array &array : arrays)
    weights.push_back(K::variable(array));
  Tensor x = K::placeholder({1, time, inputs});
  auto step = [&](const Tensor &now, const Tensor &h) {
    Tensor in = K::bias_add(K::dot(now, weights[0]), weights[2]), back = K::dot(h, weights[1]);
    auto gate = [&](int64_t i) { return part(in, i, units) + part(back, i, units); };
    Tensor update = K::sigmoid(gate(0)), reset = K::sigmoid(gate(1));
    Tensor candidate = K::tanh(part(in, 2, units) + reset * part(back, 2, units));
    Tensor next = update * h + (1.0 - update) * candidate;
    return std::make_pair(next, next);
  };
  Tensor last = std::get<0>(K::rnn(step, x, {K::zeros({1, units})}));
  K::Function f = K::function({x}, {last});

  Row row;
  row.name = "rnn";
  row.caseName = "gru T128 b1 128-512, forward";
  row.describe(f);
  row.work.flops = 2.0 * time * 3 * units * (inputs + units);

  const Array input = randomArray({1, time, inputs}, -1, 1, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  Doubles values = toDoubles(input), h(units);
  std::vector<Doubles> w = allDoubles(arrays);
  for (int64_t t = 0; t < time; ++t) {
    Doubles in = multiply(atTime(values, 1, time, inputs, t), w[0], 1, 3 * units, inputs);
    Doubles back = multiply(h, w[1], 1, 3 * units, units);
    for (int64_t u = 0; u < units; ++u) {
      auto input = [&](int64_t i) { return in[i * units + u] + w[2][i * units + u]; };
      double update = sigmoid(input(0) + back[u]), reset = sigmoid(input(1) + back[units + u]);
      double candidate = std::tanh(input(2) + reset * back[2 * units + u]);
      h[u] = update * h[u] + (1 - update) * candidate;
    }
  }
  Bench::expectNear(row.caseName, outputs[0], h.data(), 1e-4, 1e-4);
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

void keratin::bench::runRnn(Bench &bench) {
  runLstm(bench);
  runGru(bench);
}

//===-- The scan of small ------------------------------------------------------------------------//

// 200 steps of four ops on 8 numbers: h' = v * tanh(w * h + x). What is asked is what a step costs,
// so gradients do not vanish: of denormal numbers some processors take 100 cycles an operation.
void keratin::bench::runSmallScan(Bench &bench) {
  constexpr int64_t time = 200, width = 8;
  std::vector<Array> arrays{randomArray({width}, 0.95, 1, 11), randomArray({width}, 0.95, 1, 12)};
  const Array input = randomArray({1, time, width}, -0.1, 0.1, 3);
  Doubles xs = toDoubles(input);
  auto lastOf = [&](const std::vector<Doubles> &weights) {
    Doubles h(width);
    for (int64_t t = 0; t < time; ++t)
      for (int64_t i = 0; i < width; ++i)
        h[i] = weights[1][i] * std::tanh(weights[0][i] * h[i] + xs[t * width + i]);
    return h;
  };
  auto lossOf = [&](const std::vector<Doubles> &weights) {
    double sum = 0;
    for (double element : lastOf(weights))
      sum += element;
    return sum;
  };
  for (bool withGradient : {false, true}) {
    Tensor w = K::variable(arrays[0]), v = K::variable(arrays[1]);
    Tensor x = K::placeholder({1, time, width});
    auto step = [&](const Tensor &now, const Tensor &h) {
      Tensor next = v * K::tanh(w * h + now);
      return std::make_pair(next, next);
    };
    Tensor last = std::get<0>(K::rnn(step, x, {K::zeros({1, width})}));
    std::vector<Tensor> results{last};
    if (withGradient)
      for (const auto &gradient : K::gradients(K::sum(last), {w, v}))
        results.push_back(gradient.value());
    K::Function f = K::function({x}, results);

    Row row;
    row.name = "small";
    row.caseName = withGradient ? "scan of 200, gradient" : "scan of 200";
    row.describe(f);
    std::vector<Array> outputs;
    f.call(&input, 1, outputs);
    std::vector<Doubles> values = allDoubles(arrays);
    Doubles expected = lastOf(values);
    Bench::expectNear(row.caseName, outputs[0], expected.data(), 1e-5, 1e-5);
    if (withGradient)
      expectGradients(row.caseName, values, allDoubles({outputs[1], outputs[2]}), lossOf);
    bench.time(row, [&] { f.call(&input, 1, outputs); });
  }
}

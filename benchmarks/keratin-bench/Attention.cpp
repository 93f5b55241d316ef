// attention: softmax(q k^T / sqrt(size)) v of many heads, and its gradients. xformer: a block of a
// transformer, its training step and one forward pass.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DoubleMath.h"
#include "benchmarks/keratin-bench/GradientCheck.h"
#include "benchmarks/keratin-bench/Training.h"
#include "benchmarks/keratin-bench/TransformerBlock.h"

#include <cmath>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

//===-- One head in plain loops ------------------------------------------------------------------//

struct Head {
  int64_t time, size;

  double scale() const { return 1 / std::sqrt(double(size)); }

  Doubles weights(const Doubles &q, const Doubles &k) const {
    Doubles scores = multiply(q, transposed(k, time, size), time, time, size);
    for (int64_t i = 0; i < time; ++i) {
      double *row = &scores[size_t(i * time)], sum = 0;
      for (int64_t j = 0; j < time; ++j)
        sum += row[j] = std::exp(row[j] * scale());
      for (int64_t j = 0; j < time; ++j)
        row[j] /= sum;
    }
    return scores;
  }
  Doubles forward(const Doubles &q, const Doubles &k, const Doubles &v) const {
    return multiply(weights(q, k), v, time, size, time);
  }
  // By q, k and v.
  std::vector<Doubles> gradients(const Doubles &q, const Doubles &k, const Doubles &v,
                                 const Doubles &dy) const {
    const Doubles p = weights(q, k);
    Doubles ds = multiply(dy, transposed(v, time, size), time, time, size);
    for (int64_t i = 0; i < time; ++i) {
      const double *row = &p[size_t(i * time)];
      double *of = &ds[size_t(i * time)], sum = 0;
      for (int64_t j = 0; j < time; ++j)
        sum += row[j] * of[j];
      for (int64_t j = 0; j < time; ++j)
        of[j] = row[j] * (of[j] - sum) * scale();
    }
    return {multiply(ds, k, time, size, time),
            multiply(transposed(ds, time, time), q, time, size, time),
            multiply(transposed(p, time, time), dy, time, size, time)};
  }
};

//===-- Attention --------------------------------------------------------------------------------//

// Of all heads these are looked at.
constexpr int64_t kHeadStride = 21;

void runHeads(Bench &bench, bool hasGradient) {
  constexpr int64_t batch = 8, heads = 8, all = batch * heads;
  constexpr Head head{256, 64};
  Row row;
  row.name = "attention";
  row.caseName = hasGradient ? "8x8 heads 256x64, gradient" : "8x8 heads 256x64, forward";
  if (!bench.wants(row.caseName))
    return;
  const std::vector<int64_t> dims{all, head.time, head.size};
  std::vector<Tensor> inputs;
  std::vector<Array> arrays;
  for (int i = 0; i < (hasGradient ? 4 : 3); ++i) {
    inputs.push_back(K::placeholder(dims));
    arrays.push_back(randomArray(dims, -1, 1, uint64_t(31 + i)));
  }
  const Tensor &q = inputs[0], &k = inputs[1], &v = inputs[2];
  Tensor y = K::batch_dot(K::softmax(K::batch_dot(q, k, {2, 2}) * head.scale()), v, {2, 1});
  std::vector<Tensor> results{y};
  if (hasGradient)
    for (const auto &gradient : K::gradients(K::sum(y * inputs[3]), {q, k, v}))
      results.push_back(gradient.value());
  K::Function f = K::function(inputs, results);
  row.describe(f);
  // Two products, and four for the gradients.
  row.work.flops = (hasGradient ? 6 : 2) * 2.0 * all * head.time * head.time * head.size;
  row.work.movedBytes = (hasGradient ? 8 : 4) * double(arrays[0].bytes());

  std::vector<Array> outputs;
  f.call(arrays.data(), arrays.size(), outputs);
  auto headOf = [&](const Array &array, int64_t i) {
    const float *from = array.data<float>() + i * head.time * head.size;
    return Doubles(from, from + head.time * head.size);
  };
  for (int64_t i = 0; i < all; i += kHeadStride) {
    std::vector<Doubles> of;
    for (const Array &array : arrays)
      of.push_back(headOf(array, i));
    std::vector<Doubles> expected{head.forward(of[0], of[1], of[2])};
    if (hasGradient)
      for (Doubles &gradient : head.gradients(of[0], of[1], of[2], of[3]))
        expected.push_back(std::move(gradient));
    for (size_t j = 0; j < expected.size(); ++j)
      Bench::expectNear(row.caseName + ", result " + std::to_string(j), headOf(outputs[j], i),
                        expected[j], 1e-5, 1e-4);
  }
  bench.time(row, [&] { f.call(arrays.data(), arrays.size(), outputs); });
}

//===-- A block of a transformer -----------------------------------------------------------------//

using Block = TransformerBlock;
constexpr int64_t kWidth = Block::kWidth, kHeads = Block::kHeads, kWide = Block::kWide;
constexpr double kEpsilon = Block::kEpsilon, kRate = 1;

// The same in plain loops; parameters as Block has them.
class DoubleBlock {
public:
  DoubleBlock(const std::vector<Doubles> &parameters, int64_t batch, int64_t time)
      : parameters(parameters), batch(batch), time(time) {}

  Doubles operator()(Doubles x) {
    Doubles normal = normalize(x);
    Doubles q = dense(normal, kWidth), k = dense(normal, kWidth), v = dense(normal, kWidth);
    x = sum(std::move(x), dense(heads(q, k, v), kWidth));
    Doubles wide = dense(normalize(x), kWide);
    for (double &element : wide)
      element *= 0.5 * (1 + std::erf(element / std::sqrt(2.0)));
    return sum(std::move(x), dense(wide, kWidth));
  }

private:
  const Doubles &next() { return parameters[used++]; }

  static Doubles sum(Doubles a, const Doubles &b) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] += b[i];
    return a;
  }
  Doubles dense(const Doubles &x, int64_t units) {
    const int64_t rows = batch * time;
    Doubles y = multiply(x, next(), rows, units, int64_t(x.size()) / rows);
    const Doubles &bias = next();
    for (size_t i = 0; i < y.size(); ++i)
      y[i] += bias[i % bias.size()];
    return y;
  }
  Doubles normalize(Doubles x) {
    const Doubles &gamma = next(), &beta = next();
    for (size_t row = 0; row < x.size(); row += kWidth) {
      double mean = 0, variance = 0;
      for (int64_t i = 0; i < kWidth; ++i)
        mean += x[row + i] / kWidth;
      for (int64_t i = 0; i < kWidth; ++i)
        variance += (x[row + i] - mean) * (x[row + i] - mean) / kWidth;
      for (int64_t i = 0; i < kWidth; ++i)
        x[row + i] = (x[row + i] - mean) / std::sqrt(variance + kEpsilon) * gamma[i] + beta[i];
    }
    return x;
  }
  // Each head has columns of its own.
  Doubles heads(const Doubles &q, const Doubles &k, const Doubles &v) const {
    const Head head{time, kWidth / kHeads};
    Doubles y(q.size());
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t h = 0; h < kHeads; ++h) {
        auto at = [&](int64_t t, int64_t i) {
          return size_t((n * time + t) * kWidth + h * head.size + i);
        };
        auto part = [&](const Doubles &x) {
          Doubles result;
          for (int64_t t = 0; t < time; ++t)
            result.insert(result.end(), &x[at(t, 0)], &x[at(t, 0)] + head.size);
          return result;
        };
        const Doubles result = head.forward(part(q), part(k), part(v));
        for (int64_t t = 0; t < time; ++t)
          for (int64_t i = 0; i < head.size; ++i)
            y[at(t, i)] = result[size_t(t * head.size + i)];
      }
    return y;
  }

  const std::vector<Doubles> &parameters;
  int64_t batch, time;
  size_t used = 0;
};

std::vector<Doubles> valuesOf(const std::vector<Tensor> &variables) {
  std::vector<Doubles> values;
  for (const Tensor &variable : variables)
    values.push_back(toDoubles(K::get_value(variable)));
  return values;
}

void runForward(Bench &bench) {
  constexpr int64_t time = 16;
  Row row;
  row.name = "xformer";
  row.caseName = "forward b1 T16 D512 H8";
  if (!bench.wants(row.caseName))
    return;
  const Block block;
  Tensor x = K::placeholder({1, time, kWidth});
  K::Function f = K::function({x}, {block(x)});
  row.describe(f);
  row.work.flops = Block::flops(time);
  const std::vector<Doubles> parameters = valuesOf(block.trainable());
  for (const Doubles &values : parameters)
    row.work.readBytes += double(values.size()) * sizeof(float);

  const Array input = randomArray({1, time, kWidth}, -1, 1, 3);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  const Doubles expected = DoubleBlock(parameters, 1, time)(toDoubles(input));
  Bench::expectNear(row.caseName, outputs[0], expected.data(), 1e-4, 1e-5);
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

// The step takes any batch, and is checked with one of one.
void runStep(Bench &bench) {
  constexpr int64_t batch = 8, time = 128;
  Row row;
  row.name = "xformer";
  row.caseName = "step b8 T128 D512 H8 sgd";
  if (!bench.wants(row.caseName))
    return;
  const Block block;
  const std::vector<Tensor> parameters = block.trainable();
  Tensor x = K::placeholder({K::None, time, kWidth});
  Tensor loss = K::mean(K::square(block(x)));
  K::Function f = K::function({x}, {loss}, descend(loss, parameters, kRate));
  row.describe(f);
  // Gradients by parameters and by what each product reads: all of it depends on parameters.
  row.work.flops = 3 * batch * Block::flops(time);

  Array input = randomArray({1, time, kWidth}, -1, 1, 3);
  const std::vector<Doubles> before = valuesOf(parameters);
  std::vector<Array> outputs;
  f.call(&input, 1, outputs);
  const std::vector<Doubles> after = valuesOf(parameters);
  std::vector<Doubles> found = before;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < found[i].size(); ++j)
      found[i][j] = (before[i][j] - after[i][j]) / kRate;
  const Doubles values = toDoubles(input);
  auto lossOf = [&](const std::vector<Doubles> &of) {
    double sum = 0;
    const Doubles y = DoubleBlock(of, 1, time)(values);
    for (double element : y)
      sum += element * element;
    return sum / double(y.size());
  };
  const double expected = lossOf(before);
  Bench::expectNear(row.caseName + ", loss", outputs[0], &expected, 0, 1e-5);
  expectGradients(row.caseName, before, found, lossOf, {.directions = 1});

  input = randomArray({batch, time, kWidth}, -1, 1, 3);
  bench.time(row, [&] { f.call(&input, 1, outputs); });
}

} // namespace

void keratin::bench::runAttention(Bench &bench) {
  for (bool hasGradient : {false, true})
    runHeads(bench, hasGradient);
}

void keratin::bench::runTransformer(Bench &bench) {
  runForward(bench);
  runStep(bench);
}

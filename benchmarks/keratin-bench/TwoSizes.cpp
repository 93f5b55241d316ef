// two_sizes: inputs with unknown sizes of their own, which meet, large ones, rows of a few vectors
// and a few rows. Their ceiling is the same function for these sizes alone.
#include "benchmarks/keratin-bench/Bench.h"

#include <cmath>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

using MakeFunction = std::function<K::Function(const K::Tensor &x, const K::Tensor &y)>;
using Sizes = std::vector<int64_t>;

std::string textOf(const Sizes &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

void run(Bench &bench, const std::string &caseName, const Sizes &ofX, const Sizes &ofY,
         const MakeFunction &make, const std::vector<Doubles> &expected) {
  auto placeholder = [](const Sizes &sizes, bool isKnown) {
    keratin::StaticShape shape(sizes.size());
    if (isKnown)
      shape.assign(sizes.begin(), sizes.end());
    return K::placeholder(shape);
  };
  K::Function unknown = make(placeholder(ofX, false), placeholder(ofY, false));
  K::Function known = make(placeholder(ofX, true), placeholder(ofY, true));
  const K::Array inputs[] = {randomArray(ofX, -3, 3, 1), randomArray(ofY, -3, 3, 2)};
  std::vector<K::Array> outputs;
  for (const K::Function *f : {&known, &unknown}) {
    f->call(inputs, 2, outputs);
    for (size_t i = 0; i < expected.size(); ++i)
      Bench::expectNear(caseName, outputs[i], expected[i].data(), 2e-4, 2e-5);
  }
  Row row;
  row.name = "two_sizes";
  row.caseName = caseName;
  row.describe(unknown);
  std::vector<K::Array> theirs;
  bench.timeAgainst(
      row, [&] { unknown.call(inputs, 2, outputs); }, [&] { known.call(inputs, 2, theirs); });
}

double chainOf(double x, double y) {
  double u = std::tanh(x * y + x) * y - x;
  double w = u > 0 ? u : 0.1 * u;
  return std::sqrt(w * w + 1) / (1 + std::exp(-w));
}

void runChain(Bench &bench) {
  constexpr int64_t n = int64_t(1) << 20;
  Doubles x = toDoubles(randomArray({n}, -3, 3, 1)), y = toDoubles(randomArray({n}, -3, 3, 2));
  for (int64_t i = 0; i < n; ++i)
    x[size_t(i)] = chainOf(x[size_t(i)], y[size_t(i)]);
  auto make = [](const K::Tensor &x, const K::Tensor &y) {
    K::Tensor w = K::relu(K::tanh(x * y + x) * y - x, 0.1);
    return K::function({x, y}, {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)});
  };
  run(bench, "chain, n=2^20", {n}, {n}, make, {x});
}

// Each row of x, normalised, against the same of y: the loss and its gradient.
void runLayerNorm(Bench &bench, int64_t rows, int64_t columns) {
  constexpr double epsilon = 1e-3;
  const Doubles x = toDoubles(randomArray({rows, columns}, -3, 3, 1)),
                y = toDoubles(randomArray({rows, columns}, -3, 3, 2));
  Doubles loss(static_cast<size_t>(rows)), gradient(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    const double *a = &x[size_t(r * columns)], *b = &y[size_t(r * columns)];
    double mean = 0, variance = 0, sumOfWeights = 0, product = 0;
    for (int64_t c = 0; c < columns; ++c)
      mean += a[c] / columns;
    for (int64_t c = 0; c < columns; ++c)
      variance += (a[c] - mean) * (a[c] - mean) / columns;
    double scale = 1 / std::sqrt(variance + epsilon);
    for (int64_t c = 0; c < columns; ++c) {
      sumOfWeights += b[c];
      product += b[c] * (a[c] - mean) * scale;
    }
    loss[size_t(r)] = product;
    for (int64_t c = 0; c < columns; ++c)
      gradient[size_t(r * columns + c)] =
          scale * (b[c] - sumOfWeights / columns - (a[c] - mean) * scale * product / columns);
  }
  auto make = [](const K::Tensor &x, const K::Tensor &y) {
    K::Tensor centred = x - K::mean(x, -1, true);
    K::Tensor normal = centred / K::sqrt(K::mean(K::square(centred), -1, true) + epsilon);
    K::Tensor loss = K::sum(normal * y, -1);
    return K::function({x, y}, {loss, K::gradients(K::sum(loss), {x})[0].value()});
  };
  const Sizes sizes{rows, columns};
  run(bench, "layer norm of " + textOf(sizes) + ", gradient", sizes, sizes, make, {loss, gradient});
}

// Each row of x plus y.
void runSum(Bench &bench, int64_t rows, int64_t columns) {
  const Doubles x = toDoubles(randomArray({rows, columns}, -3, 3, 1)),
                y = toDoubles(randomArray({columns}, -3, 3, 2));
  Doubles sums(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows * columns; ++i)
    sums[size_t(i / columns)] += x[size_t(i)] + y[size_t(i % columns)];
  auto make = [](const K::Tensor &x, const K::Tensor &y) {
    return K::function({x, y}, {K::sum(x + y, -1)});
  };
  const Sizes sizes{rows, columns};
  run(bench, "sums of rows of " + textOf(sizes), sizes, {columns}, make, {sums});
}

// relu(x . y + 1), of three sizes.
void runProduct(Bench &bench, int64_t m, int64_t n, int64_t k) {
  const Doubles x = toDoubles(randomArray({m, k}, -3, 3, 1)),
                y = toDoubles(randomArray({k, n}, -3, 3, 2));
  Doubles expected(static_cast<size_t>(m * n));
  for (int64_t row = 0; row < m; ++row) {
    double *to = &expected[size_t(row * n)];
    for (int64_t i = 0; i < k; ++i)
      for (int64_t column = 0; column < n; ++column)
        to[column] += x[size_t(row * k + i)] * y[size_t(i * n + column)];
    for (int64_t column = 0; column < n; ++column)
      to[column] = std::fmax(to[column] + 1, 0);
  }
  auto make = [](const K::Tensor &x, const K::Tensor &y) {
    return K::function({x, y}, {K::relu(K::dot(x, y) + 1.0)});
  };
  run(bench, "product of " + textOf({m, n, k}), {m, k}, {k, n}, make, {expected});
}

// The mean cross-entropy of softmax(x) with labels y, and its gradient.
void runSoftmax(Bench &bench) {
  constexpr int64_t rows = 512, columns = 256;
  const Doubles x = toDoubles(randomArray({rows, columns}, -3, 3, 1)),
                y = toDoubles(randomArray({rows, columns}, -3, 3, 2));
  double loss = 0;
  Doubles gradient(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    const double *a = &x[size_t(r * columns)], *b = &y[size_t(r * columns)];
    double sum = 0, weights = 0;
    for (int64_t c = 0; c < columns; ++c) {
      sum += std::exp(a[c]);
      weights += b[c];
    }
    for (int64_t c = 0; c < columns; ++c) {
      loss -= b[c] * (a[c] - std::log(sum)) / rows;
      gradient[size_t(r * columns + c)] = (weights * std::exp(a[c]) / sum - b[c]) / rows;
    }
  }
  auto make = [](const K::Tensor &x, const K::Tensor &y) {
    K::Tensor loss = K::mean(K::sum(-y * K::log(K::softmax(x)), -1));
    return K::function({x, y}, {loss, K::gradients(loss, {x})[0].value()});
  };
  const Sizes sizes{rows, columns};
  run(bench, "softmax cross-entropy, gradient", sizes, sizes, make, {{loss}, gradient});
}

} // namespace

void keratin::bench::runTwoSizes(Bench &bench) {
  runChain(bench);
  runLayerNorm(bench, 1024, 512);
  for (int64_t columns : {32, 100, 384, 768})
    runLayerNorm(bench, 256, columns);
  runSoftmax(bench);
  for (int64_t columns : {32, 80, 100, 112, 128, 250, 1000})
    runSum(bench, 256, columns);
  runProduct(bench, 512, 512, 512);
  runProduct(bench, 32, 512, 784);
  for (int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 20})
    runProduct(bench, rows, 1024, 1024);
  for (int64_t rows : {1, 2, 4, 32})
    runProduct(bench, rows, 10, 512);
  for (int64_t rows : {1, 2, 4})
    runProduct(bench, rows, 100, 100);
}

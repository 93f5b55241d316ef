// small: what a call costs when the work is nothing, or a few thousand numbers.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/InvokedFunction.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr float kLeft[] = {1, 2, 3, 4}, kRight[] = {0.5f, -2, 8, 0};
static constexpr double kSum[] = {1.5, 0, 11, 4};

static void runFrontend(Bench &bench) {
  K::Tensor x = K::placeholder({4}), y = K::placeholder({4});
  K::Function f = K::function({x, y}, {x + y});

  Row row;
  row.name = "small";
  row.caseName = "add of 4, Function::call";
  row.peerCase = "add of 4";
  row.describe(f);

  const K::Array inputs[] = {K::Array::copyOf(K::DType::Float32, {4}, kLeft),
                             K::Array::copyOf(K::DType::Float32, {4}, kRight)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  Bench::expectNear(row.caseName, outputs[0], kSum, 0, 0);
  bench.time(row, [&] { f.call(inputs, 2, outputs); });
}

static void runRuntime(Bench &bench) {
  InvokedFunction f(R"(
    func.func @add(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
                   %y: tensor<4xf32> {keratin.kind = "input", keratin.name = "y"})
        -> (tensor<4xf32> {keratin.kind = "output"}) {
      %sum = keratin.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %sum : tensor<4xf32>
    })");

  Row row;
  row.name = "small";
  row.caseName = "add of 4, keratin_invoke";
  row.peerCase = "add of 4";
  row.compileMs = f.compileMilliseconds();

  const int64_t dims[] = {4};
  alignas(64) float left[4], right[4];
  std::copy_n(kLeft, 4, left);
  std::copy_n(kRight, 4, right);
  K::Array sum = K::Array::zeros(K::DType::Float32, {4});
  const keratin_tensor_t inputs[] = {{left, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr},
                                     {right, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr}};
  const keratin_tensor_t output = {sum.rawData(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
  auto invoke = [&] {
    keratin_status_t status;
    if (keratin_invoke(f.executable(), nullptr, 0, inputs, 2, &output, 1, &status) != KERATIN_OK)
      throw std::runtime_error(status.message);
  };
  invoke();
  Bench::expectNear(row.caseName, sum, kSum, 0, 0);
  bench.time(row, invoke);
}

// The log density of labels by a logistic regression, and its gradient by the weights; the number
// of rows is known, or only to the call.
static void runLogistic(Bench &bench, bool isRowCountKnown) {
  constexpr int64_t rows = 1000, features = 10;
  std::optional<int64_t> known;
  if (isRowCountKnown)
    known = rows;
  K::Tensor x = K::placeholder({known, features}), labels = K::placeholder({known}),
            w = K::placeholder({features});
  K::Tensor z = K::reshape(K::dot(x, K::reshape(w, {features, 1})), {-1});
  K::Tensor density = K::sum(labels * z - K::softplus(z));
  K::Function f = K::function({x, labels, w}, {density, K::gradients(density, {w})[0].value()});

  Row row;
  row.name = "small";
  row.peerCase = "logistic 1000x10, gradient";
  row.caseName = row.peerCase + (isRowCountKnown ? "" : ", any rows");
  row.describe(f);

  K::Array truth = randomArray({rows}, -1, 1, 4);
  for (int64_t r = 0; r < rows; ++r)
    truth.data<float>()[r] = truth.data<float>()[r] > 0 ? 1 : 0;
  const K::Array inputs[] = {randomArray({rows, features}, -2, 2, 3), truth,
                             randomArray({features}, -1, 1, 5)};
  double expected = 0;
  Doubles gradient(features), xs = toDoubles(inputs[0]), ys = toDoubles(truth),
                              ws = toDoubles(inputs[2]);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < features; ++i)
      sum += xs[size_t(r * features + i)] * ws[size_t(i)];
    expected += ys[size_t(r)] * sum - std::log1p(std::exp(sum));
    for (int64_t i = 0; i < features; ++i)
      gradient[size_t(i)] +=
          xs[size_t(r * features + i)] * (ys[size_t(r)] - 1 / (1 + std::exp(-sum)));
  }
  std::vector<K::Array> outputs;
  f.call(inputs, 3, outputs);
  Bench::expectNear(row.caseName, outputs[0], &expected, 0, 1e-5);
  Bench::expectNear(row.caseName, outputs[1], gradient.data(), 1e-3, 1e-5);
  bench.time(row, [&] { f.call(inputs, 3, outputs); });
}

void keratin::bench::runSmall(Bench &bench) {
  runFrontend(bench);
  runRuntime(bench);
  for (bool isRowCountKnown : {true, false})
    runLogistic(bench, isRowCountKnown);
}

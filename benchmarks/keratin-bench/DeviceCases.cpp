#include "benchmarks/keratin-bench/DeviceCases.h"

#include "benchmarks/keratin-bench/DenseNet.h"
#include "benchmarks/keratin-bench/Training.h"
#include "benchmarks/keratin-bench/TransformerBlock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

const char *keratin::bench::nameOf(Numbers numbers) {
  return std::array{"f32", "tf32", "f16", "bf16", "f64"}[size_t(numbers)];
}

static DType dtypeOf(Numbers numbers) {
  return std::array{DType::Float32, DType::Float32, DType::Float16, DType::BFloat16,
                    DType::Float64}[size_t(numbers)];
}

namespace {

constexpr double kRate = 0.01;

class CaseList {
public:
  explicit CaseList(int64_t scale) : scale(scale) {}

  void addElementwise();
  void addReductions();
  void addMoves();
  void addProducts();
  void addAttention();
  void addImages();
  void addSteps();

  std::vector<DeviceCase> all;

private:
  // Of a size that work is proportional to, and of one of a square's two sides.
  int64_t rows(int64_t size) const { return std::max<int64_t>(size / scale, 1); }
  int64_t side(int64_t size) const {
    auto divided = int64_t(double(size) / std::sqrt(double(scale)));
    return std::max<int64_t>(divided / 16 * 16, 16);
  }
  void product(int64_t m, int64_t k, int64_t n, Numbers numbers);
  void attention(int64_t time, Numbers numbers, bool hasGradient);
  void convolution(Numbers numbers, bool isStep);

  int64_t scale;
};

std::string text(int64_t number) { return std::to_string(number); }

// The result and, with a cotangent, what it has as gradients.
std::vector<Tensor> withGradients(const Tensor &y, const Tensor &dy,
                                  const std::vector<Tensor> &of) {
  std::vector<Tensor> results{y};
  for (const auto &gradient : K::gradients(K::sum(y * dy), of))
    results.push_back(gradient.value());
  return results;
}

//===-- Element by element, reductions, moves ----------------------------------------------------//

void CaseList::addElementwise() {
  all.push_back({.name = "small",
                 .caseName = "add of 4",
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n}), y = K::placeholder({n});
                       return K::function({x, y}, {x + y});
                     },
                 .rows = 4});
  all.push_back({.name = "negate",
                 .caseName = "n=" + text(rows(1 << 27)),
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n});
                       return K::function({x}, {-x});
                     },
                 .rows = rows(1 << 27)});
  for (int64_t elements : {rows(1 << 20), rows(1 << 26)})
    all.push_back({.name = "ew_chain",
                   .caseName = "n=" + text(elements),
                   .make =
                       [](int64_t n) {
                         Tensor x = K::placeholder({n}), y = K::placeholder({n});
                         Tensor w = K::relu(K::tanh(x * y + x) * y - x, 0.1);
                         return K::function({x, y}, {K::sqrt(K::square(w) + 1.0) * K::sigmoid(w)});
                       },
                   .rows = elements});
  all.push_back({.name = "broadcast",
                 .caseName = text(rows(8192)) + "x8192 + 8192, relu",
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n, 8192}), bias = weight({8192}, 5);
                       return K::function({x}, {K::relu(x + bias)});
                     },
                 .rows = rows(8192)});
  all.push_back({.name = "dropout",
                 .caseName = "n=" + text(rows(1 << 26)),
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n});
                       return K::function({x}, {K::dropout(x, 0.2, K::None, 7)});
                     },
                 .rows = rows(1 << 26)});
}

void CaseList::addReductions() {
  for (int64_t count : {8192, 1024})
    for (Numbers numbers : {Numbers::Float32, Numbers::Float16, Numbers::BFloat16})
      all.push_back({.name = "softmax",
                     .caseName = text(rows(count)) + "x1024 " + nameOf(numbers),
                     .numbers = numbers,
                     .make =
                         [numbers](int64_t n) {
                           Tensor x = K::placeholder({n, 1024}, K::None, dtypeOf(numbers));
                           return K::function({x}, {K::softmax(x)});
                         },
                     .rows = rows(count)});
  for (bool hasGradient : {false, true})
    all.push_back({.name = "layernorm",
                   .caseName = text(rows(4096)) + "x1024" + (hasGradient ? ", gradient" : ""),
                   .make =
                       [hasGradient](int64_t n) {
                         Tensor x = K::placeholder({n, 1024});
                         Tensor gamma = K::variable(randomArray({1024}, 0.5, 1.5, 11));
                         Tensor beta = K::variable(randomArray({1024}, -0.1, 0.1, 12));
                         Tensor centered = x - K::mean(x, -1, true);
                         Tensor y =
                             centered / K::sqrt(K::mean(K::square(centered), -1, true) + 1e-3);
                         y = y * gamma + beta;
                         if (!hasGradient)
                           return K::function({x}, {y});
                         Tensor dy = K::placeholder({n, 1024});
                         return K::function({x, dy}, withGradients(y, dy, {x, gamma, beta}));
                       },
                   .rows = rows(4096)});
  const std::string cube = text(rows(256)) + "x256x256";
  for (int axis : {0, 1, 2, 3})
    all.push_back({.name = "reduce",
                   .caseName = (axis < 3 ? "sum " + text(axis) : "sum all") + " of " + cube,
                   .make =
                       [axis](int64_t n) {
                         Tensor x = K::placeholder({n, 256, 256});
                         return K::function({x}, {axis < 3 ? K::sum(x, axis) : K::sum(x)});
                       },
                   .rows = rows(256),
                   .low = 0.5});
  all.push_back({.name = "reduce",
                 .caseName = "sum of " + text(rows(1 << 26)),
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n});
                       return K::function({x}, {K::sum(x)});
                     },
                 .rows = rows(1 << 26),
                 .low = 0.5});
  all.push_back({.name = "cumsum",
                 .caseName = text(rows(8192)) + "x1024 axis 1",
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n, 1024});
                       return K::function({x}, {K::cumsum(x, 1)});
                     },
                 .rows = rows(8192),
                 .low = 0.5});
}

void CaseList::addMoves() {
  const int64_t n = side(8192), count = rows(1 << 20);
  all.push_back({.name = "transpose",
                 .caseName = text(n) + "x" + text(n),
                 .make =
                     [n](int64_t) {
                       Tensor x = K::placeholder({n, n});
                       return K::function({x}, {K::transpose(x)});
                     },
                 .rows = n});
  all.push_back({.name = "gather",
                 .caseName = text(count) + " rows of 64",
                 .make =
                     [](int64_t n) {
                       Tensor table = weight({65536, 64}, 5);
                       Tensor rows = K::placeholder({n}, K::None, DType::Int32);
                       return K::function({rows}, {K::gather(table, rows)});
                     },
                 .rows = count,
                 .integers = 65536});
}

//===-- Products ---------------------------------------------------------------------------------//

void CaseList::product(int64_t m, int64_t k, int64_t n, Numbers numbers) {
  all.push_back({.name = "gemm",
                 .caseName = text(m) + "x" + text(k) + "x" + text(n) + " " + nameOf(numbers),
                 .numbers = numbers,
                 .flops = 2.0 * double(m) * double(k) * double(n),
                 .make =
                     [=](int64_t rows) {
                       Tensor a = K::placeholder({rows, k}, K::None, dtypeOf(numbers));
                       Tensor b = K::placeholder({k, n}, K::None, dtypeOf(numbers));
                       return K::function({a, b}, {K::dot(a, b)});
                     },
                 .rows = m,
                 .checkedRows = std::min<int64_t>(m, 256)});
}

void CaseList::addProducts() {
  auto square = [&](int64_t n, Numbers numbers) { product(side(n), side(n), side(n), numbers); };
  for (Numbers numbers : {Numbers::Float32, Numbers::Tf32})
    for (int64_t n : {1024, 4096})
      square(n, numbers);
  for (Numbers numbers : {Numbers::Float16, Numbers::BFloat16})
    for (int64_t n : {1024, 4096, 8192})
      square(n, numbers);
  square(2048, Numbers::Float64);
  product(32, 512, 10, Numbers::Float32);
  product(128, 784, 512, Numbers::Float32);
}

void CaseList::attention(int64_t time, Numbers numbers, bool hasGradient) {
  constexpr int64_t size = 64;
  const int64_t heads = rows(64);
  all.push_back({.name = "attention",
                 .caseName = text(heads) + " heads " + text(time) + "x64 " + nameOf(numbers) +
                             (hasGradient ? ", gradient" : ""),
                 .numbers = numbers,
                 .flops = (hasGradient ? 6 : 2) * 2.0 * double(heads * time * time * size),
                 .make =
                     [=](int64_t n) {
                       std::vector<Tensor> in;
                       for (int i = 0; i < (hasGradient ? 4 : 3); ++i)
                         in.push_back(K::placeholder({n, time, size}, K::None, dtypeOf(numbers)));
                       Tensor scores = K::batch_dot(in[0], in[1], {2, 2}) * (1 / std::sqrt(64.0));
                       Tensor y = K::batch_dot(K::softmax(scores), in[2], {2, 1});
                       if (!hasGradient)
                         return K::function(in, {y});
                       return K::function(in, withGradients(y, in[3], {in[0], in[1], in[2]}));
                     },
                 .rows = heads,
                 .checkedRows = std::min<int64_t>(heads, 8)});
}

void CaseList::addAttention() {
  for (int64_t time : {int64_t(256), side(1024)})
    for (Numbers numbers : {Numbers::Float32, Numbers::Float16, Numbers::BFloat16})
      attention(time, numbers, false);
  for (Numbers numbers : {Numbers::Float32, Numbers::Float16})
    attention(256, numbers, true);
  for (Numbers numbers : {Numbers::Float16, Numbers::BFloat16})
    attention(side(1024), numbers, true);
}

//===-- Images -----------------------------------------------------------------------------------//

void CaseList::convolution(Numbers numbers, bool isStep) {
  const int64_t batch = rows(32);
  all.push_back({.name = "conv",
                 .caseName = std::string(isStep ? "step " : "forward ") + text(batch) +
                             "x56x56x64 to 64 " + nameOf(numbers),
                 .numbers = numbers,
                 // The input has no gradient.
                 .flops = (isStep ? 2 : 1) * 2.0 * double(batch) * 56 * 56 * 64 * 64 * 9,
                 .make =
                     [=](int64_t n) {
                       const DType dtype = dtypeOf(numbers);
                       Tensor x = K::placeholder({n, 56, 56, 64}, K::None, dtype);
                       Tensor filters =
                           K::variable(randomArray({3, 3, 64, 64}, -0.05, 0.05, 21), dtype);
                       Tensor bias = K::variable(randomArray({64}, -0.1, 0.1, 22), dtype);
                       Tensor y = K::relu(K::bias_add(K::conv2d(x, filters, {1, 1}, "same"), bias));
                       if (!isStep)
                         return K::function({x}, {y});
                       // Not the loss alone: of float16 its sum would be infinite.
                       Tensor loss = K::mean(K::square(y));
                       return K::function({x}, {loss}, descend(loss, {filters, bias}, kRate));
                     },
                 .rows = batch,
                 .checkedRows = isStep ? batch : std::min<int64_t>(batch, 4)});
}

void CaseList::addImages() {
  for (Numbers numbers : {Numbers::Float32, Numbers::Tf32, Numbers::Float16})
    convolution(numbers, false);
  for (Numbers numbers : {Numbers::Float32, Numbers::Tf32})
    convolution(numbers, true);
  const int64_t batch = rows(32);
  all.push_back({.name = "sepconv",
                 .caseName = text(batch) + "x56x56x128 to 128",
                 .flops = 2.0 * double(batch) * 56 * 56 * 128 * (9 + 128),
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n, 56, 56, 128});
                       Tensor depth = K::variable(randomArray({3, 3, 128, 1}, -0.5, 0.5, 23));
                       Tensor point = K::variable(randomArray({1, 1, 128, 128}, -0.2, 0.2, 24));
                       Tensor y = K::depthwise_conv2d(x, depth, {1, 1}, "same");
                       y = K::conv2d(K::relu(y, 0, 6), point, {1, 1}, "same");
                       return K::function({x}, {K::relu(y, 0, 6)});
                     },
                 .rows = batch,
                 .checkedRows = std::min<int64_t>(batch, 4)});
  all.push_back({.name = "batchnorm",
                 .caseName = text(batch) + "x56x56x64, gradient",
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n, 56, 56, 64}),
                              dy = K::placeholder({n, 56, 56, 64});
                       Tensor gamma = K::variable(randomArray({64}, 0.5, 1.5, 11));
                       Tensor beta = K::variable(randomArray({64}, -0.1, 0.1, 12));
                       Tensor y = std::get<0>(
                           K::normalize_batch_in_training(x, gamma, beta, {0, 1, 2}, 1e-3));
                       return K::function({x, dy}, withGradients(y, dy, {x, gamma, beta}));
                     },
                 .rows = batch});
  all.push_back({.name = "maxpool",
                 .caseName = text(batch) + "x112x112x64",
                 .make =
                     [](int64_t n) {
                       Tensor x = K::placeholder({n, 112, 112, 64});
                       return K::function({x}, {K::pool2d(x, {2, 2}, {2, 2})});
                     },
                 .rows = batch});
}

//===-- Training steps ---------------------------------------------------------------------------//

void CaseList::addSteps() {
  const int64_t batch = rows(128);
  for (Numbers numbers : {Numbers::Float32, Numbers::Tf32})
    all.push_back(
        {.name = "mlp",
         .caseName = "step b" + text(batch) + " sgd " + nameOf(numbers),
         .numbers = numbers,
         .flops = DenseNet::stepFlops(batch),
         .make =
             [](int64_t n) {
               const DenseNet net;
               DenseGraph graph(net);
               Tensor x = K::placeholder({n, DenseNet::kSizes[0]});
               Tensor labels = K::placeholder({n}, K::None, DType::Int32);
               Tensor loss =
                   K::mean(K::sparse_categorical_crossentropy(labels, graph.logits(x), true));
               return K::function({x, labels}, {loss}, descend(loss, graph.parameters(), kRate));
             },
         .rows = batch,
         .integers = DenseNet::kClasses});
  constexpr int64_t time = 32;
  const int64_t inputs = side(256), units = side(512), sequences = rows(64);
  all.push_back(
      {.name = "lstm",
       .caseName = "step T32 b" + text(sequences) + " " + text(inputs) + "-" + text(units),
       .flops = 3 * 2.0 * double(time * sequences * (inputs + units) * 4 * units),
       .make =
           [=](int64_t n) {
             std::vector<Tensor> weights = {weight({inputs, 4 * units}, 11),
                                            weight({units, 4 * units}, 12)};
             Tensor x = K::placeholder({n, time, inputs});
             Tensor loss = lstmLoss(x, weights, K::zeros({n, units}), units);
             return K::function({x}, {loss}, descend(loss, weights, kRate));
           },
       .rows = sequences});
  const int64_t words = side(128), texts = rows(8);
  for (Numbers numbers : {Numbers::Float32, Numbers::Tf32})
    all.push_back({.name = "xformer",
                   .caseName = "step b" + text(texts) + " T" + text(words) + " D512 H8 sgd " +
                               nameOf(numbers),
                   .numbers = numbers,
                   .flops = 3 * double(texts) * TransformerBlock::flops(words),
                   .make =
                       [words](int64_t n) {
                         const TransformerBlock block;
                         Tensor x = K::placeholder({n, words, TransformerBlock::kWidth});
                         Tensor loss = K::mean(K::square(block(x)));
                         return K::function({x}, {loss}, descend(loss, block.trainable(), kRate));
                       },
                   .rows = texts});
}

} // namespace

std::vector<DeviceCase> keratin::bench::deviceCases(int64_t scale) {
  CaseList list(scale);
  list.addElementwise();
  list.addReductions();
  list.addMoves();
  list.addProducts();
  list.addAttention();
  list.addImages();
  list.addSteps();
  for (DeviceCase &one : list.all)
    if (one.checkedRows == 0)
      one.checkedRows = one.rows;
  return std::move(list.all);
}

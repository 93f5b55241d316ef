// dag: random graphs of many small ops, of which few kernels are alike. benchmarks/libraries builds
// the same ones.
#include "benchmarks/keratin-bench/Bench.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

constexpr int64_t kSide = 16;

// Knuth's MMIX generator, of which the high bits are used.
class Draws {
public:
  explicit Draws(uint64_t seed) : state(seed) {}
  int64_t below(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t(state >> 33) % n;
  }

private:
  uint64_t state;
};

// A tensor and, where it is to be checked, what it must be. Dimensions are 1 or kSide.
struct Node {
  K::Tensor tensor;
  int64_t rows, columns;
  Doubles value;

  double at(int64_t row, int64_t column) const {
    return value[size_t((rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column))];
  }
  bool isSquare() const { return rows == columns; }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Every number stays within [-1, 1].
class RandomDag {
public:
  enum class Values { Without, With };

  RandomDag(int64_t ops, uint64_t seed, Values values) : values(values), draws(seed) {
    for (auto [rows, columns] : {std::pair(kSide, kSide), {1, kSide}, {kSide, 1}}) {
      fed.push_back(randomArray({rows, columns}, -1, 1, inputs.size() + 1));
      inputs.push_back(K::placeholder({rows, columns}));
      add({inputs.back(), rows, columns, toDoubles(fed.back())});
    }
    for (int64_t made = 0; made < ops;)
      made += addOp();
  }

  K::Function compile() const {
    std::vector<K::Tensor> outputs;
    for (size_t i : unused)
      outputs.push_back(nodes[i].tensor);
    return K::function(inputs, outputs);
  }

  void check(const std::string &what, const K::Function &function) const {
    std::vector<K::Array> outputs;
    function.call(fed.data(), fed.size(), outputs);
    for (size_t i = 0; i < unused.size(); ++i)
      Bench::expectNear(what, outputs[i], nodes[unused[i]].value.data(), 1e-4, 1e-4);
  }

private:
  void add(Node node) {
    unused.push_back(nodes.size());
    nodes.push_back(std::move(node));
  }

  using Element = std::function<double(int64_t row, int64_t column)>;
  void add(const K::Tensor &tensor, int64_t rows, int64_t columns, const Element &element) {
    Node node{tensor, rows, columns, {}};
    for (int64_t i = 0; values == Values::With && i < rows * columns; ++i)
      node.value.push_back(element(i / columns, i % columns));
    add(std::move(node));
  }

  void addUnary(const K::Tensor &tensor, const Node &a, double (*function)(double)) {
    add(tensor, a.rows, a.columns,
        [&](int64_t row, int64_t column) { return function(a.at(row, column)); });
  }

  void addBinary(const K::Tensor &tensor, const Node &a, const Node &b,
                 double (*function)(double, double)) {
    add(tensor, std::max(a.rows, b.rows), std::max(a.columns, b.columns),
        [&](int64_t row, int64_t column) {
          return function(a.at(row, column), b.at(row, column));
        });
  }

  void addTransposed(const Node &a) {
    add(K::transpose(a.tensor), a.columns, a.rows,
        [&](int64_t row, int64_t column) { return a.at(column, row); });
  }

  void addMean(const Node &a, int64_t axis) {
    add(K::mean(a.tensor, axis, true), axis == 0 ? 1 : kSide, axis == 0 ? kSide : 1,
        [&](int64_t row, int64_t column) {
          double sum = 0;
          for (int64_t i = 0; i < kSide; ++i)
            sum += axis == 0 ? a.at(i, column) : a.at(row, i);
          return sum / double(kSide);
        });
  }

  void addProduct(const Node &a, const Node &b) {
    add(K::dot(a.tensor, b.tensor) * (1.0 / double(kSide)), kSide, kSide,
        [&](int64_t row, int64_t column) {
          double sum = 0;
          for (int64_t i = 0; i < kSide; ++i)
            sum += a.at(row, i) * b.at(i, column);
          return sum / double(kSide);
        });
  }

  // Where many have no user yet, the first of them, so that every op counts and the outputs are
  // few.
  Node pick() {
    const int64_t recent = std::min<int64_t>(int64_t(nodes.size()), 64);
    size_t picked = unused.size() > size_t(kSide) ? unused.front()
                                                  : nodes.size() - 1 - size_t(draws.below(recent));
    std::erase(unused, picked);
    return nodes[picked];
  }

  // Returns how many ops it took.
  int addOp() {
    const int64_t kind = draws.below(10);
    const Node a = pick();
    if (kind == 0)
      return addUnary(K::tanh(a.tensor), a, std::tanh), 1;
    if (kind == 1)
      return addUnary(K::sigmoid(a.tensor), a, sigmoid), 1;
    if (kind == 2)
      return addUnary(K::sin(a.tensor), a, std::sin), 1;
    if (kind == 3 && !a.isSquare())
      return addTransposed(a), 1;
    if (kind <= 4 && a.isSquare())
      return addMean(a, kind - 3), 1;
    const Node b = pick();
    if (kind == 5)
      return addBinary(K::maximum(a.tensor, b.tensor), a, b, std::fmax), 1;
    if (kind == 6)
      return addBinary(K::minimum(a.tensor, b.tensor), a, b, std::fmin), 1;
    if (kind == 7 && a.isSquare() && b.isSquare())
      return addProduct(a, b), 2;
    if (kind == 8)
      return addBinary((a.tensor - b.tensor) * 0.5, a, b,
                       [](double x, double y) { return (x - y) / 2; }),
             2;
    return addBinary(a.tensor * b.tensor, a, b, [](double x, double y) { return x * y; }), 1;
  }

  Values values;
  Draws draws;
  std::vector<K::Tensor> inputs;
  std::vector<K::Array> fed;
  std::vector<Node> nodes;
  std::deque<size_t> unused;
};

void runCase(Bench &bench, const char *caseName, int64_t ops, int times) {
  std::vector<double> readings;
  Row row;
  row.name = "dag";
  row.caseName = caseName;
  for (int i = 0; i < times; ++i) {
    const uint64_t seed = uint64_t(i + 1);
    double start = seconds();
    K::Function function = RandomDag(ops, seed, RandomDag::Values::Without).compile();
    readings.push_back((seconds() - start) * 1e3);
    RandomDag(ops, seed, RandomDag::Values::With).check(caseName, function);
    row.describe(function);
  }
  row.timing = summarize(readings);
  bench.report(row);
}

} // namespace

void keratin::bench::runDag(Bench &bench) {
  runCase(bench, "1,000 ops", 1000, bench.checkOnly() ? 1 : 3);
  if (bench.checkOnly())
    return;
  runCase(bench, "10,000 ops", 10000, 1);
  if (bench.large())
    runCase(bench, "100,000 ops", 100000, 1);
}

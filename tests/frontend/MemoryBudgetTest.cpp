// Functions that are compiled with a budget for their temporaries.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>

namespace {

// The loss of a gated net over so many steps and its gradients; `second` adds the gradients of a
// sum of squares of these.
struct Net {
  Net(const StaticShape &shape, bool second = false) {
    x = K::placeholder(shape, std::nullopt, "float64");
    auto weight = [](std::vector<int64_t> dims, double scale) {
      int64_t count = dims[0] * dims[1];
      std::vector<double> values;
      for (int64_t i = 0; i < count; ++i)
        values.push_back(scale * std::sin(double(i + 1)));
      return K::variable(Array(values).reshape(dims), "float64");
    };
    Tensor w = weight({3, 4}, 0.5), u = weight({4, 4}, 0.4);
    auto step = [&](const Tensor &input, const Tensor &h, const Tensor &c) {
      Tensor z = K::dot(input, w) + K::dot(h, u);
      Tensor next = K::sigmoid(z) * c + K::tanh(z);
      Tensor output = K::tanh(next);
      return std::tuple(output, output, next);
    };
    Tensor zeros = K::zeros_like(K::dot(K::sum(x, 1), w));
    Tensor last = std::get<0>(K::rnn(step, x, {zeros, zeros}));
    Tensor loss = K::sum(last * last);
    outputs = {loss};
    for (const auto &gradient : K::gradients(loss, {w, u, x}))
      outputs.push_back(*gradient);
    if (second) {
      Tensor squares = K::sum(K::square(outputs[1])) + K::sum(K::square(outputs[2]));
      for (const auto &gradient : K::gradients(squares, {w, u}))
        outputs.push_back(*gradient);
    }
  }

  keratin::Function compile(int64_t budget) const {
    keratin::FunctionOptions options;
    options.memoryBudget = budget;
    return K::function({x}, outputs, {}, "", options);
  }

  Tensor x;
  std::vector<Tensor> outputs;
};

Array sequence(int64_t steps) {
  std::vector<double> values;
  for (int64_t i = 0; i < 2 * steps * 3; ++i)
    values.push_back(std::cos(double(i)));
  return Array(values).reshape({2, steps, 3});
}

bool isCompiled() { return !std::getenv("KERATIN_TEST_PROGRAM"); }

void checkSame(const keratin::Function &found, const keratin::Function &expected, int64_t steps) {
  std::vector<Array> a = found({sequence(steps)}), b = expected({sequence(steps)});
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO(steps << " steps, output " << i);
    checkArray(a[i], b[i], 1e-10);
  }
}

} // namespace

TEST_CASE("a memory budget is kept and changes no number", "[loop]") {
  Net net({2, 600, 3});
  keratin::Function free = net.compile(0);
  constexpr int64_t budget = 80000;
  keratin::Function bounded = net.compile(budget);
  checkSame(bounded, free, 600);
  if (!isCompiled())
    return;
  CHECK(free.arenaBytes() > 2 * budget);
  CHECK(bounded.arenaBytes() <= budget);
  CHECK(free.memoryPlan().find("budget  ") == std::string::npos);
  CHECK_THAT(bounded.memoryPlan(), Catch::Contains("80000 bytes, kept; "));
  CHECK_THAT(bounded.memoryPlan(), Catch::Contains("from checkpoints"));
  CHECK_THAT(net.compile(100).memoryPlan(), Catch::Contains("100 bytes, exceeded by "));
}

TEST_CASE("a memory budget holds for gradients of gradients", "[loop]") {
  Net net({2, 300, 3}, /*second=*/true);
  keratin::Function free = net.compile(0), bounded = net.compile(100000);
  checkSame(bounded, free, 300);
  if (isCompiled())
    CHECK(bounded.arenaBytes() < free.arenaBytes() / 3);
}

TEST_CASE("a memory budget divides loops of unknown length", "[loop]") {
  Net net({2, std::nullopt, 3});
  keratin::Function free = net.compile(0), bounded = net.compile(8000);
  for (int64_t steps : {1, 2, 13, 100, 500})
    checkSame(bounded, free, steps);
}

TEST_CASE("a memory budget below zero is refused", "[loop]") {
  Net net({2, 3, 3});
  CHECK(errorOf<keratin::ValueError>([&] {
          net.compile(-1);
        }).find("a memory budget of -1 bytes; needed at least 0 (no budget)") != std::string::npos);
}

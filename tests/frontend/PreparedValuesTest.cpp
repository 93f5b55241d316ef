// What functions make of variables that they do not update: the values are always those of now.
#include "tests/frontend/FrontendTest.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

using keratin::Function;
using keratin::FunctionOptions;

namespace {

// A matrix, rows by columns, of these numbers one after the other.
Array matrix(int64_t rows, int64_t columns, double first, double step) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < rows * columns; ++i)
    numbers.push_back(float(first + step * double(i % 7)));
  return Array(numbers, {rows, columns});
}

Array full(int64_t rows, int64_t columns, double number) {
  return matrix(rows, columns, number, 0);
}

// x times a normalised, transposed w.
Tensor product(const Tensor &x, const Tensor &w) {
  Tensor scaled = w / K::sqrt(K::sum(K::square(w), 0, true));
  return K::dot(x, K::transpose(scaled));
}

struct Net {
  Tensor x = K::placeholder({None, 5});
  Tensor w = K::variable(matrix(4, 5, 1, 0.5));
  Function f = K::function({x}, {product(x, w)});

  // eval prepares nothing.
  Array check() {
    const Array value = matrix(3, 5, -1, 0.25);
    const Array found = f({value})[0];
    checkArray(found, K::eval(product(K::constant(value), w)), 4 * float32Ulp);
    return found;
  }
};

// The interpreter, which tests run too, makes everything in each call, and so do devices.
bool mayPrepare() { return !std::getenv("KERATIN_TEST_PROGRAM") && !std::getenv("KERATIN_DEVICE"); }
bool isPrepared(const Function &function) { return has(function.memoryPlan(), "prepared"); }

} // namespace

TEST_CASE("what depends on a variable alone is prepared") {
  Net net;
  CHECK(isPrepared(net.f) == mayPrepare());
  const Array first = net.check();
  checkArray(net.check(), first);
}

TEST_CASE("prepared values are those of a variable that was set") {
  Net net;
  const Array before = net.check();
  K::set_value(net.w, matrix(4, 5, -2, 0.75));
  const Array after = net.check();
  CHECK(before.item(0) != after.item(0));
  K::set_value(net.w, matrix(4, 5, 1, 0.5));
  checkArray(net.check(), before);
}

TEST_CASE("prepared values are those of a variable that another function updated") {
  Net net;
  Function reverse = K::function({}, {}, {K::update(net.w, K::reverse(net.w, 1))});
  Function add = K::function({}, {}, {K::update_add(net.w, K::ones_like(net.w))});
  net.check();
  for (int round = 0; round < 3; ++round) {
    reverse({});
    net.check();
    add({});
    net.check();
  }
}

TEST_CASE("a function that updates one variable prepares what it makes of others") {
  Tensor x = K::placeholder({None, 5}), w = K::variable(matrix(4, 5, 1, 0.5));
  Tensor count = K::variable(0.0);
  Function f = K::function({x}, {product(x, w)}, {K::update_add(count, 1.0)});
  CHECK(isPrepared(f) == mayPrepare());
  const Array value = matrix(3, 5, -1, 0.25);
  checkArray(f({value})[0], f({value})[0]);
  K::set_value(w, matrix(4, 5, 3, 0.25));
  checkArray(f({value})[0], K::eval(product(K::constant(value), w)), 4 * float32Ulp);
  CHECK(K::get_value(count).item(0) == 3);
}

TEST_CASE("a function that trains prepares nothing of what it trains") {
  Tensor x = K::placeholder({None, 5}), w = K::variable(matrix(4, 5, 1, 0.5));
  Tensor loss = K::mean(K::square(product(x, w)));
  Function step = K::function({x}, {loss}, {K::update_sub(w, K::gradients(loss, {w})[0])});
  CHECK_FALSE(isPrepared(step));
}

TEST_CASE("functions whose options say so make everything in each call") {
  Net net;
  Function f = K::function({net.x}, {product(net.x, net.w)}, {}, "", {.prepareWeights = false});
  CHECK_FALSE(isPrepared(f));
  const Array value = matrix(3, 5, -1, 0.25);
  checkArray(f({value})[0], net.f({value})[0], 4 * float32Ulp);
}

TEST_CASE("functions that check numbers look at weights in each call") {
  if (!mayPrepare())
    return; // only the CPU's code checks
  Tensor x = K::placeholder({None, 5}), w = K::variable(matrix(4, 5, 1, 0.5));
  Function f = K::function({x}, {product(x, w)}, {}, "", FunctionOptions{.checkNumbers = true});
  CHECK_FALSE(isPrepared(f));
  K::set_value(w, matrix(4, 5, 0, 0));
  const Array value = matrix(3, 5, -1, 0.25);
  for (int call = 0; call < 2; ++call)
    CHECK(has(errorOf<keratin::FloatingPointError>([&] { f({value}); }), "made"));
}

TEST_CASE("the code for other sizes prepares for itself") {
  Tensor x = K::placeholder({None, 5}), y = K::placeholder({None, 5});
  Tensor w = K::variable(matrix(4, 5, 1, 0.5));
  Function f = K::function({x, y}, {product(x + y, w)});
  const Array many = matrix(3, 5, 1, 0.5), one = matrix(1, 5, 2, 0.5);
  auto check = [&](const Array &a, const Array &b) {
    checkArray(f({a, b})[0], K::eval(product(K::constant(a) + K::constant(b), w)), 4 * float32Ulp);
  };
  for (double first : {1.0, 2.0, 3.0}) {
    K::set_value(w, matrix(4, 5, first, 0.5));
    check(many, many);
    check(many, one);
    check(one, many);
  }
}

TEST_CASE("threads that call see the values of a variable that is set meanwhile") {
  Tensor x = K::placeholder({1, 64}), w = K::variable(full(64, 64, 0));
  Function f = K::function({x}, {K::sum(K::dot(x, K::transpose(w * 2.0 + 1.0)))});
  CHECK(isPrepared(f) == mayPrepare());
  std::atomic<int> written{0}, wrong{0};
  constexpr int writes = 50;
  const Array ones = full(1, 64, 1);
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      for (bool last = false; !last;) {
        const int before = written;
        last = before == writes;
        const double found = (f({ones})[0].item(0) / (64 * 64) - 1) / 2;
        wrong += found < before || found > written + 1;
      }
    });
  for (int i = 1; i <= writes; ++i) {
    K::set_value(w, full(64, 64, i));
    written = i;
  }
  for (std::thread &reader : readers)
    reader.join();
  CHECK(wrong == 0);
}

namespace {

// Numbers between -1 and 1 that no neighbour has.
Array numbers(std::vector<int64_t> shape, int seed) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<float> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(float((i * 7919 + seed * 104729) % 2003) / 1001.5f - 1);
  return Array(elements, std::move(shape));
}

// Before and after the weights are written, of a call's result and of what eval makes.
void checkProduct(const std::function<Tensor(const Tensor &, const Tensor &)> &product,
                  const std::vector<int64_t> &xShape, const std::vector<int64_t> &wShape,
                  bool isBatchKnown, DType dtype = DType::Float32) {
  std::vector<keratin::Size> shape(xShape.begin(), xShape.end());
  if (!isBatchKnown)
    shape.front() = None;
  auto weights = [&](int seed) { return numbers(wShape, seed).astype(dtype); };
  Tensor x = K::placeholder(shape), w = K::variable(weights(1), dtype);
  Function f = K::function({x}, {product(x, w)});
  for (int seed : {1, 2, 3}) {
    K::set_value(w, weights(seed));
    const Array value = numbers(xShape, seed + 5);
    const Array found = f({value})[0];
    checkArray(found, K::eval(product(K::constant(value), w)), 1e-4);
  }
}

} // namespace

TEST_CASE("weights of products are packed once") {
  auto dot = [](const Tensor &x, const Tensor &w) { return K::relu(K::dot(x, w) + 1.0); };
  auto dotT = [](const Tensor &x, const Tensor &w) { return K::dot(x, K::transpose(w)); };
  for (bool isBatchKnown : {true, false})
    for (int64_t rows : {1, 2, 5, 32, 70, 130}) {
      INFO(rows << " rows, known: " << isBatchKnown);
      checkProduct(dot, {rows, 48}, {48, 64}, isBatchKnown);
      checkProduct(dotT, {rows, 300}, {96, 300}, isBatchKnown);
      checkProduct(dot, {rows, 300}, {300, 10}, isBatchKnown);
      checkProduct(dotT, {rows, 70}, {101, 70}, isBatchKnown);
      checkProduct(dot, {rows, 2100}, {2100, 32}, isBatchKnown);
    }
  // So large that few rows would have them streamed.
  for (int64_t rows : {3, 8, 16, 21})
    checkProduct(dot, {rows, 520}, {520, 512}, /*isBatchKnown=*/true);
  // A row or two, which read several panels side by side, and fewer at the end.
  for (bool isBatchKnown : {true, false})
    for (int64_t rows : {1, 2})
      for (int64_t columns : {144, 240, 500, 512})
        checkProduct(dot, {rows, 520}, {520, columns}, isBatchKnown);
}

TEST_CASE("weights of halves are packed once") {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    auto dot = [&](const Tensor &x, const Tensor &w) {
      Tensor y = K::dot(K::cast(x, dtype), w);
      return K::cast(y, DType::Float32);
    };
    for (bool isBatchKnown : {true, false})
      for (int64_t rows : {1, 5, 70})
        for (int64_t columns : {100, 256}) {
          INFO(keratin::dtypeName(dtype) << ", " << rows << " rows, known: " << isBatchKnown);
          checkProduct(dot, {rows, 300}, {300, columns}, isBatchKnown, dtype);
        }
  }
}

TEST_CASE("weights of loops' steps are packed once") {
  auto steps = [](const Tensor &x, const Tensor &w) {
    auto step = [&](const Tensor &now, const Tensor &h) {
      Tensor next = K::tanh(now + K::dot(h, w));
      return std::make_pair(next, next);
    };
    Tensor first = K::zeros_like(x[{K::All, 0}]);
    return std::get<0>(K::rnn(step, x, {first}));
  };
  for (bool isBatchKnown : {true, false})
    for (int64_t batch : {1, 8}) {
      INFO("batch " << batch << ", known: " << isBatchKnown);
      checkProduct(steps, {batch, 4, 256}, {256, 256}, isBatchKnown);
    }
  Tensor x = K::placeholder({8, 4, 256}), w = K::variable(numbers({256, 256}, 1));
  if (mayPrepare())
    CHECK(isPrepared(K::function({x}, {steps(x, w)})));
}

TEST_CASE("filters of convolutions are packed once") {
  struct Case {
    std::vector<int64_t> x, filter;
    std::string padding;
    int64_t strides;
  };
  const Case cases[] = {{{1, 7, 7, 512}, {3, 3, 512, 64}, "same", 1},
                        {{2, 14, 14, 40}, {3, 3, 40, 96}, "same", 1},
                        {{1, 9, 9, 24}, {5, 3, 24, 32}, "valid", 1},
                        {{2, 15, 15, 64}, {3, 3, 64, 128}, "same", 2},
                        {{1, 12, 12, 1030}, {1, 1, 1030, 256}, "valid", 2},
                        {{3, 8, 8, 600}, {3, 3, 600, 16}, "same", 1}};
  for (const Case &each : cases)
    for (bool isBatchKnown : {true, false}) {
      INFO("x " << keratin::toString(each.x) << ", known: " << isBatchKnown);
      auto convolution = [&](const Tensor &x, const Tensor &filter) {
        return K::conv2d(x, filter, each.strides, each.padding);
      };
      checkProduct(convolution, each.x, each.filter, isBatchKnown);
    }
}

TEST_CASE("a function that has no memory for what it prepares says where it is made") {
  if (!mayPrepare())
    return;
  const Tensor places = K::placeholder({2}, {.dtype = DType::Int64});
  const Tensor sums = K::cumsum(K::square(K::arange(0, int64_t(1) << 50, 1, DType::Int64)), 0);
  const std::string message = errorOf<keratin::MemoryError>(
      [&] { K::function({places}, {K::gather(sums, places)}, {}, "far"); });
  CHECK(has(message, "far: function 'far': no memory for prepared values of 9007199254740992 "
                     "bytes; at "));
  CHECK(has(message, "PreparedValuesTest.cpp:"));
}

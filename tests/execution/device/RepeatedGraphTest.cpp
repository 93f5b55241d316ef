// Calls that come again thousands of times, and are graphs of the driver's, with other feeds each
// time: every result is computed here too, in integers, which no order of additions changes.
//
// KERATIN_TEST_CALLS is the number of calls; the default keeps a test run short.
#include "tests/execution/device/DeviceOptions.h"
#include "tests/execution/device/DeviceProgram.h"

#include "keratin/backend.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::tests;
namespace K = keratin::backend;

namespace {

// Small integers, others for each seed.
Array integers(std::vector<int64_t> dims, uint32_t seed) {
  Array array = Array::empty(DType::Float32, std::move(dims));
  uint32_t state = seed * 2654435761u + 99u;
  for (int64_t i = 0; i < array.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    array.data<float>()[i] = float(int(state >> 28) - 8);
  }
  return array;
}

double sum(const Array &x) {
  double total = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    total += x.data<float>()[i];
  return total;
}

// Whether y is x times w.
bool isProduct(const Array &x, const Array &w, const Array &y) {
  const int64_t rows = x.shape()[0], depth = x.shape()[1], columns = w.shape()[1];
  if (y.shape() != std::vector<int64_t>{rows, columns})
    return false;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float expected = 0;
      for (int64_t k = 0; k < depth; ++k)
        expected += x.data<float>()[i * depth + k] * w.data<float>()[k * columns + j];
      if (y.data<float>()[i * columns + j] != expected)
        return false;
    }
  return true;
}

} // namespace

TEST_CASE("a call that comes again has the results of its feeds, with updates",
          "[device][graphs]") {
  Watchdog watchdog("calls with updates");
  const Array first = integers({16, 12}, 7);
  K::Tensor x = K::placeholder({8, 16}), w = K::variable(first);
  K::Tensor count = K::variable(0, "int64"), total = K::variable(0, "int32");
  K::Tensor a = K::variable(Array::zeros(DType::Float32, {300}));
  K::Tensor b = K::variable(Array::zeros(DType::Float32, {300}));
  // The last two exchange their buffers.
  K::Function step =
      K::function({x}, {K::dot(x, w), count, total, a - b},
                  {K::update_add(count, 1), K::update_add(total, K::cast(K::sum(x), "int32")),
                   K::update(a, b + 1.0), K::update(b, a)},
                  onDevice("step"));
  int64_t sums = 0, wrong = 0;
  const int64_t calls = callsOf(60);
  for (int64_t call = 0; call < calls; ++call) {
    Array feed = integers({8, 16}, uint32_t(call));
    std::vector<Array> results = step({feed});
    const bool isRight = isProduct(feed, first, results[0]) && results[1].item<int64_t>() == call &&
                         results[2].item<int64_t>() == sums &&
                         results[3].item<float>(299) == float(call % 2);
    wrong += !isRight;
    sums += int64_t(sum(feed));
  }
  CHECK(wrong == 0);
  CHECK(K::get_value(count).item<int64_t>() == calls);
  CHECK(K::get_value(total).item<int64_t>() == sums);
}

// More than there are graphs, and in an order that no list of those used last foresees.
TEST_CASE("calls of many sizes come again", "[device][graphs]") {
  Watchdog watchdog("calls of many sizes");
  const Array weights = integers({24, 10}, 3);
  K::Tensor x = K::placeholder({K::None, 24}), w = K::variable(weights);
  K::Function product = K::function({x}, {K::dot(x, w)}, {}, onDevice("product"));
  int64_t wrong = 0;
  const int64_t calls = callsOf(60);
  for (int64_t call = 0; call < calls; ++call) {
    const int64_t rows = call * call % 13 + call % 2 * 5;
    Array feed = integers({rows, 24}, uint32_t(call));
    wrong += !isProduct(feed, weights, product({feed})[0]);
  }
  CHECK(wrong == 0);
}

TEST_CASE("calls hand on what stays on the device", "[device][graphs]") {
  Watchdog watchdog("calls that hand on");
  K::Tensor x = K::placeholder({6, 6}), y = K::placeholder({6, 6});
  K::Function add = K::function({x, y}, {x + y}, {}, onDevice("add", /*keep=*/true));
  Array kept = integers({6, 6}, 1);
  double total = sum(kept);
  const int64_t calls = callsOf(60);
  int64_t wrong = 0;
  for (int64_t call = 0; call < calls; ++call) {
    Array feed = integers({6, 6}, uint32_t(call));
    kept = add({kept, feed})[0];
    total += sum(feed);
    if (call % 50 == 0)
      wrong += sum(kept.toHost()) != total;
  }
  CHECK(wrong == 0);
  CHECK(sum(kept.toHost()) == total);
}

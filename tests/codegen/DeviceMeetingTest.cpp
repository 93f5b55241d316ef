// Blocks that meet, or wait for each other, on the device "cuda": nothing can be left out.
#include "tests/codegen/LaunchedKernel.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace keratin;
using namespace keratin::tests;

namespace {

using Floats = std::vector<float>;

// Of what nobody misses.
struct Unnoticed {
  explicit Unnoticed(const LaunchedKernel &kernel) {
    for (const std::string &what : kernel.unnoticed())
      ++(what.find("fence") == 0 ? fences : barriers);
  }
  // By neither of two that differ in their blocks alone.
  Unnoticed(const LaunchedKernel &one, const LaunchedKernel &other) {
    const std::vector<std::string> names = other.unnoticed();
    for (const std::string &what : one.unnoticed())
      if (std::find(names.begin(), names.end(), what) != names.end())
        ++(what.find("fence") == 0 ? fences : barriers);
  }
  int barriers = 0, fences = 0;
};

} // namespace

// Sums of columns, in two stretches of ten parts each.
TEST_CASE("blocks that meet need each of their barriers and fences", "[device]") {
  LaunchedKernel divided(
      R"(func.func @main(%x: tensor<600x136xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<136xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %0 = keratin.reduce_sum %x axes = [0] : (tensor<600x136xf32>) -> tensor<136xf32>
           return %0 : tensor<136xf32>
         })",
      600 * 136, std::function([](const float *x) {
        Floats sums(136);
        for (size_t i = 0; i < 600 * 136; ++i)
          sums[i % 136] += x[i];
        return sums;
      }),
      20);
  REQUIRE(divided.launch.unit_bytes > 0);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(divided.problem(divided.ptx, order) == "");
  CHECK(divided.mutants().size() == 12);
  // The emulator has one clock for the lanes of a warp, and takes a barrier of a block for a fence
  // of the device: it does not miss the barrier between the lanes that leave parts and the one that
  // counts, nor the fence behind the counter. There are two versions of the code.
  Unnoticed unnoticed(divided);
  CHECK(unnoticed.barriers <= 2);
  CHECK(unnoticed.fences <= 2);
}

// Two lines in nine parts each.
TEST_CASE("blocks that wait for those before them need each of their barriers and fences",
          "[device]") {
  LaunchedKernel divided(
      R"(func.func @main(%x: tensor<2x9000xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<2x9000xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<2x9000xf32>) -> tensor<2x9000xf32>
           return %0 : tensor<2x9000xf32>
         })",
      18000, std::function([](const float *x) {
        Floats sums(x, x + 18000);
        for (size_t i = 0; i < sums.size(); ++i)
          if (i % 9000)
            sums[i] += sums[i - 1];
        return sums;
      }),
      18);
  REQUIRE(divided.launch.unit_bytes > 0);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(divided.problem(divided.ptx, order) == "");
  // Two barriers stand behind others: the one before a block counts itself done, and the first one
  // of its tile. The fences of that count order what was read, of which the emulator keeps no note.
  Unnoticed unnoticed(divided);
  CHECK(unnoticed.barriers <= 2);
  CHECK(unnoticed.fences <= 2);
}

// The largest of a row in three parts, then what all are below it. Of two blocks one does the first
// pass, so that what it has left last is what the other waits for first. Of six each has a part.
TEST_CASE("blocks that wait for a pass need each of their barriers and fences", "[device]") {
  const char *model =
      R"(func.func @main(%x: tensor<1x20000xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<1x20000xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %m = keratin.reduce_max %x axes = [1] : (tensor<1x20000xf32>) -> tensor<1xf32>
           %b = keratin.broadcast %m dims = [0] : (tensor<1xf32>) -> tensor<1x20000xf32>
           %0 = keratin.sub %x, %b : (tensor<1x20000xf32>, tensor<1x20000xf32>) -> tensor<1x20000xf32>
           return %0 : tensor<1x20000xf32>
         })";
  auto belowSix = std::function([](const float *x) {
    Floats below(x, x + 20000);
    for (float &number : below)
      number -= 6;
    return below;
  });
  LaunchedKernel two(model, 20000, belowSix, 6, /*blocks=*/2);
  LaunchedKernel six(model, 20000, belowSix, 6, /*blocks=*/6);
  for (const LaunchedKernel *divided : {&two, &six}) {
    REQUIRE(divided->launch.unit_bytes > 0);
    for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
      CHECK(divided->problem(divided->ptx, order) == "");
  }
  // The barrier before a block counts itself done, and the first one of the next unit, stand behind
  // others; of the fences of that count, and of parts that meet, see above.
  Unnoticed unnoticed(two, six);
  CHECK(unnoticed.barriers <= 4);
  CHECK(unnoticed.fences <= 4);
}

// Kernels whose blocks meet, launched again and again in grids of every size, alone and beside
// others. Each result is known: all grids give the same bits, and what the CPU computes within
// rounding.
//
// KERATIN_TEST_CALLS is the number of calls of each example; the default keeps a test run short.
#include "tests/execution/device/DeviceProgram.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

using namespace keratin::tests;

namespace {

struct Example {
  const char *name;
  // "$n" and "$m" stand for sizes.
  const char *text;
  int64_t small[2], large[2];
};

const Example examples[] = {
    {"sums of a whole tensor",
     R"(
func.func @whole(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [0, 1] : (tensor<$nx$mxf32>) -> tensor<f32>
  %1 = keratin.reduce_max %x axes = [0, 1] : (tensor<$nx$mxf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
})",
     {32, 1000},
     {1024, 1000}},
    {"the place of the largest",
     R"(
func.func @place(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<$nxi64> {keratin.kind = "output"}) {
  %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
  %1 = keratin.arg_max %0 {axis = 1 : i64} : (tensor<$nx$mxf32>) -> tensor<$nxi64>
  return %1 : tensor<$nxi64>
})",
     {2, 20000},
     {8, 1000000}},
    {"sums of few columns",
     R"(
func.func @columns(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<$mxf32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<$nx$mxf32>) -> tensor<$mxf32>
  return %0 : tensor<$mxf32>
})",
     {4000, 16},
     {100000, 16}},
    {"a product of a long depth",
     R"(
func.func @deep(%a: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "a"},
                %b: tensor<$mx$nxf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<$nx$nxf32> {keratin.kind = "output"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<$nx$mxf32>, tensor<$mx$nxf32>) -> tensor<$nx$nxf32>
  return %0 : tensor<$nx$nxf32>
})",
     {32, 2048},
     {128, 16384}},
    {"a matrix and a vector",
     R"(
func.func @thin(%a: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "a"},
                %v: tensor<$nxf32> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<$mxf32> {keratin.kind = "output"}) {
  %0 = keratin.dot_general %v, %a batch = [] x [] contract = [0] x [0] : (tensor<$nxf32>, tensor<$nx$mxf32>) -> tensor<$mxf32>
  return %0 : tensor<$mxf32>
})",
     {2048, 32},
     {16384, 64}},
    {"running sums of long lines",
     R"(
func.func @running(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<$nx$mxf32> {keratin.kind = "output"}) {
  %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
  return %0 : tensor<$nx$mxf32>
})",
     {3, 20000},
     {3, 200000}},
    {"the gradient of a depthwise filter",
     R"(
func.func @filter(%x: tensor<$nx32x32x$mxf32> {keratin.kind = "input", keratin.name = "x"},
                  %y: tensor<$nx32x32x$mx1xf32> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<3x3x$mx1xf32> {keratin.kind = "output"}) {
  %0 = keratin.convolution %x, %y dims = "c01g,c01gf->01gf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false] : (tensor<$nx32x32x$mxf32>, tensor<$nx32x32x$mx1xf32>) -> tensor<3x3x$mx1xf32>
  return %0 : tensor<3x3x$mx1xf32>
})",
     {8, 8},
     {128, 16}},
    {"columns that are normalised",
     R"(
func.func @normalised(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<$nx$mxf32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<$nx$mxf32>) -> tensor<$mxf32>
  %1 = keratin.broadcast %0 dims = [1] : (tensor<$mxf32>) -> tensor<$nx$mxf32>
  %2 = keratin.sub %x, %1 : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
  %3 = keratin.mul %2, %2 : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
  %4 = keratin.reduce_sum %3 axes = [0] : (tensor<$nx$mxf32>) -> tensor<$mxf32>
  %5 = keratin.broadcast %4 dims = [1] : (tensor<$mxf32>) -> tensor<$nx$mxf32>
  %6 = keratin.div %2, %5 : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
  return %6 : tensor<$nx$mxf32>
})",
     {2000, 16},
     {8000, 32}},
    {"steps of products and turned lines",
     R"(
func.func @steps(%h: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "h"}, %w: tensor<$mx$mxf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<$nx$mxf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = #keratin.dims<10> init(%h) over() with(%w) : (tensor<$nx$mxf32>, tensor<$mx$mxf32>) -> tensor<$nx$mxf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<$nx$mxf32>, %v: tensor<$mx$mxf32>):
    %c = keratin.constant dense<0.015625> : tensor<f32>
    %0 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0] : (tensor<$nx$mxf32>, tensor<$mx$mxf32>) -> tensor<$nx$mxf32>
    %1 = keratin.tanh %s : (tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
    %2 = keratin.transpose %1 permutation = [1, 0] : (tensor<$nx$mxf32>) -> tensor<$mx$nxf32>
    %3 = keratin.reshape %2 : (tensor<$mx$nxf32>) -> tensor<$nx$mxf32>
    %b = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<$nx$mxf32>
    %4 = keratin.mul %0, %b : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
    %5 = keratin.add %4, %3 : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
    keratin.yield %5 : tensor<$nx$mxf32>
  }
  return %y : tensor<$nx$mxf32>
})",
     {8, 128},
     {64, 256}},
    {"steps until all are small",
     R"(
func.func @until(%x: tensor<$nx$mxf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<$nx$mxf32> {keratin.kind = "output"}, tensor<i64> {keratin.kind = "output"}) {
  %true = keratin.constant dense<true> : tensor<i1>
  %y:3 = keratin.while init(%true, %x) with() : (tensor<i1>, tensor<$nx$mxf32>) -> (tensor<i1>, tensor<$nx$mxf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<$nx$mxf32>):
    %half = keratin.constant dense<0.5> : tensor<f32>
    %least = keratin.constant dense<0.01> : tensor<f32>
    %b = keratin.broadcast %half dims = [] : (tensor<f32>) -> tensor<$nx$mxf32>
    %0 = keratin.mul %s, %b : (tensor<$nx$mxf32>, tensor<$nx$mxf32>) -> tensor<$nx$mxf32>
    %1 = keratin.transpose %0 permutation = [1, 0] : (tensor<$nx$mxf32>) -> tensor<$mx$nxf32>
    %2 = keratin.reshape %1 : (tensor<$mx$nxf32>) -> tensor<$nx$mxf32>
    %3 = keratin.reduce_max %2 axes = [0, 1] : (tensor<$nx$mxf32>) -> tensor<f32>
    %more = keratin.compare gt %3, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %2 : tensor<i1>, tensor<$nx$mxf32>
  }
  return %y#1, %y#2 : tensor<$nx$mxf32>, tensor<i64>
})",
     {64, 256},
     {512, 512}},
};

std::string textOf(const Example &example) {
  std::string text = example.text;
  const int64_t *sizes = isEmulated() ? example.small : example.large;
  for (auto [name, size] : {std::pair("$n", sizes[0]), std::pair("$m", sizes[1])})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, 2, std::to_string(size));
  return text;
}

// What a device computes for an example, first compared with the CPU.
struct Checked {
  explicit Checked(const Example &example)
      : text(textOf(example)), program(text), inputs(testedDevice(), program.descriptor()) {
    INFO(example.name);
    CHECK(program.hasMeetingKernels());
    Executable executable = program.make();
    INFO(program.error);
    REQUIRE(executable);
    std::string error;
    expected = call(executable.get(), inputs, &error);
    INFO(error);
    CHECK(largestDifference(program.descriptor(), expected, onCpu(text)) < 1e-4);
  }

  std::string text;
  DeviceProgram program;
  Inputs inputs;
  Outputs expected;
};

// Of all sizes up to twice what a device holds of small blocks, so many.
std::vector<uint32_t> grids(int64_t most) {
  const int64_t largest = 2 * 8 * multiprocessors();
  std::vector<uint32_t> sizes;
  most = std::min(most, largest);
  // The small ones are all taken, where few blocks meet.
  for (int64_t i = 0; i < most; ++i)
    sizes.push_back(uint32_t(i < most / 4 ? i + 1 : 1 + i * largest / most));
  return sizes;
}

// A call as a stream, one that is recorded, and graphs.
int64_t callsOfGrid() { return isEmulated() ? 4 : 10; }

int64_t wrongCalls(Checked &example, int64_t calls, std::string &error) {
  int64_t wrong = 0;
  std::vector<uint32_t> sizes = grids((calls + callsOfGrid() - 1) / callsOfGrid());
  const int64_t each = std::max(callsOfGrid(), calls / int64_t(sizes.size()));
  for (uint32_t blocks : sizes) {
    Executable executable = example.program.make({blocks});
    if (!executable) {
      error = example.program.error;
      return wrong + 1;
    }
    for (int64_t i = 0; i < each; ++i)
      if (call(executable.get(), example.inputs, &error) != example.expected) {
        ++wrong;
        error =
            "in " + std::to_string(blocks) + " blocks, call " + std::to_string(i) + ": " + error;
      }
  }
  return wrong;
}

void checkAll(int64_t calls) {
  for (const Example &example : examples) {
    Watchdog watchdog(example.name);
    Checked checked(example);
    std::string error;
    int64_t wrong = wrongCalls(checked, calls, error);
    INFO(example.name << ": " << error);
    CHECK(wrong == 0);
  }
}

} // namespace

TEST_CASE("blocks that meet give the same results in grids of every size", "[device][meeting]") {
  checkAll(callsOf(8));
}

TEST_CASE("blocks that meet do so while another process keeps the device busy",
          "[device][meeting]") {
  OtherProcess busy("[.keeps-busy]");
  REQUIRE(busy.line("begun") == ".");
  checkAll(callsOf(20) / 5);
  CHECK(busy.end() == 0);
}

// Of a thread's calls all blocks are on the device at once, of the others' some.
TEST_CASE("blocks that meet do so beside those of other threads", "[device][meeting]") {
  Watchdog watchdog("threads");
  std::vector<std::unique_ptr<Checked>> checked;
  for (const Example &example : examples)
    checked.push_back(std::make_unique<Checked>(example));
  const int64_t calls = std::max<int64_t>(4, callsOf(20) / 5);
  std::atomic<int64_t> wrong = 0;
  std::vector<std::thread> threads;
  // Of each example its own executable in two threads.
  std::vector<Executable> executables;
  for (int turn = 0; turn < 2; ++turn)
    for (auto &example : checked) {
      executables.push_back(example->program.make());
      REQUIRE(executables.back());
    }
  for (size_t i = 0; i < executables.size(); ++i)
    threads.emplace_back([&, i] {
      Checked &own = *checked[i % checked.size()];
      for (int64_t k = 0; k < calls; ++k)
        if (call(executables[i].get(), own.inputs) != own.expected)
          ++wrong;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("keeps the device busy", "[.keeps-busy]") {
  Watchdog watchdog("the busy process");
  Checked product(examples[3]);
  Executable executable = product.program.make();
  say("begun.");
  int64_t wrong = 0;
  while (!isToEnd())
    wrong += call(executable.get(), product.inputs) != product.expected;
  CHECK(wrong == 0);
}

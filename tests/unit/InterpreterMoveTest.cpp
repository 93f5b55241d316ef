// Ops of the reference interpreter that make and move elements.
#include "tests/unit/InterpreterHarness.h"

#include "ir/reference/Philox.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;
using namespace keratin::tests;

static constexpr auto i32 = KERATIN_DTYPE_INT32, i64 = KERATIN_DTYPE_INT64,
                      ui64 = KERATIN_DTYPE_UINT64;

static const HostTensor matrix = floats({1, 2, 3, 4, 5, 6}, {2, 3});

TEST_CASE("constants") {
  CHECK(
      runOp("keratin.constant dense<[[1.5, 0x7F800000], [0x7FC00000, -2.0]]> : tensor<2x2xf32>") ==
      "tensor<2x2xf32> [[1.5, inf], [nan, -2]]");
  CHECK(runOp("keratin.constant dense<7> : tensor<3xui8>") == "tensor<3xui8> [7, 7, 7]");
  CHECK(runOp("keratin.constant dense<[-1, 127]> : tensor<2xi8>") == "tensor<2xi8> [-1, 127]");
  CHECK(runOp("keratin.constant dense<[true, false]> : tensor<2xi1>") == "tensor<2xi1> [1, 0]");
  CHECK(runOp("keratin.constant dense<18446744073709551615> : tensor<ui64>") ==
        "tensor<ui64> 18446744073709551615");
  CHECK(runOp("keratin.constant dense<[1.0, -0.5]> : tensor<2xbf16>") ==
        "tensor<2xbf16> [1, -0.5]");
  CHECK(runOp("keratin.constant dense<> : tensor<0x3xf32>") == "tensor<0x3xf32> []");
}

TEST_CASE("iota wraps or rounds") {
  CHECK(runOp("keratin.iota {axis = 0 : i64} : tensor<2x3xi32>") ==
        "tensor<2x3xi32> [[0, 0, 0], [1, 1, 1]]");
  CHECK(runOp("keratin.iota {axis = 1 : i64} : tensor<2x3xf32>") ==
        "tensor<2x3xf32> [[0, 1, 2], [0, 1, 2]]");
  std::string bytes = runOp("keratin.iota {axis = 0 : i64} : tensor<130xi8>");
  CHECK(bytes.substr(bytes.size() - 17) == " 127, -128, -127]");
  std::string halves = runOp("keratin.iota {axis = 0 : i64} : tensor<2050xf16>");
  CHECK(halves.substr(halves.size() - 19) == ", 2047, 2048, 2048]");
}

TEST_CASE("dim") {
  CHECK(runOp("keratin.dim %0 {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>", {matrix}) ==
        "tensor<i64> 3");
  CHECK(runOp("keratin.dim %0 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<f32>", {matrix}) ==
        "tensor<f32> 2");
}

TEST_CASE("reshape and transpose") {
  CHECK(runOp("keratin.reshape %0 : (tensor<2x3xf32>) -> tensor<3x2x1xf32>", {matrix}) ==
        "tensor<3x2x1xf32> [[[1], [2]], [[3], [4]], [[5], [6]]]");
  CHECK(runOp("keratin.reshape %0 : (tensor<0x3xf32>) -> tensor<5x0xf32>", {floats({}, {0, 3})}) ==
        "tensor<5x0xf32> []");
  CHECK(runOp("keratin.transpose %0 permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
              {matrix}) == "tensor<3x2xf32> [[1, 4], [2, 5], [3, 6]]");
  CHECK(runOp("keratin.transpose %0 permutation = [2, 0, 1] : (tensor<1x2x3xf32>) -> "
              "tensor<3x1x2xf32>",
              {floats({1, 2, 3, 4, 5, 6}, {1, 2, 3})}) ==
        "tensor<3x1x2xf32> [[[1, 4]], [[2, 5]], [[3, 6]]]");
}

TEST_CASE("broadcast") {
  CHECK(runOp("keratin.broadcast %0 dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>",
              {floats({1, 2})}) == "tensor<3x2xf32> [[1, 2], [1, 2], [1, 2]]");
  CHECK(runOp("keratin.broadcast %0 dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>",
              {floats({1, 2}, {2, 1})}) == "tensor<2x3xf32> [[1, 1, 1], [2, 2, 2]]");
  CHECK(runOp("keratin.broadcast %0 dims = [] : (tensor<i32>) -> tensor<2xi32>",
              {ints(i32, {7}, {})}) == "tensor<2xi32> [7, 7]");
  CHECK(runOp("keratin.broadcast %0 dims = [0] : (tensor<1xf32>) -> tensor<0xf32>",
              {floats({1})}) == "tensor<0xf32> []");
}

TEST_CASE("slice and pad") {
  CHECK(runOp("keratin.slice %0 starts = <1, 0> strides = [1, 2] : (tensor<2x3xf32>) -> "
              "tensor<1x2xf32>",
              {matrix}) == "tensor<1x2xf32> [[4, 6]]");
  CHECK(runOp("keratin.slice %0 starts = <2, 3> strides = [1, 1] : (tensor<2x3xf32>) -> "
              "tensor<0x0xf32>",
              {matrix}) == "tensor<0x0xf32> []");
  CHECK(runOp("keratin.slice %0 starts = <2, 4> strides = [1, 1] : (tensor<2x3xf32>) -> "
              "tensor<0x0xf32>",
              {matrix}) ==
        "error: slice: 0 elements from 4 with stride 1 leave dimension 1 of size 3");
  CHECK(runOp("keratin.pad %0 low = <1, 0> interior = [0, 1] : (tensor<2x3xf32>) -> "
              "tensor<4x6xf32>",
              {matrix}) == "tensor<4x6xf32> [[0, 0, 0, 0, 0, 0], [1, 0, 2, 0, 3, 0], "
                           "[4, 0, 5, 0, 6, 0], [0, 0, 0, 0, 0, 0]]");
  CHECK(runOp("keratin.pad %0 low = <1> interior = [0] : (tensor<0xi32>) -> tensor<2xi32>",
              {ints(i32, {})}) == "tensor<2xi32> [0, 0]");
}

TEST_CASE("concatenate and reverse") {
  CHECK(runOp("keratin.concatenate %0, %1, %2 {axis = 1 : i64} : (tensor<2x3xf32>, "
              "tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>",
              {matrix, floats({}, {2, 0}), floats({7, 8}, {2, 1})}) ==
        "tensor<2x4xf32> [[1, 2, 3, 7], [4, 5, 6, 8]]");
  CHECK(runOp("keratin.reverse %0 axes = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
              {matrix}) == "tensor<2x3xf32> [[6, 5, 4], [3, 2, 1]]");
  CHECK(runOp("keratin.reverse %0 axes = [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>", {matrix}) ==
        "tensor<2x3xf32> [[3, 2, 1], [6, 5, 4]]");
}

TEST_CASE("gather") {
  const std::string gather = "keratin.gather %0, %1 : (tensor<2x3xf32>, tensor<3xi32>) -> "
                             "tensor<3x3xf32>";
  CHECK(runOp(gather, {matrix, ints(i32, {1, 0, 1})}) ==
        "tensor<3x3xf32> [[4, 5, 6], [1, 2, 3], [4, 5, 6]]");
  CHECK(runOp(gather, {matrix, ints(i32, {1, 2, 0})}) ==
        "error: gather: index 2 is outside the first axis of size 2");
  CHECK(runOp(gather, {matrix, ints(i32, {1, -1, 0})}) ==
        "error: gather: index -1 is outside the first axis of size 2");
  CHECK(runOp("keratin.gather %0, %1 : (tensor<2x3xf32>, tensor<1x2xui64>) -> tensor<1x2x3xf32>",
              {matrix, ints(ui64, {0, 0}, {1, 2})}) ==
        "tensor<1x2x3xf32> [[[1, 2, 3], [1, 2, 3]]]");
  CHECK(runOp("keratin.gather %0, %1 : (tensor<0x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>",
              {floats({}, {0, 3}), ints(i64, {0})}) ==
        "error: gather: index 0 is outside the first axis of size 0");
  CHECK(runOp("keratin.gather %0, %1 : (tensor<2x0xf32>, tensor<1xi64>) -> tensor<1x0xf32>",
              {floats({}, {2, 0}), ints(i64, {1})}) == "tensor<1x0xf32> []");
}

TEST_CASE("scatter_add adds duplicates and wraps") {
  const std::string scatter = "keratin.scatter_add %0, %1 : (tensor<3xi64>, tensor<3x2xf32>) -> "
                              "tensor<3x2xf32>";
  HostTensor updates = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  CHECK(runOp(scatter, {ints(i64, {2, 0, 2}), updates}) ==
        "tensor<3x2xf32> [[3, 4], [0, 0], [6, 8]]");
  CHECK(runOp(scatter, {ints(i64, {2, 3, 2}), updates}) ==
        "error: scatter_add: index 3 is outside the first axis of size 3");
  CHECK(runOp("keratin.scatter_add %0, %1 : (tensor<2xi64>, tensor<2xi8>) -> tensor<1xi8>",
              {ints(i64, {0, 0}), ints(KERATIN_DTYPE_INT8, {100, 100})}) == "tensor<1xi8> [-56]");
}

TEST_CASE("boxes at computed places") {
  const std::string slice = "keratin.dynamic_slice %0, %1, %2 : (tensor<2x3xf32>, tensor<i64>, "
                            "tensor<i32>) -> tensor<1x2xf32>";
  CHECK(runOp(slice, {matrix, ints(i64, {1}, {}), ints(i32, {1}, {})}) ==
        "tensor<1x2xf32> [[5, 6]]");
  CHECK(runOp(slice, {matrix, ints(i64, {1}, {}), ints(i32, {2}, {})}) ==
        "error: dynamic_slice: a box of size 2 at 2 leaves dimension 1 of size 3");
  CHECK(runOp(slice, {matrix, ints(i64, {-1}, {}), ints(i32, {0}, {})}) ==
        "error: dynamic_slice: a box of size 1 at -1 leaves dimension 0 of size 2");
  CHECK(runOp("keratin.dynamic_unslice %0, %1 : (tensor<2xf32>, tensor<i64>) -> tensor<4xf32>",
              {floats({7, 8}), ints(i64, {1}, {})}) == "tensor<4xf32> [0, 7, 8, 0]");
  CHECK(runOp("keratin.dynamic_unslice %0, %1 : (tensor<2xf32>, tensor<ui64>) -> tensor<4xf32>",
              {floats({7, 8}), ints(ui64, {-1}, {})}) ==
        "error: dynamic_unslice: a box of size 2 at -1 leaves dimension 0 of size 4");
}

TEST_CASE("Philox gives the published numbers") {
  // The known answers of the authors' Random123 library.
  using Block = std::array<uint32_t, 4>;
  CHECK(reference::philox({0, 0, 0, 0}, {0, 0}) ==
        Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  uint32_t ones = 0xffffffff;
  CHECK(reference::philox({ones, ones, ones, ones}, {ones, ones}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(reference::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random_bits lays 16 blocks side by side") {
  EvaluationContext context;
  std::string text = runModule(R"(
    func.func @main(%draw: tensor<i64>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>) {
      %y = keratin.random_bits %draw {seed = 4294967298 : i64} : (tensor<i64>) -> tensor<200xui32>
      %a = keratin.slice %y starts = <0> strides = [1] : (tensor<200xui32>) -> tensor<1xui32>
      %b = keratin.slice %y starts = <53> strides = [1] : (tensor<200xui32>) -> tensor<1xui32>
      %c = keratin.slice %y starts = <150> strides = [1] : (tensor<200xui32>) -> tensor<1xui32>
      %d = keratin.reshape %a : (tensor<1xui32>) -> tensor<ui32>
      %e = keratin.reshape %b : (tensor<1xui32>) -> tensor<ui32>
      %f = keratin.reshape %c : (tensor<1xui32>) -> tensor<ui32>
      return %d, %e, %f : tensor<ui32>, tensor<ui32>, tensor<ui32>
    })",
                               {ints(i64, {(int64_t(3) << 32) + 7}, {})}, context);
  auto word = [](uint32_t block, int number) {
    return "tensor<ui32> " + std::to_string(reference::philox({block, 0, 7, 3}, {2, 1})[number]);
  };
  // 53 = 3 * 16 + 5; 150 = 2 * 64 + 16 + 6
  CHECK(text == word(0, 0) + "\n" + word(5, 3) + "\n" + word(2 * 16 + 6, 1));
}

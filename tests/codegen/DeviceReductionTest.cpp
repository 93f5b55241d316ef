// Reductions, arg-reductions and scans on the device "cuda", at sizes around warps and blocks.
#include "tests/codegen/OnDevice.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

namespace {

const char *const anySizes = "tensor<?x?xf32, #keratin.dims<d0, d1>>";
const std::vector<Dims> sizesAroundWarps = {{1, 1},  {3, 31},  {2, 32},  {5, 33},   {70, 5},
                                            {33, 2}, {9, 257}, {300, 3}, {2, 1025}, {0, 4}};

// softmax along an axis of x, of type `type`.
std::string softmax(const std::string &type, const std::string &row, int axis) {
  std::string reduce = " axes = [" + std::to_string(axis) + "] : (" + type + ") -> " + row + "\n";
  std::string back = " dims = [" + std::to_string(1 - axis) + "] : (" + row + ") -> " + type + "\n";
  std::string two = " : (" + type + ", " + type + ") -> " + type + "\n";
  return type + " {\n  %m = keratin.reduce_max %x" + reduce + "  %mb = keratin.broadcast %m" +
         back + "  %c = keratin.sub %x, %mb" + two + "  %e = keratin.exp %c : (" + type + ") -> " +
         type + "\n  %s = keratin.reduce_sum %e" + reduce + "  %sb = keratin.broadcast %s" + back +
         "  %y = keratin.div %e, %sb" + two + "  return %y : " + type + "\n}\n";
}

} // namespace

TEST_CASE("rows, columns and whole tensors of any size", "[device]") {
  OnDevice all(
      anySizes,
      R"((tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>) {
    %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
    %1 = keratin.reduce_max %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
    %2 = keratin.reduce_sum %x axes = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<f32>
    return %0, %1, %2 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>
  })");
  for (const Dims &dims : sizesAroundWarps)
    all.check(random(dims), dims);
}

TEST_CASE("long sums are divided over blocks, which meet in order", "[device]") {
  OnDevice whole("tensor<?xf32, #keratin.dims<d0>>", R"(tensor<f32> {
    %0 = keratin.reduce_sum %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
  for (int64_t size : {0, 1, 255, 2048, 2049, 30000})
    whole.check(random({size}), {size});
  OnDevice columns("tensor<?x12xf32, #keratin.dims<d0, 12>>", R"(tensor<12xf32> {
    %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x12xf32, #keratin.dims<d0, 12>>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  })");
  for (int64_t size : {1, 63, 520, 3000})
    columns.check(random({size, 12}), {size});
}

TEST_CASE("softmax along either axis, in registers and not", "[device]") {
  for (auto [rows, columns] : std::vector<std::pair<int, int>>{
           {5, 8}, {40, 5}, {3, 100}, {2, 1000}, {2, 999}, {300, 12}, {7, 64}, {100, 3}}) {
    std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    INFO(type);
    HostTensor x = random({rows, columns});
    OnDevice(type, softmax(type, "tensor<" + std::to_string(rows) + "xf32>", 1)).check(x);
    OnDevice(type, softmax(type, "tensor<" + std::to_string(columns) + "xf32>", 0)).check(x);
  }
}

// The largest of each row or column, and the sum of the squares of distances from it.
static std::string distances(const std::string &type, const std::string &row, int axis) {
  std::string reduce = " axes = [" + std::to_string(axis) + "] : (" + type + ") -> " + row + "\n";
  std::string back = " dims = [" + std::to_string(1 - axis) + "] : (" + row + ") -> " + type + "\n";
  std::string two = " : (" + type + ", " + type + ") -> " + type + "\n";
  return "(" + row + ", " + row + ") {\n  %m = keratin.reduce_max %x" + reduce +
         "  %mb = keratin.broadcast %m" + back + "  %c = keratin.sub %x, %mb" + two +
         "  %q = keratin.mul %c, %c" + two + "  %v = keratin.reduce_sum %q" + reduce +
         "  return %m, %v : " + row + ", " + row + "\n}\n";
}

TEST_CASE("reductions of several passes are divided over blocks, one pass after the other",
          "[device]") {
  for (auto [rows, columns] : std::vector<std::pair<int, int>>{{2, 17409}, {1, 40000}}) {
    std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    std::string row = "tensor<" + std::to_string(rows) + "xf32>";
    INFO(type);
    HostTensor x = random({rows, columns});
    OnDevice(type, softmax(type, row, 1)).check(x);
    OnDevice(type, distances(type, row, 1)).check(x);
  }
  // Few columns of known and unknown length, and loose ones among them.
  for (int columns : {8, 33}) {
    std::string type = "tensor<1200x" + std::to_string(columns) + "xf32>";
    std::string row = "tensor<" + std::to_string(columns) + "xf32>";
    INFO(type);
    HostTensor x = random({1200, columns});
    OnDevice(type, softmax(type, row, 0)).check(x);
    OnDevice(type, distances(type, row, 0)).check(x);
  }
  std::string any = "tensor<?x20xf32, #keratin.dims<d0, 20>>";
  OnDevice columns(any, softmax(any, "tensor<20xf32>", 0));
  for (int64_t size : {0, 1, 700})
    columns.check(random({size, 20}), {size});
}

TEST_CASE("several reduced loops, with a value of each", "[device]") {
  OnDevice batch("tensor<9x5x14xf32>", R"(tensor<5xf32> {
    %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<9x5x14xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  })");
  batch.check(random({9, 5, 14}));
  OnDevice outer("tensor<17x3x40x6xf32>", R"(tensor<3x6xf32> {
    %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<17x3x40x6xf32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  })");
  outer.check(random({17, 3, 40, 6}));
}

TEST_CASE("the first of the largest, and of those that are not numbers", "[device]") {
  OnDevice rows(anySizes, R"(tensor<?xi64, #keratin.dims<d0>> {
    %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xi64, #keratin.dims<d0>>
    return %0 : tensor<?xi64, #keratin.dims<d0>>
  })");
  OnDevice columns(anySizes, R"(tensor<?xi64, #keratin.dims<d1>> {
    %0 = keratin.arg_min %x {axis = 0 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xi64, #keratin.dims<d1>>
    return %0 : tensor<?xi64, #keratin.dims<d1>>
  })");
  for (const Dims &dims : sizesAroundWarps) {
    HostTensor x = random(dims);
    for (size_t i = 7; i < x.floats.size(); i += 61)
      x.floats[i] = std::numeric_limits<double>::quiet_NaN();
    rows.check(x, dims);
    if (dims[0])
      columns.check(x, dims);
  }
  OnDevice whole("tensor<20000xf32>", R"(tensor<i64> {
    %0 = keratin.arg_max %x {axis = 0 : i64} : (tensor<20000xf32>) -> tensor<i64>
    return %0 : tensor<i64>
  })");
  whole.check(random({20000})); // many are the largest
}

TEST_CASE("scans along either axis, from both ends", "[device]") {
  for (const char *op : {"cumsum", "cumprod"})
    for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"})
      for (int axis : {0, 1}) {
        std::string type = anySizes;
        std::string text = std::string("keratin.") + op + " %x {axis = " + std::to_string(axis) +
                           " : i64" + flags + "} : (" + type + ") -> " + type;
        INFO(text);
        OnDevice scan(type, type + " {\n  %y = " + text + "\n  return %y : " + type + "\n}\n");
        for (const Dims &dims : {Dims{1, 1}, Dims{3, 31}, Dims{33, 33}, Dims{2, 300}, Dims{40, 3}})
          scan.check(random(dims), dims);
      }
  OnDevice longLine("tensor<2x3000xi32>", R"(tensor<2x3000xi32> {
    %y = keratin.cumsum %x {axis = 1 : i64} : (tensor<2x3000xi32>) -> tensor<2x3000xi32>
    return %y : tensor<2x3000xi32>
  })");
  longLine.check(random({2, 3000}, KERATIN_DTYPE_INT32));
}

TEST_CASE("few long lines are scanned by several blocks, in order", "[device]") {
  auto scanOf = [](const std::string &type, const std::string &op, const std::string &flags) {
    return type + " {\n  %y = keratin." + op + " %x {axis = 1 : i64" + flags + "} : (" + type +
           ") -> " + type + "\n  return %y : " + type + "\n}\n";
  };
  // A tile a part, which stays in registers, of 4 elements a thread and of 8.
  for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"})
    for (int64_t size : {8193, 10240}) {
      std::string type = "tensor<3x" + std::to_string(size) + "xf32>";
      OnDevice(type, scanOf(type, "cumsum", flags)).check(random({3, size}));
    }
  std::string many = "tensor<60x9000xi8>";
  OnDevice(many, scanOf(many, "cumprod", "")).check(random({60, 9000}, KERATIN_DTYPE_INT8));
  // Several tiles a part.
  std::string tiles = "tensor<64x40000xi32>";
  OnDevice(tiles, scanOf(tiles, "cumsum", ", reverse"))
      .check(random({64, 40000}, KERATIN_DTYPE_INT32));
  std::string any = "tensor<2x?xf64, #keratin.dims<2, d0>>";
  OnDevice scan(any, scanOf(any, "cumsum", ", exclusive"));
  for (int64_t size : {0, 1, 1024, 1025, 300000})
    scan.check(random({2, size}, KERATIN_DTYPE_FLOAT64), {size});
}

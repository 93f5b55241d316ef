// Reductions, contractions and whole functions of the reference interpreter.
#include "tests/unit/InterpreterHarness.h"

#include "ir/reference/HostText.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;
using namespace keratin::tests;

static constexpr auto i8 = KERATIN_DTYPE_INT8, i32 = KERATIN_DTYPE_INT32, i64 = KERATIN_DTYPE_INT64,
                      ui8 = KERATIN_DTYPE_UINT8, ui64 = KERATIN_DTYPE_UINT64;

static const HostTensor matrix = floats({1, 2, 3, 4, 5, 6}, {2, 3});

// Over all elements of a vector.
static std::string reduced(const std::string &name, const HostTensor &x) {
  std::string type = stableText(x);
  type = type.substr(0, type.find('>') + 1);
  std::string element = type.substr(type.find('x') + 1);
  return runOp("keratin.reduce_" + name + " %0 axes = [0] : (" + type + ") -> tensor<" + element,
               {x});
}

TEST_CASE("reductions") {
  CHECK(reduced("sum", floats({1, 2, 3.5})) == "tensor<f32> 6.5");
  CHECK(reduced("sum", floats({})) == "tensor<f32> 0");
  CHECK(reduced("sum", floats({kInf, -kInf})) == "tensor<f32> nan");
  CHECK(reduced("sum", ints(i8, {100, 100})) == "tensor<i8> -56");
  CHECK(reduced("prod", floats({2, 3, -4})) == "tensor<f32> -24");
  CHECK(reduced("prod", floats({})) == "tensor<f32> 1");
  CHECK(reduced("prod", ints(ui8, {16, 17})) == "tensor<ui8> 16");
  CHECK(reduced("max", floats({1, 5, 3})) == "tensor<f32> 5");
  CHECK(reduced("max", floats({1, kNan, 3})) == "tensor<f32> nan");
  CHECK(reduced("max", floats({})) == "tensor<f32> -inf");
  CHECK(reduced("max", ints(i8, {})) == "tensor<i8> -128");
  CHECK(reduced("max", ints(ui64, {-1, 1})) == "tensor<ui64> 18446744073709551615");
  CHECK(reduced("min", floats({kNan, 5, 3})) == "tensor<f32> nan");
  CHECK(reduced("min", floats({})) == "tensor<f32> inf");
  CHECK(reduced("min", ints(ui8, {})) == "tensor<ui8> 255");
  CHECK(reduced("min", ints(i64, {-1, 1})) == "tensor<i64> -1");
  CHECK(reduced("any", bools({0, 1, 0})) == "tensor<i1> 1");
  CHECK(reduced("any", bools({})) == "tensor<i1> 0");
  CHECK(reduced("all", bools({0, 1, 0})) == "tensor<i1> 0");
  CHECK(reduced("all", bools({})) == "tensor<i1> 1");
}

TEST_CASE("reductions along some axes") {
  CHECK(runOp("keratin.reduce_sum %0 axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>", {matrix}) ==
        "tensor<3xf32> [5, 7, 9]");
  CHECK(runOp("keratin.reduce_max %0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>", {matrix}) ==
        "tensor<2xf32> [3, 6]");
  CHECK(runOp("keratin.reduce_sum %0 axes = [0, 2] : (tensor<2x3x1xf32>) -> tensor<3xf32>",
              {floats({1, 2, 3, 4, 5, 6}, {2, 3, 1})}) == "tensor<3xf32> [5, 7, 9]");
  CHECK(runOp("keratin.reduce_sum %0 axes = [] : (tensor<2x3xf32>) -> tensor<2x3xf32>", {matrix}) ==
        "tensor<2x3xf32> [[1, 2, 3], [4, 5, 6]]");
  CHECK(runOp("keratin.reduce_prod %0 axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>",
              {floats({}, {2, 0})}) == "tensor<2xf32> [1, 1]");
  CHECK(runOp("keratin.reduce_prod %0 axes = [1] : (tensor<0x2xf32>) -> tensor<0xf32>",
              {floats({}, {0, 2})}) == "tensor<0xf32> []");
}

static std::string argReduced(const std::string &name, const HostTensor &x,
                              const std::string &type) {
  return runOp("keratin." + name + " %0 {axis = 0 : i64} : (" + type + ") -> tensor<i64>", {x})
      .substr(12);
}

TEST_CASE("arg_max and arg_min") {
  CHECK(argReduced("arg_max", floats({1, 3, 3, 2}), "tensor<4xf32>") == "1");
  CHECK(argReduced("arg_min", floats({2, 1, 1, 2}), "tensor<4xf32>") == "1");
  CHECK(argReduced("arg_max", floats({1, kNan, kInf, kNan}), "tensor<4xf32>") == "1");
  CHECK(argReduced("arg_min", floats({1, kNan, -kInf, kNan}), "tensor<4xf32>") == "1");
  CHECK(argReduced("arg_max", ints(ui64, {1, -1}), "tensor<2xui64>") == "1");
  CHECK(argReduced("arg_min", ints(i64, {1, -1}), "tensor<2xi64>") == "1");
  CHECK(argReduced("arg_max", bools({0, 1, 1}), "tensor<3xi1>") == "1");
  CHECK(runOp("keratin.arg_max %0 {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>",
              {floats({1, 9, 3, 7, 5, 6}, {2, 3})}) == "tensor<2xi64> [1, 0]");
  CHECK(runOp("keratin.arg_min %0 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xi64>",
              {floats({1, 9, 3, 7, 5, 6}, {2, 3})}) == "tensor<3xi64> [0, 1, 0]");
}

TEST_CASE("scans") {
  HostTensor x = floats({1, 2, 3, 4});
  CHECK(runUniform("cumsum", {x}, "{axis = 0 : i64}") == "tensor<4xf32> [1, 3, 6, 10]");
  CHECK(runUniform("cumsum", {x}, "{axis = 0 : i64, exclusive}") == "tensor<4xf32> [0, 1, 3, 6]");
  CHECK(runUniform("cumsum", {x}, "{axis = 0 : i64, reverse}") == "tensor<4xf32> [10, 9, 7, 4]");
  CHECK(runUniform("cumsum", {x}, "{axis = 0 : i64, exclusive, reverse}") ==
        "tensor<4xf32> [9, 7, 4, 0]");
  CHECK(runUniform("cumsum", {matrix}, "{axis = 0 : i64}") ==
        "tensor<2x3xf32> [[1, 2, 3], [5, 7, 9]]");
  CHECK(runUniform("cumsum", {ints(i8, {100, 100})}, "{axis = 0 : i64}") ==
        "tensor<2xi8> [100, -56]");
  CHECK(runUniform("cumsum", {floats({}, {3, 0})}, "{axis = 1 : i64}") == "tensor<3x0xf32> []");
  CHECK(runUniform("cumprod", {x}, "{axis = 0 : i64}") == "tensor<4xf32> [1, 2, 6, 24]");
  CHECK(runUniform("cumprod", {x}, "{axis = 0 : i64, exclusive}") == "tensor<4xf32> [1, 1, 2, 6]");
  CHECK(runUniform("cumprod", {matrix}, "{axis = 1 : i64, reverse}") ==
        "tensor<2x3xf32> [[6, 6, 3], [120, 30, 6]]");
  HostTensor a = floats({9, 2, 3, 4}), b = floats({1, 1, 1, 1});
  CHECK(runUniform("linear_recurrence", {a, b}, "{axis = 0 : i64}") ==
        "tensor<4xf32> [1, 3, 10, 41]");
  CHECK(runUniform("linear_recurrence", {a, b}, "{axis = 0 : i64, reverse}") ==
        "tensor<4xf32> [82, 9, 4, 1]");
}

TEST_CASE("dot_general") {
  CHECK(runOp("keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : "
              "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>",
              {matrix, floats({1, 0, 0, 1, 1, 1}, {3, 2})}) ==
        "tensor<2x2xf32> [[4, 5], [10, 11]]");
  CHECK(runOp("keratin.dot_general %0, %1 batch = [1] x [0] contract = [0] x [1] : "
              "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3xf32>",
              {matrix, floats({1, 10, 1, 10, 1, 10}, {3, 2})}) == "tensor<3xf32> [41, 52, 63]");
  // Batch first, then the rest of a, then the rest of b.
  CHECK(runOp("keratin.dot_general %0, %1 batch = [2] x [1] contract = [] x [] : "
              "(tensor<1x2x2xi32>, tensor<3x2xi32>) -> tensor<2x1x2x3xi32>",
              {ints(i32, {1, 2, 3, 4}, {1, 2, 2}), ints(i32, {1, 10, 2, 20, 3, 30}, {3, 2})}) ==
        "tensor<2x1x2x3xi32> [[[[1, 2, 3], [3, 6, 9]]], [[[20, 40, 60], [40, 80, 120]]]]");
  CHECK(runOp("keratin.dot_general %0, %1 batch = [] x [] contract = [0] x [0] : "
              "(tensor<2xi8>, tensor<2xi8>) -> tensor<i8>",
              {ints(i8, {100, 100}), ints(i8, {1, 1})}) == "tensor<i8> -56");
  CHECK(runOp("keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : "
              "(tensor<1x0xf32>, tensor<0x2xf32>) -> tensor<1x2xf32>",
              {floats({}, {1, 0}), floats({}, {0, 2})}) == "tensor<1x2xf32> [[0, 0]]");
}

//===-- Functions -----------------------------------------------------------------------------===//

static const char *const sumOfPart = R"(
  func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, 2*d0>>, %n: tensor<i64> {keratin.symbol = 1})
      -> (tensor<?xf32, #keratin.dims<d1>>, tensor<i64>) {
    %s = keratin.reduce_sum %x axes = [0]
        : (tensor<?x?xf32, #keratin.dims<d0, 2*d0>>) -> tensor<?xf32, #keratin.dims<2*d0>>
    %p = keratin.slice %s starts = <0> strides = [1]
        : (tensor<?xf32, #keratin.dims<2*d0>>) -> tensor<?xf32, #keratin.dims<d1>>
    %d = keratin.dim %x {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, 2*d0>>) -> tensor<i64>
    return %p, %d : tensor<?xf32, #keratin.dims<d1>>, tensor<i64>
  })";

static HostTensor scalar(int64_t value) { return ints(i64, {value}, {}); }

TEST_CASE("symbols get the parts of a scalar of any sign") {
  const char *const module = R"(
    func.func @main(%n: tensor<i64> {keratin.positive_part = 0, keratin.negative_part = 1})
        -> (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d1>>) {
      %p = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
      %q = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d1>>
      return %p, %q : tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d1>>
    })";
  CHECK(runModule(module, {scalar(2)}) == "tensor<2xi64> [0, 1]\ntensor<0xi64> []");
  CHECK(runModule(module, {scalar(-3)}) == "tensor<0xi64> []\ntensor<3xi64> [0, 1, 2]");
  CHECK(runModule(module, {scalar(0)}) == "tensor<0xi64> []\ntensor<0xi64> []");
}

TEST_CASE("symbols get values from sizes and scalars") {
  HostTensor x = floats({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
  CHECK(runModule(sumOfPart, {x, scalar(3)}) == "tensor<3xf32> [6, 8, 10]\ntensor<i64> 4");
  CHECK(runModule(sumOfPart, {x, scalar(0)}) == "tensor<0xf32> []\ntensor<i64> 4");
  CHECK(runModule(sumOfPart, {floats({}, {0, 0}), scalar(0)}) == "tensor<0xf32> []\ntensor<i64> 0");
  CHECK(runModule(sumOfPart, {x, scalar(5)}) ==
        "error: slice: 5 elements from 0 with stride 1 leave dimension 0 of size 4");
  CHECK(runModule(sumOfPart, {x, scalar(-1)}) ==
        "error: argument 1 is a size whose value is -1; needed 0 or more");
  CHECK(runModule(sumOfPart, {x, scalar(INT64_MAX)}) ==
        "error: keratin.slice: a result has more than 268435456 elements");
}

TEST_CASE("arguments must fit the parameters") {
  HostTensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(runModule(sumOfPart, {x, scalar(3)}) ==
        "error: argument 0 has size 3 along axis 1; it must be 2*input_0_dim0");
  CHECK(runModule(sumOfPart, {x}) == "error: found 1 arguments, needs 2");
  CHECK(runModule(sumOfPart, {floats({1}), scalar(3)}).find("element type and rank") !=
        std::string::npos);
  CHECK(
      runModule(sumOfPart, {ints(i32, {1, 2}, {1, 2}), scalar(3)}).find("element type and rank") !=
      std::string::npos);
  CHECK(runModule(sumOfPart, {floats({1, 2, 3}, {1, 2}), scalar(3)}) ==
        "error: argument 0 does not hold as many elements as its dimensions say");
  EvaluationContext context;
  context.symbols[1] = 2;
  CHECK(runModule(sumOfPart, {floats({1, 2}, {1, 2}), scalar(1)}, context) ==
        "error: input_1_value is 2 and 1");
}

TEST_CASE("sizes known only at run time are checked") {
  const char *reshape = R"(
    func.func @main(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x3xf32> {
      %y = keratin.reshape %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    })";
  CHECK(runModule(reshape, {floats({1, 2, 3, 4, 5, 6})}) ==
        "tensor<2x3xf32> [[1, 2, 3], [4, 5, 6]]");
  CHECK(runModule(reshape, {floats({1, 2, 3, 4, 5})}) ==
        "error: reshape: 5 elements do not fit a shape of 6");
  const char *pad = R"(
    func.func @main(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<4xf32> {
      %y = keratin.pad %x low = <d0> interior = [1]
          : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    })";
  CHECK(runModule(pad, {floats({7})}) == "tensor<4xf32> [0, 7, 0, 0]");
  CHECK(runModule(pad, {floats({7, 8})}) ==
        "error: pad: 2 elements after 2 with 1 between do not fit dimension 0 of size 4");
  const char *argMax = R"(
    func.func @main(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64> {
      %y = keratin.arg_max %x {axis = 0 : i64}
          : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64>
      return %y : tensor<i64>
    })";
  CHECK(runModule(argMax, {floats({7, 8})}) == "tensor<i64> 1");
  CHECK(runModule(argMax, {floats({})}) == "error: arg_max: the axis is empty");
  CHECK(runModule(R"(
    func.func @main() -> tensor<?xf32, #keratin.dims<d5>> {
      %y = keratin.iota {axis = 0 : i64} : tensor<?xf32, #keratin.dims<d5>>
      return %y : tensor<?xf32, #keratin.dims<d5>>
    })",
                  {}) == "error: keratin.iota: size d5 has no value");
}

static std::string required(const std::string &kind, int64_t lhs, int64_t rhs) {
  EvaluationContext context;
  context.symbols = {{0, lhs}, {1, rhs}};
  return runModule("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = keratin.require " +
                       kind +
                       " <d0, 1> <d1, 1> \"sizes differ\" %x : (tensor<f32>) -> tensor<f32>\n"
                       "  return %y : tensor<f32>\n}",
                   {floats({5}, {})}, context);
}

TEST_CASE("require") {
  const std::string good = "tensor<f32> 5", bad = "error: sizes differ";
  CHECK(required("equal", 3, 3) == good);
  CHECK(required("equal", 1, 3) == bad);
  CHECK(required("broadcast", 3, 3) == good);
  CHECK(required("broadcast", 1, 3) == good);
  CHECK(required("broadcast", 3, 1) == bad);
  CHECK(required("at_least", 3, 3) == good);
  CHECK(required("at_least", 4, 3) == good);
  CHECK(required("at_least", 2, 3) == bad);
}

TEST_CASE("kernels run as the ops they hold") {
  CHECK(runModule(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = keratin.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %k:2 = keratin.kernel (%a, %x)
          : (tensor<2xf32>, tensor<2xf32>)
          -> (tensor<2xf32>, tensor<2xf32>) {
      ^bb0(%b: tensor<2xf32>, %c: tensor<2xf32>):
        %0 = keratin.mul %b, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %1 = keratin.neg %0 : (tensor<2xf32>) -> tensor<2xf32>
        keratin.yield %0, %1 : tensor<2xf32>, tensor<2xf32>
      }
      %y = keratin.sub %k#0, %k#1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                  {floats({1, 3})}) == "tensor<2xf32> [4, 36]");
}

TEST_CASE("prints come in order, as NumPy prints") {
  EvaluationContext context;
  CHECK(runModule(R"(
    func.func @main(%x: tensor<2x2xf32>, %i: tensor<2xi32>, %s: tensor<f32>, %b: tensor<2xi1>)
        -> tensor<2x2xf32> {
      %p = keratin.print "x =" %x : tensor<2x2xf32>
      %q = keratin.print "i =" %i : tensor<2xi32>
      %r = keratin.print "s =" %s : tensor<f32>
      %t = keratin.print "b =" %b : tensor<2xi1>
      %y = keratin.depend %p, %q, %r, %t
          : (tensor<2x2xf32>, tensor<2xi32>, tensor<f32>, tensor<2xi1>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })",
                  {floats({1, 2.5, -10, kNan}, {2, 2}), ints(i32, {5, -10}), floats({0.1}, {}),
                   bools({1, 0})},
                  context) == "tensor<2x2xf32> [[1, 2.5], [-10, nan]]");
  CHECK(context.output == "x = [[  1.    2.5]\n [-10.    nan]]\ni = [  5 -10]\ns = 0.1\n"
                          "b = [ True False]\n");
}

TEST_CASE("NumPy's text") {
  CHECK(numpyText(floats({1.5, kNan})) == "[1.5 nan]");
  CHECK(numpyText(floats({1, -kInf})) == "[  1. -inf]");
  CHECK(numpyText(floats({0.1, 100}, {2}, KERATIN_DTYPE_FLOAT64)) == "[  0.1 100. ]");
  CHECK(numpyText(floats({1}, {})) == "1.0");
  CHECK(numpyText(ints(ui64, {-1, 2}, {2, 1})) ==
        "[[18446744073709551615]\n [                   2]]");
  CHECK(numpyText(ints(i32, {1, 2}, {2, 1, 1})) == "[[[1]]\n\n [[2]]]");
  CHECK(numpyText(floats({})) == "[]");
}

TEST_CASE("what a function no longer has when it runs is refused") {
  CHECK(runOp("keratin.placeholder 0 \"x\" : tensor<2xf32>") ==
        "error: placeholder: is made an argument before a function runs");
  CHECK(runOp("keratin.variable 0 \"w\" : tensor<2xf32>") ==
        "error: variable: is made an argument before a function runs");
  CHECK(runOp("keratin.literal 0 : tensor<2xf32>") ==
        "error: literal: is made an argument before a function runs");
  CHECK(runOp("keratin.gradients %0 wrt %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>",
              {floats({1}, {})}) == "error: gradients: is expanded before a function runs");
  CHECK(runOp("keratin.update assign %0, %0 : tensor<f32>", {floats({1}, {})}) ==
        "error: update: is made a result before a function runs");
  CHECK(runModule("func.func private @main(%x: tensor<f32>) -> tensor<f32>", {floats({1}, {})}) ==
        "error: the function must have one block");
}

// Elementwise ops of the reference interpreter, against numbers computed by hand.
#include "tests/unit/InterpreterHarness.h"

#include "ir/reference/ElementMath.h"
#include "ir/reference/HostConversions.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace keratin::ir;
using namespace keratin::tests;

static constexpr auto i8 = KERATIN_DTYPE_INT8, i32 = KERATIN_DTYPE_INT32, i64 = KERATIN_DTYPE_INT64,
                      ui8 = KERATIN_DTYPE_UINT8, ui16 = KERATIN_DTYPE_UINT16,
                      ui32 = KERATIN_DTYPE_UINT32, ui64 = KERATIN_DTYPE_UINT64;

static std::string unary(const std::string &name, std::vector<double> elements) {
  return runUniform(name, {floats(std::move(elements))});
}
static std::string unary(const std::string &name, keratin_dtype_t dtype,
                         std::vector<int64_t> elements) {
  return runUniform(name, {ints(dtype, std::move(elements))});
}
static std::string binary(const std::string &name, std::vector<double> a, std::vector<double> b) {
  return runUniform(name, {floats(std::move(a)), floats(std::move(b))});
}
static std::string binary(const std::string &name, keratin_dtype_t dtype, std::vector<int64_t> a,
                          std::vector<int64_t> b) {
  return runUniform(name, {ints(dtype, std::move(a)), ints(dtype, std::move(b))});
}

TEST_CASE("unary ops on floats") {
  CHECK(unary("neg", {1, -2, kInf, kNan}) == "tensor<4xf32> [-1, 2, -inf, nan]");
  CHECK(unary("abs", {-1.5, 0, -kInf, kNan}) == "tensor<4xf32> [1.5, 0, inf, nan]");
  CHECK(unary("sign", {-3, 0, 0.5, -kInf, kNan}) == "tensor<5xf32> [-1, 0, 1, -1, nan]");
  CHECK(unary("round", {0.5, 1.5, 2.5, -0.5, -1.5, 2.4, kInf}) ==
        "tensor<7xf32> [0, 2, 2, 0, -2, 2, inf]");
  CHECK(unary("floor", {1.5, -1.5, kNan}) == "tensor<3xf32> [1, -2, nan]");
  CHECK(unary("ceil", {1.5, -1.5, -kInf}) == "tensor<3xf32> [2, -1, -inf]");
  CHECK(unary("exp", {0, 1, -kInf, kInf}) == "tensor<4xf32> [1, 2.71828, 0, inf]");
  CHECK(unary("expm1", {0, 1e-10, -kInf}) == "tensor<3xf32> [0, 1e-10, -1]");
  CHECK(unary("log", {1, 0, -1, kInf}) == "tensor<4xf32> [0, -inf, nan, inf]");
  CHECK(unary("log1p", {0, 1e-10, -1, -2}) == "tensor<4xf32> [0, 1e-10, -inf, nan]");
  CHECK(unary("sqrt", {4, 0, -1, kInf}) == "tensor<4xf32> [2, 0, nan, inf]");
  CHECK(unary("rsqrt", {4, 0, kInf}) == "tensor<3xf32> [0.5, inf, 0]");
  CHECK(unary("sin", {0, 1, kInf}) == "tensor<3xf32> [0, 0.841471, nan]");
  CHECK(unary("cos", {0, 1, kNan}) == "tensor<3xf32> [1, 0.540302, nan]");
  CHECK(unary("tanh", {0, 1, -kInf}) == "tensor<3xf32> [0, 0.761594, -1]");
  CHECK(unary("logistic", {0, 1, -1000, 1000, kNan}) == "tensor<5xf32> [0.5, 0.731059, 0, 1, nan]");
  CHECK(unary("softplus", {0, -1000, 1000, kInf, -kInf, kNan}) ==
        "tensor<6xf32> [0.693147, 0, 1000, inf, 0, nan]");
  CHECK(unary("identity", {1, kNan}) == "tensor<2xf32> [1, nan]");
  CHECK(unary("stop_gradient", {1, kNan}) == "tensor<2xf32> [1, nan]");
  CHECK(runOp("keratin.is_finite %0 : (tensor<4xf32>) -> tensor<4xi1>",
              {floats({1, kInf, -kInf, kNan})}) == "tensor<4xi1> [1, 0, 0, 0]");
}

TEST_CASE("unary ops on integers and bools") {
  CHECK(unary("neg", i8, {1, -128, 127}) == "tensor<3xi8> [-1, -128, -127]");
  CHECK(unary("neg", ui8, {1, 0}) == "tensor<2xui8> [255, 0]");
  CHECK(unary("abs", i8, {-5, -128}) == "tensor<2xi8> [5, -128]");
  CHECK(unary("abs", ui8, {200}) == "tensor<1xui8> [200]");
  CHECK(unary("sign", i32, {-7, 0, 9}) == "tensor<3xi32> [-1, 0, 1]");
  CHECK(unary("sign", ui64, {-1, 0}) == "tensor<2xui64> [1, 0]"); // 2^64 - 1 is positive
  CHECK(unary("round", i64, {INT64_MAX}) == "tensor<1xi64> [9223372036854775807]");
  CHECK(unary("not", KERATIN_DTYPE_BOOL, {0, 1}) == "tensor<2xi1> [1, 0]");
  CHECK(unary("not", i8, {0, -1, 5}) == "tensor<3xi8> [-1, 0, -6]");
  CHECK(unary("not", ui16, {0, 1}) == "tensor<2xui16> [65535, 65534]");
}

TEST_CASE("sums, differences and products wrap") {
  CHECK(binary("add", {1, kInf, kInf}, {2, 1, -kInf}) == "tensor<3xf32> [3, inf, nan]");
  CHECK(binary("add", i8, {127, -128}, {1, -1}) == "tensor<2xi8> [-128, 127]");
  CHECK(binary("add", ui8, {255}, {1}) == "tensor<1xui8> [0]");
  CHECK(binary("add", i64, {INT64_MAX}, {1}) == "tensor<1xi64> [-9223372036854775808]");
  CHECK(binary("sub", {1, kInf}, {2, kInf}) == "tensor<2xf32> [-1, nan]");
  CHECK(binary("sub", ui32, {0}, {1}) == "tensor<1xui32> [4294967295]");
  CHECK(binary("sub", i32, {INT32_MIN}, {1}) == "tensor<1xi32> [2147483647]");
  CHECK(binary("mul", {3, 0, kNan}, {-2, kInf, 0}) == "tensor<3xf32> [-6, nan, nan]");
  CHECK(binary("mul", ui16, {65535}, {65535}) == "tensor<1xui16> [1]");
  CHECK(binary("mul", i64, {INT64_MIN}, {-1}) == "tensor<1xi64> [-9223372036854775808]");
  CHECK(binary("mul", ui64, {int64_t(1) << 63}, {3}) == "tensor<1xui64> [9223372036854775808]");
}

TEST_CASE("quotients and remainders") {
  CHECK(binary("div", {1, 1, -1, 0}, {4, 0, 0, 0}) == "tensor<4xf32> [0.25, inf, -inf, nan]");
  CHECK(binary("floor_div", {7, -7, 1}, {2, 2, 0}) == "tensor<3xf32> [3, -4, inf]");
  CHECK(binary("floor_div", i32, {7, -7, 7, -7, 5, INT32_MIN}, {2, 2, -2, -2, 0, -1}) ==
        "tensor<6xi32> [3, -4, -4, 3, 0, -2147483648]");
  CHECK(binary("floor_div", i64, {INT64_MIN, INT64_MIN}, {-1, 1}) ==
        "tensor<2xi64> [-9223372036854775808, -9223372036854775808]");
  CHECK(binary("floor_div", ui64, {-1, 5}, {2, 0}) == "tensor<2xui64> [9223372036854775807, 0]");
  CHECK(binary("mod", {7, -7, 7, -7, 1}, {3, 3, -3, -3, 0}) == "tensor<5xf32> [1, 2, -2, -1, nan]");
  CHECK(binary("mod", i32, {7, -7, 7, -7, 5, INT32_MIN}, {3, 3, -3, -3, 0, -1}) ==
        "tensor<6xi32> [1, 2, -2, -1, 0, 0]");
  CHECK(binary("mod", ui8, {255, 9}, {10, 0}) == "tensor<2xui8> [5, 0]");
}

TEST_CASE("quotients and remainders of floats are Python's") {
  using reference::floorDiv, reference::floorMod;
  CHECK(floorMod(1e10, 3.0) == 1);
  CHECK(floorMod(1e300, 7.0) == 1);
  CHECK(floorMod(1e300, -7.0) == -6);
  CHECK(floorMod(1.0, 0.1) == 0.09999999999999995);
  CHECK(floorMod(5.25, kInf) == 5.25);
  CHECK(floorMod(-5.0, kInf) == kInf);
  CHECK(std::signbit(floorMod(6.0, -3.0)));
  CHECK(!std::signbit(floorMod(-6.0, 3.0)));
  CHECK(std::isnan(floorMod(kInf, 3.0)));
  CHECK(std::isnan(floorMod(1.0, 0.0)));
  // Where a / b is rounded to a whole number, or to 0.
  CHECK(floorDiv(1.0, 0.1) == 9);
  CHECK(floorDiv(-1.0, 0.1) == -10);
  CHECK(floorDiv(-1e-300, 1e300) == -1);
  CHECK(floorDiv(-5.0, kInf) == -1);
  CHECK(floorDiv(1e300, 1e-300) == kInf);
}

TEST_CASE("powers") {
  CHECK(binary("pow", {2, 2, -2, 0, kNan, 4, -1}, {3, -1, 3, 0, 0, 0.5, 0.5}) ==
        "tensor<7xf32> [8, 0.5, -8, 1, 1, 2, nan]");
  CHECK(binary("pow", i32, {2, -3, 0, 5, 1, 2}, {10, 3, 0, -1, -1, 31}) ==
        "tensor<6xi32> [1024, -27, 1, 0, 0, -2147483648]");
  CHECK(binary("pow", ui8, {3, 2}, {5, 200}) == "tensor<2xui8> [243, 0]");
  CHECK(binary("pow", ui64, {3}, {-1}) == "tensor<1xui64> [12297829382473034411]"); // 3^(2^64-1)
}

TEST_CASE("maximum and minimum") {
  CHECK(binary("maximum", {1, kNan, 1, -kInf}, {2, 1, kNan, kInf}) ==
        "tensor<4xf32> [2, nan, nan, inf]");
  CHECK(binary("minimum", {1, kNan, 1, -kInf}, {2, 1, kNan, kInf}) ==
        "tensor<4xf32> [1, nan, nan, -inf]");
  CHECK(binary("maximum", ui64, {-1}, {1}) == "tensor<1xui64> [18446744073709551615]");
  CHECK(binary("minimum", i8, {-128, 3}, {127, 2}) == "tensor<2xi8> [-128, 2]");
}

TEST_CASE("bits") {
  CHECK(binary("and", KERATIN_DTYPE_BOOL, {0, 0, 1, 1}, {0, 1, 0, 1}) ==
        "tensor<4xi1> [0, 0, 0, 1]");
  CHECK(binary("or", KERATIN_DTYPE_BOOL, {0, 0, 1, 1}, {0, 1, 0, 1}) ==
        "tensor<4xi1> [0, 1, 1, 1]");
  CHECK(binary("xor", KERATIN_DTYPE_BOOL, {0, 0, 1, 1}, {0, 1, 0, 1}) ==
        "tensor<4xi1> [0, 1, 1, 0]");
  CHECK(binary("and", i8, {-1, 12}, {7, 10}) == "tensor<2xi8> [7, 8]");
  CHECK(binary("or", ui8, {128, 12}, {1, 10}) == "tensor<2xui8> [129, 14]");
  CHECK(binary("xor", i8, {-1, 12}, {7, 10}) == "tensor<2xi8> [-8, 6]");
  CHECK(binary("shift_left", i8, {1, 1, 1, 1, 3}, {0, 7, 8, -1, 6}) ==
        "tensor<5xi8> [1, -128, 0, 0, -64]");
  CHECK(binary("shift_left", ui64, {1, 1}, {63, 64}) == "tensor<2xui64> [9223372036854775808, 0]");
  CHECK(binary("shift_right", i8, {-128, -1, -1, -1}, {7, 4, 8, -1}) ==
        "tensor<4xi8> [1, 15, 0, 0]");
  CHECK(binary("shift_right", ui32, {4294967295}, {31}) == "tensor<1xui32> [1]");
}

static std::string compared(const std::string &direction) {
  return runOp("keratin.compare " + direction +
                   " %0, %1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>",
               {floats({1, 2, 2, kNan, kNan}), floats({2, 2, 1, 1, kNan})})
      .substr(13);
}

TEST_CASE("comparisons") {
  CHECK(compared("eq") == "[0, 1, 0, 0, 0]");
  CHECK(compared("ne") == "[1, 0, 1, 1, 1]");
  CHECK(compared("lt") == "[1, 0, 0, 0, 0]");
  CHECK(compared("le") == "[1, 1, 0, 0, 0]");
  CHECK(compared("gt") == "[0, 0, 1, 0, 0]");
  CHECK(compared("ge") == "[0, 1, 1, 0, 0]");
  CHECK(runOp("keratin.compare lt %0, %1 : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xi1>",
              {ints(ui64, {-1, 1}), ints(ui64, {1, -1})}) == "tensor<2xi1> [0, 1]");
  CHECK(runOp("keratin.compare lt %0, %1 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>",
              {ints(i64, {-1, 1}), ints(i64, {1, -1})}) == "tensor<2xi1> [1, 0]");
}

TEST_CASE("select takes nothing of what it does not choose") {
  CHECK(runOp("keratin.select %0, %1, %2 : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> "
              "tensor<3xf32>",
              {bools({1, 0, 1}), floats({1, kNan, 3}), floats({kNan, 5, 6})}) ==
        "tensor<3xf32> [1, 5, 3]");
  CHECK(runOp("keratin.select %0, %1, %2 : (tensor<2xi1>, tensor<2xi8>, tensor<2xi8>) -> "
              "tensor<2xi8>",
              {bools({1, 0}), ints(i8, {1, 2}), ints(i8, {3, 4})}) == "tensor<2xi8> [1, 4]");
}

//===-- Casts ---------------------------------------------------------------------------------===//

static double castFloat(keratin_dtype_t from, double value, keratin_dtype_t to) {
  return castElement(from, {value, 0}, to).floating;
}
static int64_t castToInt(double value, keratin_dtype_t to) {
  return castElement(KERATIN_DTYPE_FLOAT64, {value, 0}, to).integer;
}
static double castFromInt(keratin_dtype_t from, int64_t value, keratin_dtype_t to) {
  return castElement(from, {0, value}, to).floating;
}

TEST_CASE("casts between floats round once, to even") {
  auto f64 = KERATIN_DTYPE_FLOAT64, f32 = KERATIN_DTYPE_FLOAT32, f16 = KERATIN_DTYPE_FLOAT16,
       bf16 = KERATIN_DTYPE_BFLOAT16;
  CHECK(castFloat(f64, 1 + 0x1p-11, f16) == 1);                     // a tie, down to even
  CHECK(castFloat(f64, 1 + 0x3p-11, f16) == 1 + 0x2p-10);           // a tie, up to even
  CHECK(castFloat(f64, 1 + 0x1p-11 + 0x1p-40, f16) == 1 + 0x1p-10); // through f32: 1
  CHECK(castFloat(f64, 65519.99, f16) == 65504);
  CHECK(castFloat(f64, 65520, f16) == kInf);
  CHECK(castFloat(f64, 0x1p-24, f16) == 0x1p-24); // subnormal
  CHECK(castFloat(f64, 0x1p-25, f16) == 0);
  CHECK(castFloat(f32, 1 + 0x1p-8, bf16) == 1);
  CHECK(castFloat(f32, 1 + 0x3p-8, bf16) == 1 + 0x1p-6);
  CHECK(castFloat(f64, 3.4e38, bf16) == kInf);
  CHECK(castFloat(f64, 0.1, f32) == double(0.1f));
  CHECK(castFloat(f64, 0.1, f64) == 0.1);
  CHECK(castFloat(f64, -kInf, f16) == -kInf);
  CHECK(std::isnan(castFloat(f64, kNan, bf16)));
  CHECK(std::signbit(castFloat(f64, -0.0, f16)));
}

TEST_CASE("casts from float to integer truncate and saturate") {
  CHECK(castToInt(2.9, i32) == 2);
  CHECK(castToInt(-2.9, i32) == -2);
  CHECK(castToInt(kNan, i8) == 0);
  CHECK(castToInt(128, i8) == 127);
  CHECK(castToInt(-129, i8) == -128);
  CHECK(castToInt(-128.9, i8) == -128);
  CHECK(castToInt(255.9, ui8) == 255);
  CHECK(castToInt(-0.5, ui8) == 0);
  CHECK(castToInt(kInf, i64) == INT64_MAX);
  CHECK(castToInt(-kInf, i64) == INT64_MIN);
  CHECK(castToInt(0x1p63, i64) == INT64_MAX);
  CHECK(castToInt(0x1p63, ui64) == INT64_MIN); // the bits of 2^63
  CHECK(castToInt(0x1p64, ui64) == -1);
  CHECK(castToInt(-1, ui64) == 0);
  CHECK(castToInt(0, KERATIN_DTYPE_BOOL) == 0);
  CHECK(castToInt(-0.1, KERATIN_DTYPE_BOOL) == 1);
  CHECK(castToInt(kNan, KERATIN_DTYPE_BOOL) == 1);
}

TEST_CASE("casts from integers") {
  CHECK(castFromInt(i64, -3, KERATIN_DTYPE_FLOAT32) == -3);
  CHECK(castFromInt(ui64, -1, KERATIN_DTYPE_FLOAT64) == 0x1p64);
  CHECK(castFromInt(i32, 65520, KERATIN_DTYPE_FLOAT16) == kInf);
  // Through double this would be a tie and go down.
  CHECK(castFromInt(i64, (int64_t(1) << 60) + (int64_t(1) << 36) + 1, KERATIN_DTYPE_FLOAT32) ==
        0x1p60 + 0x1p37);
  CHECK(castFromInt(KERATIN_DTYPE_BOOL, 1, KERATIN_DTYPE_BFLOAT16) == 1);
  CHECK(castElement(i32, {0, 300}, ui8).integer == 44);
  CHECK(castElement(i32, {0, -1}, ui16).integer == 65535);
  CHECK(castElement(ui64, {0, -1}, i8).integer == -1);
  CHECK(castElement(i32, {0, 256}, KERATIN_DTYPE_BOOL).integer == 1);
}

TEST_CASE("keratin.cast") {
  CHECK(runOp("keratin.cast %0 : (tensor<3xf32>) -> tensor<3xi8>", {floats({300, -1.5, kNan})}) ==
        "tensor<3xi8> [127, -1, 0]");
  CHECK(runOp("keratin.cast %0 : (tensor<2xi1>) -> tensor<2xf16>", {bools({0, 1})}) ==
        "tensor<2xf16> [0, 1]");
  CHECK(runOp("keratin.cast %0 : (tensor<2xf32>) -> tensor<2xf16>", {floats({1e5, 0.1})}) ==
        "tensor<2xf16> [inf, 0.0999756]");
}

TEST_CASE("bytes and attributes hold what tensors hold") {
  float values[] = {1.5f, -0.0f, float(kInf)};
  std::optional<HostTensor> tensor = fromBytes(KERATIN_DTYPE_FLOAT32, {3}, values);
  REQUIRE(tensor);
  CHECK(tensor->floats == std::vector<double>{1.5, 0, kInf});
  CHECK(toBytes(*tensor) ==
        std::vector<char>((const char *)values, (const char *)values + sizeof values));

  uint16_t halves[] = {0x3C00, 0x3555, 0xFC00, 0x0001};
  tensor = fromBytes(KERATIN_DTYPE_FLOAT16, {4}, halves);
  REQUIRE(tensor);
  CHECK(tensor->floats == std::vector<double>{1, 0x1.554p-2, -kInf, 0x1p-24});
  CHECK(toBytes(*tensor) == std::vector<char>((char *)halves, (char *)halves + sizeof halves));

  int8_t bytes[] = {-1, 2};
  CHECK(fromBytes(i8, {2}, bytes)->ints == std::vector<int64_t>{-1, 2});
  CHECK(fromBytes(ui8, {2}, bytes)->ints == std::vector<int64_t>{255, 2});
  CHECK(fromBytes(KERATIN_DTYPE_BOOL, {2}, bytes)->ints == std::vector<int64_t>{1, 1});
  CHECK_FALSE(makeHostTensor(i8, {int64_t(1) << 40, int64_t(1) << 40}));
  CHECK_FALSE(makeHostTensor(i8, {0, -1}));
  CHECK(makeHostTensor(i8, {int64_t(1) << 40, int64_t(1) << 40, 0})->size() == 0);
}

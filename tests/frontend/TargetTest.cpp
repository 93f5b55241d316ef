// FunctionOptions::target.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>

using namespace keratin;

static Function compileFor(const char *target) {
  Tensor x = K::placeholder({3});
  FunctionOptions options;
  options.target = target;
  return K::function({x}, {K::tanh(x) * 2.0}, {}, "", options);
}

TEST_CASE("a function is compiled for the target of that name", "[function]") {
  Array x{0.5, -1.0, 2.0};
  checkArray(compileFor("cpu")({x})[0], compileFor(FunctionOptions().target.c_str())({x})[0]);
}

static Function multiply(const std::string &products) {
  Tensor x = K::placeholder({8, 8}), y = K::placeholder({8, 8});
  FunctionOptions options;
  options.float32Products = products;
  return K::function({x, y}, {K::dot(x, y)}, {}, "", options);
}

// A diagonal of ones: each product is a factor, rounded to 11 significant bits where the device has
// units for that, ties away from zero.
TEST_CASE("products of float32 are rounded to tf32 where that is allowed and helps", "[function]") {
  const float exact[] = {
      1 + 0x1p-10f,   1 + 0x1p-11f, 1 + 0x1.fp-12f, -1 - 0x1p-11f, 0x1.002002p5f, 0x1.0061p-3f, 3,
      -0x1.fffffep20f};
  const float rounded[] = {1 + 0x1p-10f, 1 + 0x1p-10f, 1, -1 - 0x1p-10f,
                           0x1.004p5f,   0x1.008p-3f,  3, -0x1p21f};
  Array x = Array::zeros(DType::Float32, {8, 8}), one = x;
  for (int i = 0; i < 8; ++i) {
    x.data<float>()[9 * i] = exact[i];
    one.data<float>()[9 * i] = 1;
  }
  bool isRounded = K::device() == "cuda" && !std::getenv("KERATIN_TEST_PROGRAM");
  Array allowed = multiply("tf32")({x, one})[0], plain = multiply("float32")({x, one})[0];
  for (int i = 0; i < 8; ++i) {
    CHECK(plain.data<float>()[9 * i] == exact[i]);
    CHECK(allowed.data<float>()[9 * i] == (isRounded ? rounded[i] : exact[i]));
  }
}

TEST_CASE("products of float32 are of a precision that there is", "[function]") {
  CHECK(errorOf<ValueError>([] {
          multiply("fp16");
        }).find("function: float32Products is 'fp16'; needed 'float32' or 'tf32'; at ") == 0);
}

TEST_CASE("products of mixed precision are of bfloat16 numbers", "[function]") {
  Tensor x = K::placeholder({1, 1}), y = K::placeholder({1, 1});
  auto product = [&](const char *precision) {
    return K::function({x, y}, {K::dot(x, y)}, {}, "", {.precision = precision});
  };
  Array one = Array::zeros(DType::Float32, {1, 1}), fine = one;
  one.data<float>()[0] = 1;
  fine.data<float>()[0] = 1 + 0x1p-9f;
  CHECK(product("mixed_bf16")({fine, one})[0].data<float>()[0] == 1);
  CHECK(product("float32")({fine, one})[0].data<float>()[0] == 1 + 0x1p-9f);
  CHECK(errorOf<ValueError>([&] {
          product("half");
        }).find("function: precision is 'half'; needed 'float32' or 'mixed_bf16'; at ") == 0);
}

TEST_CASE("an unknown target is refused with those that there are", "[function]") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  CHECK(errorOf<ValueError>([] {
          compileFor("abacus");
        }).find("unknown target 'abacus'; known targets: cpu, cuda") != std::string::npos);
}

// Dtypes of results (spec 0.3) and conversion of arguments (0.1).
#include "tests/frontend/FrontendTest.h"

static Tensor input(const char *dtype) { return K::placeholder({2}, None, dtype); }

TEST_CASE("numbers take the tensor's dtype") {
  CHECK((input("float64") + 1).dtype() == DType::Float64);
  CHECK((1.5 + input("float16")).dtype() == DType::Float16);
  CHECK((input("int8") + 1).dtype() == DType::Int8);
  CHECK((input("uint64") + true).dtype() == DType::UInt64);
}

TEST_CASE("a float with an integer tensor makes floatx, numbers widen bool") {
  CHECK((input("int32") * 0.5).dtype() == DType::Float32);
  CHECK((input("bool") + 1).dtype() == DType::Int32);
  CHECK((input("bool") * 1.5).dtype() == DType::Float32);
  K::set_floatx("float64");
  CHECK((input("int32") * 0.5).dtype() == DType::Float64);
  K::set_floatx("float32");
}

TEST_CASE("two tensors promote") {
  struct {
    const char *a, *b;
    DType result;
  } const cases[] = {
      {"float32", "float64", DType::Float64},  {"float16", "float32", DType::Float32},
      {"int8", "int32", DType::Int32},         {"uint8", "int8", DType::Int16},
      {"uint32", "int32", DType::Int64},       {"uint64", "int64", DType::Int64},
      {"uint16", "uint8", DType::UInt16},      {"int64", "float16", DType::Float16},
      {"bool", "int16", DType::Int16},         {"bool", "float32", DType::Float32},
      {"float16", "bfloat16", DType::Float32}, {"bool", "bool", DType::Bool}};
  for (const auto &[a, b, result] : cases) {
    INFO(a << " and " << b);
    CHECK((input(a) + input(b)).dtype() == result);
    CHECK((input(b) + input(a)).dtype() == result);
  }
}

TEST_CASE("bools stay bools") {
  Tensor a = K::placeholder({4}, None, "bool"), b = K::placeholder({4}, None, "bool");
  Array left{true, true, false, false}, right{true, false, true, false};
  auto check = [&](const Tensor &result, const Array &expected) {
    REQUIRE(result.dtype() == DType::Bool);
    checkArray(K::function({a, b}, {result})({left, right})[0], expected);
  };
  // The number that comes out is true where it is not 0.
  check(a + b, Array{true, true, true, false});
  check(a - b, Array{false, true, true, false});
  check(a * b, Array{true, false, false, false});
  check(K::pow(a, b), Array{true, true, false, true});
  check(K::maximum(a, b), Array{true, true, true, false});
  check(K::minimum(a, b), Array{true, false, false, false});
  check(a + true, Array{true, true, true, true});
  check(true * a, left);
  for (const Tensor &same : {-a, K::abs(a), K::sign(a), K::square(a), K::round(a)})
    check(same, left);
  CHECK((a % b).dtype() == DType::Bool);
  check(K::cumsum(a - b), Array{false, true, true, true});
  check(K::cumprod(a + b), Array{true, true, true, false});
  Tensor rows = K::reshape(a, {2, 2}), columns = K::reshape(b, {2, 2});
  check(K::flatten(K::dot(rows, columns)), Array{true, false, false, false});
  check(K::flatten(K::dot(columns, K::reshape(a, {4})[keratin::Slice(0, 2)])), Array{true, true});
  check(K::dot(a, true), left);
  check(K::flatten(K::batch_dot(rows, columns, {1, 1})), Array{true, false});
  // True division and numbers of other kinds leave them.
  CHECK((a / b).dtype() == DType::Float32);
  CHECK((a + 1).dtype() == DType::Int32);
  CHECK((1.5 - a).dtype() == DType::Float32);
  CHECK((a + K::placeholder({4}, None, "uint8")).dtype() == DType::UInt8);
  CHECK(K::exp(a).dtype() == DType::Float32);
  CHECK((a < b).dtype() == DType::Bool);
  checkArray(K::function({a, b}, {a < b})({left, right})[0], Array{false, false, true, false});
}

TEST_CASE("arrays follow the tensor of the same kind") {
  CHECK((input("float32") + Array{1.0, 2.0}).dtype() == DType::Float32);
  CHECK((input("int8") + Array{1, 2}).dtype() == DType::Int8);
  CHECK((input("int32") + Array{1.0, 2.0}).dtype() == DType::Float32);
}

TEST_CASE("true division of integers and comparisons") {
  CHECK((input("int32") / input("int64")).dtype() == DType::Float32);
  CHECK((input("int32") < 3).dtype() == DType::Bool);
  CHECK(K::equal(input("bool"), true).dtype() == DType::Bool);
}

TEST_CASE("functions of floats cast integers") {
  CHECK(K::exp(input("int32")).dtype() == DType::Float32);
  CHECK(K::exp(input("float64")).dtype() == DType::Float64);
  CHECK(K::mean(input("bool")).dtype() == DType::Float32);
  CHECK(K::sum(input("bool")).dtype() == DType::Int32);
  CHECK(K::abs(input("int8")).dtype() == DType::Int8);
  CHECK(K::argmax(input("float16")).dtype() == DType::Int64);
  CHECK(K::any(input("float32")).dtype() == DType::Bool);
}

TEST_CASE("arguments without tensors") {
  CHECK(K::cast(1.0, "float64").dtype() == DType::Float64);
  CHECK(K::greater(Array(0.5), 0).dtype() == DType::Bool);
  CHECK(K::constant(3).dtype() == DType::Float32);
  CHECK(K::variable(Array{1, 2}).dtype() == DType::Float32);
  CHECK(K::prod({K::shape(K::placeholder({None, 3}))[0], 3}).dtype() == DType::Int32);
  CHECK((K::placeholder({2}, None, "int64") + (int64_t(1) << 40)).dtype() == DType::Int64);
  CHECK_THROWS_AS(K::cast(1.0, "string"), keratin::TypeError);
  CHECK_THROWS_AS(K::tanh(None), keratin::ValueError);
}

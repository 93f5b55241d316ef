// Numbers that a dtype does not hold: an error, or the exact result, never another number.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>
#include <limits>

using namespace keratin;

static constexpr double inf = std::numeric_limits<double>::infinity();
static const double nan_ = std::numeric_limits<double>::quiet_NaN();

static Array bytes(std::vector<uint8_t> elements) { return Array(elements); }

TEST_CASE("elements of an array are converted to what holds them", "[numbers]") {
  CHECK(Array(2.9).item<int>() == 2);
  CHECK(Array(-0.9).item<unsigned>() == 0);
  CHECK(Array(255.9).item<uint8_t>() == 255);
  CHECK(Array(1e19).item<uint64_t>() == 10000000000000000000u);
  CHECK(Array(std::numeric_limits<uint64_t>::max()).item<uint64_t>() ==
        std::numeric_limits<uint64_t>::max());
  CHECK(Array(std::numeric_limits<int64_t>::min()).item<int64_t>() ==
        std::numeric_limits<int64_t>::min());
  CHECK(Array(1).item<bool>());
  CHECK_FALSE(Array(-0.0).item<bool>());
  CHECK(Array(inf).item<float>() == float(inf));
  auto refusal = [](auto call) { return errorOf<ValueError>(call); };
  CHECK(refusal([] { Array(1e30).item<int>(); }) ==
        "Array: the element 1e+30 of dtype float64 does not fit int32");
  CHECK(refusal([] { Array(nan_).item<int64_t>(); }) ==
        "Array: the element nan of dtype float64 does not fit int64");
  CHECK(refusal([] { Array(-inf).item<int8_t>(); }) ==
        "Array: the element -inf of dtype float64 does not fit int8");
  CHECK(refusal([] { Array(-1).item<uint64_t>(); }) ==
        "Array: the element -1 of dtype int32 does not fit uint64");
  CHECK(refusal([] { Array(int64_t(3000000000)).item<int>(); }) ==
        "Array: the element 3000000000 of dtype int64 does not fit int32");
  CHECK(refusal([] { Array(std::numeric_limits<uint64_t>::max()).item<int64_t>(); }) ==
        "Array: the element 18446744073709551615 of dtype uint64 does not fit int64");
  CHECK(refusal([] { Array(0x1p63).item<int64_t>(); }) ==
        "Array: the element 9.223372036854776e+18 of dtype float64 does not fit int64");
  CHECK(refusal([] { Array(1e300).item<float>(); }) ==
        "Array: the element 1e+300 of dtype float64 does not fit float32");
  CHECK(refusal([] { Array(2).item<bool>(); }) ==
        "Array: the element 2 of dtype int32 does not fit bool");
  CHECK(refusal([] { Array(0.5f).item<bool>(); }) ==
        "Array: the element 0.5 of dtype float32 does not fit bool");
  CHECK(refusal([] { Array{1.0, 300.0}.toVector<uint8_t>(); }) ==
        "Array: the element 300 of dtype float64 does not fit uint8");
}

TEST_CASE("a number that the tensor's dtype does not hold is refused", "[numbers]") {
  Tensor x = K::variable(Array{1, 2}, "int32"), small = K::variable(Array{0, 255}, "uint8");
  auto refusal = [](auto call) { return errorOf<ValueError>(call); };
  using Catch::Contains;
  CHECK_THAT(refusal([&] { x + 3000000000; }),
             Contains("add: the number 3000000000 does not fit int32; at ") &&
                 Contains("NumberTest.cpp:"));
  CHECK_THAT(refusal([&] { small * -1; }), Contains("multiply: the number -1 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::maximum(small, 256); }),
             Contains("maximum: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::equal(small, 256); }),
             Contains("equal: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { small + Array{1, 300}; }),
             Contains("add: the number 300 does not fit uint8"));
  CHECK_THAT(refusal([&] { x + std::numeric_limits<uint64_t>::max(); }),
             Contains("the number 18446744073709551615 does not fit int32"));
  CHECK_THAT(refusal([&] { K::constant(300, "uint8"); }),
             Contains("constant: the number 300 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::constant({1, -200}, "int8"); }),
             Contains("constant: the number -200 does not fit int8"));
  CHECK_THAT(refusal([&] { K::constant(nan_, "int32"); }),
             Contains("constant: the number nan does not fit int32"));
  CHECK_THAT(refusal([&] { K::variable(Array{1.0, 1e10}, "int32"); }),
             Contains("variable: the number 1e+10 does not fit int32"));
  CHECK_THAT(refusal([&] { K::update(small, -1); }),
             Contains("update: the number -1 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::update_add(small, 256); }),
             Contains("update_add: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::set_value(small, 256); }),
             Contains("set_value: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::stack({small[0], 256}); }),
             Contains("stack: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::switch_(small > 3, small, 256); }),
             Contains("switch: the number 256 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::relu(small, 0, None, 300); }),
             Contains("relu: the number 300 does not fit uint8"));
  CHECK_THAT(refusal([&] { K::relu(small, -1); }),
             Contains("relu: the number -1 does not fit uint8"));
  CHECK_THAT(errorOf<TypeError>([&] { K::moving_average_update(x, 3, 0.9); }),
             Contains("moving_average_update: the variable is int32; needed a floating one"));
  // What fits is taken, at the ends too; fractions are cut off.
  checkValue(small + 255, bytes({255, 254}));
  checkValue(K::constant({-128.9, 127.9}, "int8"), Array{-128, 127}.astype(DType::Int8));
  checkValue(K::constant(nan_, "bool"), true);
  checkValue(K::relu(small, 0, 300), bytes({0, 255}));
  // cast converts as it does tensors.
  checkValue(K::cast(300, "uint8"), bytes({44}).reshape({}));
  checkValue(K::cast(300.7, "uint8"), bytes({255}).reshape({}));
  // Feeds are converted to the placeholder's dtype as cast converts.
  Tensor fed = K::placeholder({3}, None, "uint8");
  checkArray(K::function({fed}, {fed + 0})({Array{300.7, nan_, -3.0}})[0], bytes({255, 0, 0}));
}

TEST_CASE("integers are clipped to bounds beyond their range", "[numbers]") {
  Tensor x = K::variable(bytes({0, 7, 255}), "uint8");
  checkValue(K::clip(x, -1, 300), bytes({0, 7, 255}));
  checkValue(K::clip(x, -1, 100), bytes({0, 7, 100}));
  checkValue(K::clip(x, 5, 300), bytes({5, 7, 255}));
  checkValue(K::clip(x, -inf, 1e30), bytes({0, 7, 255}));
  checkValue(K::clip(x, Array{-5, 8, -1}, Array{300, 400, 200}), bytes({0, 8, 200}));
  checkValue(K::clip(x, K::constant(-1, "int32"), K::constant(300, "int32")), bytes({0, 7, 255}));
  checkValue(K::clip(x, K::constant(-1, "int8"), K::constant(6, "int8")), bytes({0, 6, 6}));
  Tensor y = K::variable(Array{-5, 5}, "int64");
  checkValue(K::clip(y, K::constant(3, "uint64"), K::constant(1e19, "uint64")),
             Array{3, 5}.astype(DType::Int64));
  Tensor wide = K::variable(std::vector<int64_t>{(int64_t(1) << 53) + 1}, "int64");
  // The upper bound is one less than the lower, which a double does not tell.
  checkValue(K::clip(wide, (int64_t(1) << 53) + 1, int64_t(1) << 53),
             Array(std::vector<int64_t>{(int64_t(1) << 53) + 1}));
  using Catch::Contains;
  CHECK_THAT(errorOf<ValueError>([&] { K::clip(x, 300, 400); }),
             Contains("clip: min_value is 300; no uint8 is at least that"));
  CHECK_THAT(errorOf<ValueError>([&] { K::clip(x, -9, -1); }),
             Contains("clip: max_value is -1; no uint8 is at most that"));
  CHECK_THAT(errorOf<ValueError>([&] { K::clip(x, nan_, 5); }),
             Contains("clip: min_value is nan; no uint8 is at least that"));
}

TEST_CASE("arange keeps to its dtype", "[numbers]") {
  checkValue(K::arange(250, 256, 1, "uint8"), bytes({250, 251, 252, 253, 254, 255}));
  checkValue(K::arange(300, 300, 1, "uint8"), Array::zeros(DType::UInt8, {0}));
  int64_t large = int64_t(1) << 60;
  checkValue(K::arange(large + 1, large + 4, 2, "int64"),
             Array(std::vector<int64_t>{large + 1, large + 3}));
  using Catch::Contains;
  CHECK_THAT(errorOf<ValueError>([] { K::arange(0, 257, 1, "uint8"); }),
             Contains("arange: the number 256 does not fit uint8"));
  CHECK_THAT(errorOf<ValueError>([] { K::arange(5, -2, -1, "uint8"); }),
             Contains("arange: the number -1 does not fit uint8"));
  CHECK_THAT(errorOf<ValueError>([] { K::arange(0.0, 4e9, 3e9); }),
             Contains("arange: the number 3e+09 does not fit int32"));
  CHECK_THAT(errorOf<ValueError>([] { K::arange(0, std::numeric_limits<uint64_t>::max()); }),
             Contains("arange: the number 18446744073709551615 does not fit int64"));
  Tensor x = K::placeholder({None, 0});
  K::Function f = K::function({x}, {K::arange(K::shape(x)[0], None, 1, "int8")});
  checkArray(f({Array::zeros(DType::Float32, {3, 0})})[0], Array{0, 1, 2}.astype(DType::Int8));
  checkArray(f({Array::zeros(DType::Float32, {0, 0})})[0], Array::zeros(DType::Int8, {0}));
  CHECK(f({Array::zeros(DType::Float32, {128, 0})})[0].item<int>(127) == 127);
  CHECK_THAT(errorOf<ValueError>([&] { f({Array::zeros(DType::Float32, {129, 0})}); }),
             Contains("arange: a number does not fit int8"));
}

TEST_CASE("sizes that int32 does not hold are refused", "[numbers]") {
  using Catch::Contains;
  const int64_t many = int64_t(1) << 31;
  Tensor x = K::placeholder({None, 0}), y = K::placeholder({many, 0});
  K::Function shape = K::function({x}, {K::shape(x)});
  checkArray(shape({Array::zeros(DType::Float32, {many - 1, 0})})[0], Array{int32_t(many - 1), 0});
  CHECK_THAT(errorOf<ValueError>([&] { shape({Array::zeros(DType::Float32, {many, 0})}); }),
             Contains("shape: a size does not fit int32"));
  CHECK_THAT(errorOf<ValueError>([&] { K::shape(y); }),
             Contains("shape: a size is 2147483648, which does not fit int32"));
  Tensor n = K::placeholder({None, 1});
  K::Function size = K::function({n}, {K::size(K::tile(n, {1, int64_t(1) << 20}))});
  checkArray(size({Array::zeros(DType::Float32, {3, 1})})[0], 3 << 20);
  if (!std::getenv("KERATIN_TEST_PROGRAM")) // the interpreter makes what it counts
    CHECK_THAT(errorOf<ValueError>([&] { size({Array::zeros(DType::Float32, {2048, 1})}); }),
               Contains("size: the number of elements does not fit int32"));
  // As a size, what was cast is what its dtype holds.
  Tensor rows = K::cast(K::shape(x)[0], "int8");
  K::Function filled = K::function({x}, {K::ones({rows, 2}, "uint8")});
  checkArray(filled({Array::zeros(DType::Float32, {1, 0})})[0], bytes({1, 1}).reshape({1, 2}));
  CHECK_THAT(errorOf<ValueError>([&] { filled({Array::zeros(DType::Float32, {200, 0})}); }),
             Contains("ones: a size does not fit int8"));
  CHECK_THAT(errorOf<ValueError>([&] { K::size(K::placeholder({65536, 32768})); }),
             Contains("size: the number of elements is 2147483648, which does not fit int32"));
  checkValue(K::size(K::constant(Array::zeros(DType::Float32, {0, 4}))), 0);
  CHECK(K::count_params(K::placeholder({65536, 65536})) == int64_t(1) << 32);
}

TEST_CASE("distributions without a meaning are refused", "[numbers]") {
  using Catch::Contains;
  auto uniform = [](const Operand &low, const Operand &high, const char *dtype) {
    return errorOf<ValueError>([&] { K::random_uniform({4}, low, high, dtype); });
  };
  CHECK_THAT(uniform(0, 300, "int8"),
             Contains("random_uniform: the range from 0 to 300 does not fit int8"));
  CHECK_THAT(uniform(-1, 3, "uint8"),
             Contains("random_uniform: the range from -1 to 3 does not fit uint8"));
  CHECK_THAT(uniform(5, 5, "int32"),
             Contains("random_uniform: maxval must be above minval; found 5 and 5"));
  CHECK_THAT(uniform(1.0, 1.0, "float32"),
             Contains("random_uniform: maxval must be above minval; found 1 and 1"));
  CHECK_THAT(uniform(2.0, 1.0, "float64"), Contains("maxval must be above minval; found 2 and 1"));
  CHECK_THAT(uniform(nan_, 1.0, "float32"),
             Contains("random_uniform: minval is nan; needed a number that the dtype holds"));
  CHECK_THAT(uniform(0.0, inf, "float32"),
             Contains("random_uniform: maxval is inf; needed a number that the dtype holds"));
  CHECK_THAT(uniform(0.0, 1e39, "float32"), Contains("random_uniform: maxval is 1e+39; needed"));
  CHECK_THAT(uniform(0, nan_, "int32"),
             Contains("random_uniform: the number nan does not fit int64"));
  CHECK_THAT(uniform(0, 1e30, "int64"),
             Contains("random_uniform: the number 1e+30 does not fit int64"));
  auto refusal = [](auto call) { return errorOf<ValueError>(call); };
  CHECK_THAT(refusal([] { K::random_normal({4}, 0.0, -1.0); }),
             Contains("random_normal: stddev is -1; needed 0 or more"));
  CHECK_THAT(refusal([] { K::random_normal({4}, nan_, 1.0); }),
             Contains("random_normal: mean is nan; needed a number that the dtype holds"));
  CHECK_THAT(refusal([] { K::truncated_normal({4}, 0.0, -0.5); }),
             Contains("truncated_normal: stddev is -0.5; needed 0 or more"));
  CHECK_THAT(refusal([] { K::random_binomial({4}, 1.5); }),
             Contains("random_binomial: p is 1.5; needed 0 to 1"));
  CHECK_THAT(refusal([] { K::random_binomial({4}, nan_); }),
             Contains("random_binomial: p is nan; needed 0 to 1"));
  // Bounds that are tensors are looked at in the call.
  Tensor low = K::placeholder({}, None, "int32"), high = K::placeholder({}, None, "int32");
  K::Function f = K::function({low, high}, {K::random_uniform({50}, low, high, "int8")});
  for (int value : f({-128, 128})[0].toVector<int>())
    CHECK((value >= -128 && value <= 127));
  CHECK_THAT(refusal([&] { f({5, 5}); }), Contains("random_uniform: maxval must be above minval"));
  CHECK_THAT(refusal([&] { f({0, 300}); }),
             Contains("random_uniform: maxval does not fit the dtype"));
  CHECK_THAT(refusal([&] { f({-300, 0}); }),
             Contains("random_uniform: minval does not fit the dtype"));
}

TEST_CASE("uniform numbers fill the widest ranges", "[numbers]") {
  auto drawn = [](const Operand &low, const Operand &high, const char *dtype) {
    return K::random_uniform({1000}, low, high, dtype, 3).eval();
  };
  bool below = false, above = false;
  for (int value : drawn(-128, 128, "int8").toVector<int>()) {
    below |= value < -100;
    above |= value > 100;
  }
  CHECK((below && above));
  for (int value : drawn(0.5, 2.5, "int32").toVector<int>())
    CHECK((value == 1 || value == 2));
  for (const char *dtype : {"float16", "float32", "float64"}) {
    double most = dtype == std::string("float16")   ? 60000
                  : dtype == std::string("float32") ? 3e38
                                                    : 1.7e308;
    below = above = false;
    for (double value : drawn(-most, most, dtype).toVector()) {
      REQUIRE((value >= -most * 1.001 && value < most));
      below |= value < -most / 2;
      above |= value > most / 2;
    }
    CHECK((below && above));
  }
}

TEST_CASE("dropout of almost everything drops almost everything", "[numbers]") {
  Array kept = K::dropout(K::ones_like(K::constant(Array::zeros(DType::Float64, {1000}))),
                          1 - 0x1p-40, None, 1)
                   .eval();
  int count = 0;
  for (double value : kept.toVector())
    count += value != 0;
  CHECK(count == 0);
}

TEST_CASE("floor_divide rounds down, integers to integers") {
  Tensor quotient = K::floor_divide(K::constant(Array{7, -7, 7, -7}, "int32"), Array{2, 2, -2, -2});
  CHECK(quotient.dtype() == DType::Int32);
  checkValue(quotient, Array{3, -4, -4, 3});
  checkValue(K::floor_divide(K::constant(Array{7.5, -7.5}), 2.0), Array{3.0, -4.0});
  CHECK(
      K::floor_divide(K::constant(Array{true}, "bool"), K::constant(Array{true}, "bool")).dtype() ==
      DType::Int32);
  Tensor x = K::placeholder({2});
  CHECK_FALSE(K::gradients(K::floor_divide(x, 2.0), x)[0].has_value());
}

TEST_CASE("floor and ceil leave integers alone") {
  Tensor x = K::constant(Array{1.5, -1.5, 2.0});
  checkValue(K::floor(x), Array{1.0, -2.0, 2.0});
  checkValue(K::ceil(x), Array{2.0, -1.0, 2.0});
  Tensor n = K::constant(Array{7, -7}, "int16");
  CHECK(K::floor(n).dtype() == DType::Int16);
  checkValue(K::ceil(n), Array{7, -7});
}

TEST_CASE("tan, atan and erf") {
  Tensor x = K::constant(Array{-1.0, 0.0, 0.5, 3.0});
  checkValue(K::tan(x), Array{-1.5574077, 0.0, 0.5463025, -0.1425465}, 5 * float32Ulp);
  checkValue(K::atan(x), Array{-0.7853982, 0.0, 0.4636476, 1.2490457}, 3 * float32Ulp);
  checkValue(K::erf(x), Array{-0.8427008, 0.0, 0.5204999, 0.9999779}, 3 * float32Ulp);
  // As all functions of floats, of integers in floatx.
  CHECK(K::erf(K::constant(Array{1}, "int32")).dtype() == DType::Float32);
}

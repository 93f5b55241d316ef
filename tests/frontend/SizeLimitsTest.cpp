// What is known of sizes by name: bounds, and what divides them.
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

using Dims = std::vector<int64_t>;

static Array filled(Dims dims, float number) {
  Array array = Array::zeros(DType::Float32, std::move(dims));
  std::fill_n(array.data<float>(), array.size(), number);
  return array;
}

static Array row(int64_t length) { return filled({1, length}, 1.0); }

TEST_CASE("a call keeps the limits of its sizes", "[limits]") {
  Tensor x = K::placeholder({"batch", K::Dim("limits_a", {.min = 16, .max = 512, .multipleOf = 8})},
                            {.name = "limits_x"});
  K::Function f = K::function(x, K::sum(x * 2.0, 1));
  checkArray(f({row(16)})[0], Array{32.0});
  checkArray(f({row(24)})[0], Array{48.0});
  checkArray(f({row(512)})[0], Array{1024.0});
  // What was found, what is needed, and where; or as the interpreter says it.
  auto refuses = [&](int64_t length, const std::string &needed) {
    const std::string message = errorOf<K::ValueError>([&] { f({row(length)}); });
    const std::string number = std::to_string(length);
    CHECK(((has(message,
                "size 'limits_a': " + number + " must be " + needed + "; input 'limits_x' (") &&
            has(message, "SizeLimitsTest.cpp:17) has " + number + " on axis 1")) ||
           has(message, "size 'limits_a' is " + number +
                            "; needed at least 16, at most 512, a multiple of 8")));
  };
  refuses(8, "at least 16");
  refuses(520, "at most 512");
  refuses(20, "a multiple of 8");
  checkArray(f({row(32)})[0], Array{64.0});
}

TEST_CASE("a size whose most is no multiple has less", "[limits]") {
  Tensor x = K::placeholder({1, K::Dim("limits_b", {.max = 20, .multipleOf = 8})});
  K::Function f = K::function(x, x + 1.0);
  CHECK(f({row(16)})[0].shape() == Dims{1, 16});
  CHECK(f({row(0)})[0].shape() == Dims{1, 0});
  CHECK_THROWS_AS(f({row(20)}), K::ValueError);
}

TEST_CASE("limits are of a size wherever it stands", "[limits]") {
  Tensor x = K::placeholder({1, "limits_c"}, {.name = "limits_early"});
  Tensor ones = K::ones({1, K::Dim("limits_c", {.multipleOf = 4})});
  Tensor more = K::zeros({K::Dim("limits_c", {.max = 8}), 1});
  K::Function f = K::function(x, {x + ones, more});
  CHECK(f({row(8)})[0].shape() == Dims{1, 8});
  CHECK_THROWS_AS(f({row(6)}), K::ValueError);
  CHECK_THROWS_AS(f({row(12)}), K::ValueError);
}

TEST_CASE("limits contradict each other", "[limits]") {
  auto place = [](K::DimOptions options) {
    return K::placeholder({2, K::Dim("limits_d", options)});
  };
  const std::string place1 = "placeholder: entry 1 of shape: size 'limits_d' has ";
  CHECK(has(errorOf<K::ValueError>([&] { place({.min = -1}); }),
            place1 + "min -1; needed 0 or more"));
  for (int64_t wrong : {0, -8})
    CHECK(has(errorOf<K::ValueError>([&] { place({.multipleOf = wrong}); }),
              place1 + "multipleOf " + std::to_string(wrong) + "; needed 1 or more"));
  CHECK(has(errorOf<K::ValueError>([&] { place({.min = 9, .max = 7}); }),
            place1 + "min 9 and max 7, which no size has"));
  CHECK(has(errorOf<K::ValueError>([&] { place({.min = 9, .max = 15, .multipleOf = 8}); }),
            place1 + "min 9 and max 15 and multipleOf 8, which no size has"));
  Tensor kept = place({.max = 512, .multipleOf = 8});
  CHECK(has(errorOf<K::ValueError>([&] { place({.max = 256}); }),
            place1 + "max 256 here and max 512 and multipleOf 8 elsewhere; needed what agrees"));
  CHECK(has(errorOf<K::ValueError>([&] { place({.min = 600}); }),
            place1 + "min 600 here and max 512 and multipleOf 8 elsewhere; needed what agrees"));
  CHECK_NOTHROW(place({.min = 8, .max = 512}));
  CHECK(has(errorOf<K::ValueError>([&] {
              K::zeros({K::Dim("limits_e", {.max = 3}), K::Dim("limits_e", {.max = 4})});
            }),
            "entry 1 of shape: size 'limits_e' has max 4 here and max 3 elsewhere"));
}

TEST_CASE("a call that fails says nothing of sizes", "[limits]") {
  CHECK_THROWS_AS(K::zeros({K::Dim("limits_f", {.max = 3}), -1}), K::ValueError);
  CHECK_NOTHROW(K::placeholder({K::Dim("limits_f", {.max = 4})}));
}

TEST_CASE("what divides sizes is seen by all that computes with them", "[limits]") {
  Tensor x = K::placeholder({"batch", K::Dim("limits_g", {.multipleOf = 8})});
  Tensor y = K::sum(K::reshape(x, {"batch", -1, 8}), 2);
  CHECK(toString(y).find("(batch, floordiv(limits_g, 8))") != std::string::npos);
  K::Function f = K::function(x, {y, *K::gradients(K::sum(y), {x})[0]});
  Array fed = filled({2, 24}, 0.5);
  K::Results results = f({fed});
  checkArray(results[0], filled({2, 3}, 4.0));
  checkArray(results[1], filled({2, 24}, 1.0));
}

TEST_CASE("plans of bounded sizes are bounded", "[limits]") {
  Tensor x = K::placeholder({K::Dim("limits_h", {.max = 100, .multipleOf = 8}), 4});
  // A sum of all between two chains, so that something lies in the arena.
  Tensor y = K::exp(x);
  K::Function f = K::function(x, K::softmax(y / K::sum(y)) * 2.0);
  if (f.memoryPlan() == "interpreted")
    return;
  CHECK(has(f.memoryPlan(), "limits_h = 96"));
  CHECK(has(f.memoryPlan(), "; at most " + std::to_string(f.arenaBytes()) + " bytes"));
  CHECK(f.arenaBytes() >= 96 * 4 * 4);
}

TEST_CASE("saved functions keep the limits of sizes", "[limits]") {
  keratin::tests::TemporaryFile file;
  {
    Tensor x = K::placeholder({1, K::Dim("limits_i", {.min = 4, .max = 12, .multipleOf = 4})});
    K::save_function(K::function(x, x + 1.0), file.path);
  }
  {
    K::Function loaded = K::load_function(file.path);
    CHECK(loaded({row(8)})[0].shape() == Dims{1, 8});
    for (int64_t wrong : {0, 6, 16})
      CHECK_THROWS_AS(loaded({row(wrong)}), K::ValueError);
  }
  Tensor other = K::placeholder({K::Dim("limits_i", {.max = 8})});
  CHECK(has(errorOf<K::ValueError>([&] { K::load_function(file.path); }),
            "size 'limits_i' has min 4 and max 12 and multipleOf 4 here and max 8 elsewhere"));
}

TEST_CASE("ranges of numbers follow from limits of sizes", "[limits]") {
  // No check whether the count fits: 100 is less than what an int8 holds.
  Tensor x = K::placeholder({K::Dim("limits_j", {.max = 100})});
  Tensor room = K::zeros({K::cast(K::shape(x)[0], "int8")});
  CHECK(K::function(x, room)({filled({100}, 0.0)})[0].shape() == Dims{100});
}

// K::pad and K::split.
#include "tests/frontend/GradientCheck.h"

static const Array matrix{{-5.0, 2.0, -2.0}, {5.0, 1.0, -3.0}};

TEST_CASE("pad is numpy.pad") {
  for (const StaticShape &shape : {StaticShape{2, 3}, StaticShape{None, None}}) {
    Tensor x = K::placeholder(shape);
    K::Results results = K::function(
        x, {K::pad(x, {{1, 2}, {0, 1}}), K::pad(x, {{1, 0}, {2, 1}}, {.constant_values = 7}),
            K::pad(x, {{1, 2}, {0, 1}}, "edge"), K::pad(x, {{1, 1}, {2, 2}}, "reflect"),
            K::pad(x, {{2, 1}, {3, 0}}, {.mode = "symmetric"}),
            K::pad(x, {{0, 0}, {0, 0}}, "edge")})({matrix});
    checkArray(results[0],
               Array{{0, 0, 0, 0}, {-5, 2, -2, 0}, {5, 1, -3, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
    checkArray(results[1], Array{{7, 7, 7, 7, 7, 7}, {7, 7, -5, 2, -2, 7}, {7, 7, 5, 1, -3, 7}});
    checkArray(
        results[2],
        Array{{-5, 2, -2, -2}, {-5, 2, -2, -2}, {5, 1, -3, -3}, {5, 1, -3, -3}, {5, 1, -3, -3}});
    checkArray(results[3], Array{{-3, 1, 5, 1, -3, 1, 5},
                                 {-2, 2, -5, 2, -2, 2, -5},
                                 {-3, 1, 5, 1, -3, 1, 5},
                                 {-2, 2, -5, 2, -2, 2, -5}});
    checkArray(results[4], Array{{-3, 1, 5, 5, 1, -3},
                                 {-2, 2, -5, -5, 2, -2},
                                 {-2, 2, -5, -5, 2, -2},
                                 {-3, 1, 5, 5, 1, -3},
                                 {-3, 1, 5, 5, 1, -3}});
    checkArray(results[5], matrix);
  }
}

TEST_CASE("pad by sizes of the call, and of any dtype") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  K::Function f = K::function({x, y}, K::pad(x, {{K::shape(y)[0], 1}}, {.constant_values = -1.0}));
  checkArray(f({Array{1.0, 2.0}, Array{0.0, 0.0}})[0], Array{-1.0, -1.0, 1.0, 2.0, -1.0});
  checkValue(K::pad(K::constant(Array{true, false}, "bool"), {{1, 0}}, {.constant_values = true}),
             Array{true, true, false});
  checkValue(K::pad(K::constant(Array{1, 2}, "int8"), {{0, 1}}, "edge"), Array{1, 2, 2});
}

TEST_CASE("gradients of pad and split") {
  for (const GradientCase &test : std::vector<GradientCase>{
           {"zeros", [](auto &x) { return K::square(K::pad(x, {{1, 0}, {0, 2}})); }},
           {"ones",
            [](auto &x) { return K::square(K::pad(x, {{1, 0}, {0, 2}}, {.constant_values = 1})); }},
           {"edge", [](auto &x) { return K::square(K::pad(x, {{1, 0}, {0, 2}}, "edge")); }},
           {"reflect", [](auto &x) { return K::square(K::pad(x, {{1, 0}, {0, 2}}, "reflect")); }},
           {"symmetric",
            [](auto &x) { return K::square(K::pad(x, {{1, 0}, {0, 2}}, "symmetric")); }},
           {"split",
            [](auto &x) {
              std::vector<Tensor> parts = K::split(x, {1, -1}, 1);
              return parts[0] * K::square(parts[1]);
            }},
       })
    checkGradient(test);
}

TEST_CASE("split into equal parts and into given ones") {
  Array numbers{0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  for (const StaticShape &shape : {StaticShape{6}, StaticShape{None}}) {
    Tensor x = K::placeholder(shape);
    std::vector<Tensor> parts = K::split(x, 3);
    for (const std::vector<Tensor> &more : {K::split(x, {1, -1, 2}), K::split(x, {4, 2}, -1)})
      parts.insert(parts.end(), more.begin(), more.end());
    K::Results results = K::function(x, parts)({numbers});
    const std::vector<Array> expected{{0.0, 1.0},           {2.0, 3.0},      {4.0, 5.0},
                                      Array{0.0},           {1.0, 2.0, 3.0}, {4.0, 5.0},
                                      {0.0, 1.0, 2.0, 3.0}, {4.0, 5.0}};
    REQUIRE(results.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      checkArray(results[i], expected[i]);
  }
  CHECK(K::split(K::placeholder({2, 6}), 2, 1)[1].shape() == StaticShape{2, 3});
  CHECK(K::split(K::placeholder({2, 6}), {6}, 1).size() == 1);
}

TEST_CASE("what is wrong with a pad", "[messages]") {
  Tensor x = K::placeholder({2, 3}), d = K::placeholder({None});
  auto message = [](auto &&build) { return errorOf<keratin::ValueError>(build); };
  CHECK(has(message([&] { K::pad(x, {{1, 1}}); }),
            "pad: pad_width has 1 entries; needed a pair for each of 2 axes"));
  CHECK(has(message([&] { K::pad(x, {{1, 1}, {1}}); }),
            "pad: pad_width of axis 1 has 1 numbers; needed 2"));
  CHECK(has(message([&] { K::pad(x, {{1, 1}, {0, -1}}); }),
            "pad: pad_width of axis 1 must not be negative; found -1"));
  constexpr int64_t half = int64_t(1) << 62;
  for (const char *mode : {"constant", "edge"})
    CHECK(has(message([&] { K::pad(x, {{1, 1}, {half, half}}, mode, 7); }),
              "pad: a size does not fit 64 bits"));
  CHECK(has(message([&] { K::pad(x, {{1, 1}, {0, 1}}, "wrap"); }),
            "pad: unknown mode 'wrap'; needed constant, edge, reflect or symmetric"));
  CHECK(has(message([&] { K::pad(x, {{0, 0}, {0, 3}}, "reflect"); }),
            "pad: axis 1 has too few elements for its pad_width; found 3, needed 4"));
  CHECK(has(message([&] { K::pad(x, {{0, 0}, {0, 1}}, {.constant_values = x}); }),
            "pad: constant_values has shape (2, 3); needed a scalar"));
  K::Function f = K::function(d, K::pad(d, {{3, 0}}, "symmetric"));
  CHECK(has(errorOf<keratin::ValueError>([&] { f({Array{1.0, 2.0}}); }),
            "pad: axis 0 has too few elements for its pad_width"));
}

TEST_CASE("what is wrong with a split", "[messages]") {
  Tensor x = K::placeholder({6}), d = K::placeholder({None});
  auto message = [](auto &&build) { return errorOf<keratin::ValueError>(build); };
  CHECK(has(message([&] { K::split(x, 0); }),
            "split: the number of parts is 0; needed 1 to 1000000"));
  CHECK(has(message([&] { K::split(x, 4); }),
            "split: the axis cannot be split into 4 equal parts; found size 6"));
  CHECK(has(message([&] { K::split(x, {2, 3}); }),
            "split: the sizes of the parts must add up to the axis's; found 5 and 6"));
  CHECK(has(message([&] { K::split(x, {-1, -1}); }),
            "split: more than one of the parts' sizes is -1"));
  CHECK(has(message([&] { K::split(x, {-2, 8}); }),
            "split: size 0 of the parts must not be negative; found -2"));
  CHECK(has(message([&] { K::split(x, {7, -1}); }),
            "split: the parts have 7 elements beside the -1; the axis has 6"));
  CHECK(has(message([&] { K::split(x, 2, 1); }), "split: axis 1 is outside the rank"));
  K::Function halves = K::function(d, K::split(d, 2));
  CHECK(has(errorOf<keratin::ValueError>([&] { halves({Array{1.0, 2.0, 3.0}}); }),
            "split: the axis cannot be split into 2 equal parts"));
  K::Function parts = K::function(d, K::split(d, {2, -1}));
  CHECK(has(errorOf<keratin::ValueError>([&] { parts({Array{1.0}}); }),
            "split: the parts have more elements than the axis"));
}

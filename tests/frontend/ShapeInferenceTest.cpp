// Static shapes of results, and what is refused.
#include "tests/frontend/FrontendTest.h"

using keratin::Shape;

static Tensor input(const Shape &shape) { return K::placeholder(shape); }

TEST_CASE("broadcasting, known and unknown") {
  CHECK((input({2, 3}) + input({3})).shape() == StaticShape{2, 3});
  CHECK((input({2, 1}) + input({1, 4})).shape() == StaticShape{2, 4});
  CHECK((input({None, 3}) + input({1, 3})).shape() == StaticShape{None, 3});
  CHECK((input({None, 3}) + input({5, 1})).shape() == StaticShape{5, 3});
  CHECK((input({None}) + input({None})).shape() == StaticShape{None});
  CHECK((input({0}) + input({1})).shape() == StaticShape{0});
  CHECK_THROWS_AS(input({2}) + input({3}), keratin::ValueError);
  CHECK_THROWS_AS(input({0}) + input({2}), keratin::ValueError);
}

TEST_CASE("dot") {
  CHECK(K::dot(input({2, 3}), input({4, 3, 5})).shape() == StaticShape{2, 4, 5});
  CHECK(K::dot(input({None, 28, 3}), input({3, 4})).shape() == StaticShape{None, 28, 4});
  CHECK(K::dot(input({2, 3}), input({3})).shape() == StaticShape{2});
  CHECK(K::dot(input({3}), input({3})).shape() == StaticShape{});
  CHECK(K::dot(input({}), input({3})).shape() == StaticShape{3});
  CHECK(K::dot(input({2, None}), input({7, 4})).shape() == StaticShape{2, 4});
}

TEST_CASE("batch_dot") {
  struct {
    StaticShape x, y;
    keratin::Axes axes;
    StaticShape result;
  } const table[] = {
      {{2, 3, 4}, {2, 4, 5}, None, {2, 3, 5}},
      {{2, 3, 4}, {2, 4}, None, {2, 3}},
      {{2, 4}, {2, 3, 4}, {1, 2}, {2, 3}},
      {{2, 4}, {2, 4}, 1, {2, 1}},
      {{2, 4}, {2, 4}, None, {2, 1}},
      {{2, 3, 4, 5}, {2, 6, 3, 4}, {2, 3}, {2, 3, 5, 6, 3}},
      {{2, 3, 4}, {2, 5, 3, 4}, {2, 3}, {2, 3, 5, 3}},
      {{None, 3, 4}, {2, 4, 5}, None, {2, 3, 5}},
  };
  for (const auto &row : table)
    CHECK(K::batch_dot(input(row.x), input(row.y), row.axes).shape() == row.result);
  CHECK_THROWS_AS(K::batch_dot(input({3}), input({3, 4})), keratin::ValueError);
  CHECK_THROWS_AS(K::batch_dot(input({2, 3}), input({3, 3})), keratin::ValueError);
  CHECK_THROWS_AS(K::batch_dot(input({2, 3}), input({2, 3}), 0), keratin::ValueError);
  CHECK_THROWS_AS(K::batch_dot(input({2, 3}), input({2, 4})), keratin::ValueError);
}

TEST_CASE("reductions") {
  Tensor x = input({None, 3, 4});
  CHECK(K::sum(x).shape() == StaticShape{});
  CHECK(K::sum(x, -1).shape() == StaticShape{None, 3});
  CHECK(K::mean(x, {0, -1, 2}).shape() == StaticShape{3});
  CHECK(K::max(x, {1}, true).shape() == StaticShape{None, 1, 4});
  CHECK(K::sum(x, std::vector<int>{}).shape() == StaticShape{None, 3, 4});
  CHECK(K::argmax(x).shape() == StaticShape{None, 3});
  CHECK(K::cumsum(x, 1).shape() == StaticShape{None, 3, 4});
  CHECK_THROWS_AS(K::sum(x, 3), keratin::ValueError);
  CHECK_THROWS_AS(K::argmax(input({2, 0})), keratin::ValueError);
}

TEST_CASE("reshape") {
  CHECK(K::reshape(input({2, 6}), {3, -1}).shape() == StaticShape{3, 4});
  CHECK(K::reshape(input({None, 6}), {-1, 3}).shape() == StaticShape{None, 3});
  Tensor x = input({None, 4, 5});
  CHECK(K::reshape(x, {K::shape(x)[0], -1}).shape() == StaticShape{None, 20});
  CHECK(K::reshape(x, K::shape(x)).shape() == StaticShape{None, 4, 5});
  auto picked = [&](const Tensor &places) { return K::reshape(x, K::gather(K::shape(x), places)); };
  CHECK(picked(K::constant({2, 0, 1}, "int32")).shape() == StaticShape{5, None, 4});
  CHECK(picked(K::shape(K::zeros({1, 2, 0}))).shape() == StaticShape{4, 5, None});
  // As exporters of PyTorch turn around what is padded.
  Tensor pairs = K::reshape(K::concatenate({K::shape(x), K::constant({1, 1, 1}, "int32")}), {3, 2});
  Tensor turned = K::reshape(K::permute_dimensions(K::reverse(pairs, 0), {1, 0}), {-1});
  CHECK(K::reshape(x, turned).shape() == StaticShape{1, 5, None, 1, 1, 4});
  CHECK(K::reshape(x, {None, 20}).shape() == StaticShape{None, 20});
  CHECK(K::reshape(input({0, 3}), {0, -1}).shape().size() == 2);
  CHECK_THROWS_AS(K::reshape(input({2, 6}), {5, -1}), keratin::ValueError);
  CHECK_THROWS_AS(K::reshape(input({2, 6}), {-1, -1}), keratin::ValueError);
  CHECK_THROWS_AS(K::reshape(input({2, 6}), {13}), keratin::ValueError);
  CHECK(K::reshape(input({2}), {K::cast(K::sum(input({2})), "int32")}).shape() ==
        StaticShape{None});
}

TEST_CASE("moving axes") {
  Tensor x = input({None, 3, 4});
  CHECK(K::transpose(x).shape() == StaticShape{4, 3, None});
  CHECK(K::permute_dimensions(x, {2, 0, 1}).shape() == StaticShape{4, None, 3});
  CHECK(K::flatten(input({2, 3})).shape() == StaticShape{6});
  CHECK(K::batch_flatten(x).shape() == StaticShape{None, 12});
  CHECK(K::expand_dims(x).shape() == StaticShape{None, 3, 4, 1});
  CHECK(K::expand_dims(x, 0).shape() == StaticShape{1, None, 3, 4});
  CHECK(K::squeeze(input({1, 3}), 0).shape() == StaticShape{3});
  CHECK(K::squeeze(input({None, 3}), 0).shape() == StaticShape{3});
  CHECK_THROWS_AS(K::squeeze(x, 1), keratin::ValueError);
  CHECK_THROWS_AS(K::permute_dimensions(x, {0, 1}), keratin::ValueError);
  CHECK_THROWS_AS(K::permute_dimensions(x, {0, 1, 1}), keratin::ValueError);
}

TEST_CASE("joining and repeating") {
  CHECK(K::concatenate({input({2, 3}), input({2, 4})}).shape() == StaticShape{2, 7});
  CHECK(K::concatenate({input({None, 3}), input({2, 3})}, 0).shape() == StaticShape{None, 3});
  CHECK(K::concatenate({input({None, 3}), input({2, 3})}, 1).shape() == StaticShape{2, 6});
  CHECK(K::stack({input({2, 3}), input({None, 3})}, -1).shape() == StaticShape{2, 3, 2});
  CHECK(K::repeat_elements(input({None, 3}), 4, 1).shape() == StaticShape{None, 12});
  CHECK(K::repeat(input({None, 3}), 5).shape() == StaticShape{None, 5, 3});
  CHECK(K::tile(input({2, 3}), 4).shape() == StaticShape{2, 12});
  CHECK(K::tile(input({None, 3}), {2, 1}).shape() == StaticShape{None, 3});
  CHECK(K::one_hot(K::placeholder({None}, None, "int32"), 7).shape() == StaticShape{None, 7});
  CHECK_THROWS_AS(K::concatenate({input({2, 3}), input({3, 3})}), keratin::ValueError);
  CHECK_THROWS_AS(K::concatenate({input({2, 3}), input({3})}), keratin::ValueError);
  CHECK_THROWS_AS(K::concatenate({}), keratin::ValueError);
  CHECK_THROWS_AS(K::repeat(input({3}), 5), keratin::AssertionError);
  CHECK_THROWS_AS(K::tile(input({3}), {2, 2}), keratin::NotImplementedError);
  CHECK_THROWS_AS(K::pattern_broadcast(input({2, 3}), {true, false}), keratin::ValueError);
  CHECK(K::pattern_broadcast(input({None, 3}), {true, false}).shape() == StaticShape{1, 3});
}

TEST_CASE("padding and slices") {
  CHECK(K::temporal_padding(input({2, 3, 4}), {1, 2}).shape() == StaticShape{2, 6, 4});
  CHECK(K::spatial_2d_padding(input({2, 3, None, 5})).shape() == StaticShape{2, 5, None, 5});
  CHECK(K::spatial_2d_padding(input({2, 5, 3, 4}), {{1, 0}, {0, 2}}, "channels_first").shape() ==
        StaticShape{2, 5, 4, 6});
  CHECK(K::spatial_3d_padding(input({1, 2, 3, 4, 5})).shape() == StaticShape{1, 4, 5, 6, 5});
  CHECK_THROWS_AS(K::temporal_padding(input({2, 3, 4}), {1}), keratin::AssertionError);
  CHECK_THROWS_AS(K::spatial_2d_padding(input({2, 3, 4, 5}), {{1, 1}}), keratin::AssertionError);
  CHECK_THROWS_AS(K::spatial_2d_padding(input({2, 3, 4, 5}), {{1, 1}, {1, 1}}, "nchw"),
                  keratin::ValueError);
  CHECK(K::slice(input({None, 5}), {0, 1}, {-1, 2}).shape() == StaticShape{None, 2});
  CHECK_THROWS_AS(K::slice(input({4, 5}), {0}, {2}), keratin::ValueError);
  CHECK_THROWS_AS(K::slice(input({4, 5}), {0, 3}, {4, 3}), keratin::ValueError);
}

TEST_CASE("indexing") {
  Tensor x = input({None, 5, 4});
  using keratin::All;
  using keratin::Ellipsis;
  using keratin::Slice;
  CHECK(x[0].shape() == StaticShape{5, 4});
  CHECK(x[{All, 1}].shape() == StaticShape{None, 4});
  CHECK(x[{All, Slice(1, -1)}].shape() == StaticShape{None, 3, 4});
  CHECK(x[{Ellipsis, -1}].shape() == StaticShape{None, 5});
  CHECK(x[{All, None, Slice(None, None, 2)}].shape() == StaticShape{None, 1, 3, 4});
  CHECK(x[{All, Slice(None, None, -1)}].shape() == StaticShape{None, 5, 4});
  CHECK(x[Slice(1, None)].shape() == StaticShape{None, 5, 4});
  CHECK(x[K::placeholder({7, 2}, None, "int32")].shape() == StaticShape{7, 2, 5, 4});
  CHECK_THROWS_AS((x[{0, 5}]), keratin::ValueError);
  CHECK_THROWS_AS((x[{0, 0, 0, 0}]), keratin::ValueError);
  CHECK_THROWS_AS((x[{Ellipsis, 0, Ellipsis}]), keratin::ValueError);
  CHECK_THROWS_AS(x[Slice(0, 4, 0)], keratin::ValueError);
}

TEST_CASE("creation") {
  CHECK(K::zeros(3).shape() == StaticShape{3});
  CHECK(K::is_variable(K::zeros({2, 3})));
  Tensor x = input({None, 3});
  CHECK(K::ones({K::shape(x)[0], 2}).shape() == StaticShape{None, 2});
  CHECK_FALSE(K::is_variable(K::ones({K::shape(x)[0], 2})));
  CHECK(K::eye({2, 3}).shape() == StaticShape{2, 3});
  CHECK(K::arange(5).shape() == StaticShape{5});
  CHECK(K::arange(-5).shape() == StaticShape{0});
  CHECK(K::arange(1, 10, 3).shape() == StaticShape{3});
  CHECK(K::arange(K::shape(x)[0]).shape() == StaticShape{None});
  CHECK(K::constant({1, 2, 3, 4}, None, {2, 2}).shape() == StaticShape{2, 2});
  CHECK(K::constant(1, None, {2, 2}).shape() == StaticShape{2, 2});
  CHECK_THROWS_AS(K::constant({1, 2, 3}, None, {2, 2}), keratin::ValueError);
  CHECK_THROWS_AS(K::zeros({-1}), keratin::ValueError);
}

TEST_CASE("sizes that do not fit 64 bits are refused") {
  Tensor x = input({int64_t(1) << 40, 1}), y = input({1, int64_t(1) << 40});
  CHECK_THROWS_AS(x + y, keratin::ValueError);
  CHECK_THROWS_AS(K::flatten(input({int64_t(1) << 40, int64_t(1) << 40})), keratin::ValueError);
  CHECK_THROWS_AS(K::repeat_elements(input({int64_t(1) << 40}), int64_t(1) << 40, 0),
                  keratin::ValueError);
}

// Values of K functions, the conformance numbers among them.
#include "tests/frontend/FrontendTest.h"

#include <limits>

using keratin::All;
using keratin::Ellipsis;
using keratin::Slice;

static const double inf = std::numeric_limits<double>::infinity();
static const double nan_ = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("elementwise values") {
  checkValue(K::sqrt({-4.0, 0.0, 9.0, nan_}), Array{0.0, 0.0, 3.0, nan_});
  checkValue(K::round({-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}), Array{-2.0, -2.0, -0.0, 0.0, 2.0, 2.0});
  checkValue(K::sign({-3.0, 0.0, 2.0, nan_}), Array{-1.0, 0.0, 1.0, nan_});
  checkValue(K::clip({1.0, 5.0, 9.0}, 2, 6), Array{2.0, 5.0, 6.0});
  checkValue(K::clip({1.0, 5.0, 9.0}, 7, 6), Array{7.0, 7.0, 7.0});
  checkValue(K::clip({1.0, 5.0, 9.0}, None, 6), Array{1.0, 5.0, 6.0});
  checkValue(K::pow({1.0, 2.0, 3.0}, 2), Array{1.0, 4.0, 9.0});
  checkValue(K::maximum({1.0, nan_}, {2.0, 1.0}), Array{2.0, nan_});
  Tensor i = K::variable({7, -7, 7, -7}, "int32"), j = K::variable({2, 2, -2, -2}, "int32");
  checkValue(i % j, Array{1, 1, -1, -1});
  checkValue(K::cast({1.9, -1.9, nan_, 1e20}, "int32"), Array{1, -1, 0, 2147483647});
  checkValue(K::cast({0.0, 0.5}, "bool"), Array{false, true});
  checkValue(K::equal({1.0, 2.0}, {1.0, 3.0}), Array{true, false});
  checkValue(~(K::variable({1.0, 2.0}) < 1.5), Array{false, true});
  CHECK_THROWS_AS(K::pow(i, -1), keratin::ValueError);
}

TEST_CASE("values of reductions") {
  Tensor x = K::variable({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  checkValue(K::sum(x), Array(21.0));
  checkValue(K::prod(x, 1), Array{6.0, 120.0});
  checkValue(K::mean(x, 0, true), Array{{2.5, 3.5, 4.5}});
  checkValue(K::var(x, 1), Array{2.0 / 3, 2.0 / 3});
  checkValue(K::std(x), Array(std::sqrt(35.0 / 12)));
  checkValue(K::max(x, {0, 1}), Array(6.0));
  checkValue(K::argmax({{1.0, 3.0, 3.0}, {nan_, 5.0, 6.0}}), Array{1, 0});
  checkValue(K::cumsum(x, 1), Array{{1.0, 3.0, 6.0}, {4.0, 9.0, 15.0}});
  checkValue(K::cumprod(x, 0), Array{{1.0, 2.0, 3.0}, {4.0, 10.0, 18.0}});
  checkValue(K::any({{0.0, 2.0}, {0.0, 0.0}}, 1), Array{true, false});
  checkValue(K::all({{1.0, 2.0}, {0.0, 1.0}}, 1), Array{true, false});
  checkValue(K::mean(K::variable({1, 2}, "int32")), Array(1.5));
  Tensor empty = K::zeros({0, 2});
  checkValue(K::sum(empty, 0), Array{0.0, 0.0});
  checkValue(K::prod(empty, 0), Array{1.0, 1.0});
  checkValue(K::max(empty, 0), Array{-inf, -inf});
  checkValue(K::logsumexp({1e4, 1e-4}), Array(1e4));
  checkValue(K::logsumexp({-inf, -inf}), Array(-inf));
  checkValue(K::logsumexp({inf, 1.0}), Array(inf));
  checkValue(K::logsumexp({{1.0, 2.0}}, 1, true), Array{{std::log(std::exp(1) + std::exp(2))}});
}

TEST_CASE("products") {
  Tensor x = K::variable({{1, 2}, {3, 4}}), y = K::variable({{5, 6}, {7, 8}});
  checkValue(K::dot(x, y), Array{{19.0, 22.0}, {43.0, 50.0}});
  checkValue(K::batch_dot(x, y, 1), Array{{17.0}, {53.0}});
  checkValue(K::dot(x, {1.0, 10.0}), Array{21.0, 43.0});
  checkValue(K::dot(2.0, x), Array{{2.0, 4.0}, {6.0, 8.0}});
  checkValue(K::transpose(x), Array{{1.0, 3.0}, {2.0, 4.0}});
  checkValue(K::gather(x, K::constant({1, 0, 1}, "int32")),
             Array{{3.0, 4.0}, {1.0, 2.0}, {3.0, 4.0}});
  CHECK_THROWS_AS(K::eval(K::gather(x, K::constant({2}, "int32"))), keratin::ValueError);
  CHECK_THROWS_AS(K::eval(K::gather(x, K::constant({-1}, "int32"))), keratin::ValueError);
}

TEST_CASE("moving elements") {
  Tensor x = K::variable({{1, 2, 3}, {4, 5, 6}});
  checkValue(K::concatenate({x, x}, 0),
             Array{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  checkValue(K::stack({x[0], x[1]}, 1), Array{{1.0, 4.0}, {2.0, 5.0}, {3.0, 6.0}});
  checkValue(K::repeat_elements(x, 2, 0),
             Array{{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {4.0, 5.0, 6.0}});
  checkValue(K::tile({1.0, 2.0}, 2), Array{1.0, 2.0, 1.0, 2.0});
  checkValue(K::repeat({{1.0, 2.0}}, 2), Array{{{1.0, 2.0}, {1.0, 2.0}}});
  checkValue(K::reverse(x, 1), Array{{3.0, 2.0, 1.0}, {6.0, 5.0, 4.0}});
  checkValue(K::slice(x, {0, 1}, {-1, 2}), Array{{2.0, 3.0}, {5.0, 6.0}});
  checkValue(K::temporal_padding({{{1.0}, {2.0}}}, {1, 2}),
             Array{{{0.0}, {1.0}, {2.0}, {0.0}, {0.0}}});
  checkValue(K::one_hot(K::constant({2, 0, -1, 3}, "int32"), 3),
             Array{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  checkValue(K::eye({2, 3}), Array{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
  checkValue(K::arange(1, 10, 3), Array{1, 4, 7});
  checkValue(K::arange(5, 0, -2), Array{5, 3, 1});
  checkValue(K::arange(0, 1, 0.25, "float32"), Array{0.0, 0.25, 0.5, 0.75});
}

TEST_CASE("indexing follows Python") {
  Tensor x = K::variable({0, 1, 2, 3, 4, 5});
  checkValue(x[Slice(1, 4)], Array{1.0, 2.0, 3.0});
  checkValue(x[Slice(-2, None)], Array{4.0, 5.0});
  checkValue(x[Slice(None, None, -2)], Array{5.0, 3.0, 1.0});
  checkValue(x[Slice(4, 0, -3)], Array{4.0, 1.0});
  checkValue(x[Slice(10, 20)], Array::zeros(DType::Float32, {0}));
  checkValue(x[Slice(3, 1)], Array::zeros(DType::Float32, {0}));
  checkValue(x[-1], Array(5.0));
  checkValue(x[K::constant(2, "int32")], Array(2.0));
  checkValue(x[K::constant({5, 0}, "int32")], Array{5.0, 0.0});
  CHECK_THROWS_AS(K::eval(x[K::variable(6, "int32")]), keratin::ValueError);
  Tensor p = K::placeholder({None});
  auto f = K::function({p}, {p[Slice(1, -1)], p[Slice(None, None, -1)], p[Slice(-3, None)]});
  for (int n : {0, 1, 2, 5}) {
    std::vector<double> all, inner, back, tail;
    for (int i = 0; i < n; ++i) {
      all.push_back(i);
      back.insert(back.begin(), i);
      if (i > 0 && i < n - 1)
        inner.push_back(i);
      if (i >= n - 3)
        tail.push_back(i);
    }
    std::vector<Array> result = f({Array(all)});
    checkArray(result[0], Array(inner));
    checkArray(result[1], Array(back));
    checkArray(result[2], Array(tail));
  }
}

TEST_CASE("relu") {
  Operand x = {-4.0, -3.0, -2.8, -1.0, 0.0, 0.5, 0.8, 1.0, 4.0, 5.0, 6.0, 9.0};
  // The slope and the threshold are rounded, and their product.
  constexpr double rounding = 2 * float32Ulp;
  checkValue(K::relu(x, .1, 5, .8),
             Array{-.48, -.38, -.36, -.18, -.08, -.03, 0., 1., 4., 5., 5., 5.}, rounding);
  checkValue(K::relu(x, .1, 5, -2.8), Array{-.12, -.02, 0., 0., 0., .5, .8, 1., 4., 5., 5., 5.},
             rounding);
  checkValue(K::relu(x, .1, None, -2.8), Array{-.12, -.02, 0., -1., 0., .5, .8, 1., 4., 5., 6., 9.},
             rounding);
  checkValue(K::relu(x, .1, 0, .8),
             Array{-.48, -.38, -.36, -.18, -.08, -.03, 0., 0., 0., 0., 0., 0.}, rounding);
  checkValue(K::relu({nan_, -1.0, 2.0}), Array{nan_, 0.0, 2.0});
}

TEST_CASE("activations at the extremes") {
  checkValue(K::softmax({{1000.0, 1000.0}, {-1000.0, 0.0}}), Array{{0.5, 0.5}, {0.0, 1.0}});
  checkValue(K::sigmoid({-1000.0, 0.0, 1000.0}), Array{0.0, 0.5, 1.0});
  checkValue(K::softplus({-1000.0, 0.0, 1000.0}), Array{0.0, std::log(2.0), 1000.0},
             4 * float32Ulp);
  checkValue(K::softsign({-1.0, 3.0}), Array{-0.5, 0.75});
  checkValue(K::hard_sigmoid({-3.0, 0.0, 1.0, 3.0}), Array{0.0, 0.5, 0.7, 1.0}, float32Ulp);
  checkValue(K::elu({-1.0, 2.0, 1000.0}, 2.0), Array{2 * std::expm1(-1.0), 2.0, 1000.0},
             2 * float32Ulp);
  checkValue(K::l2_normalize({{3.0, 4.0}, {0.0, 0.0}}, 1), Array{{0.6, 0.8}, {0.0, 0.0}},
             2 * float32Ulp);
  checkValue(K::tanh({-1000.0, 1000.0}), Array{-1.0, 1.0});
}

TEST_CASE("crossentropies") {
  checkValue(K::binary_crossentropy({1., 0., 1., .5}, {.9, .9, 0., .5}),
             Array{.105360, 2.302584, 15.424949, .693147}, 1e-5);
  checkValue(K::binary_crossentropy({0.}, {1.}), Array{15.333239}, 1e-5);
  checkValue(K::binary_crossentropy({1., 0., 1., .5}, {2., 2., -30., 0.}, true),
             Array{.126928, 2.126928, 30., .693147}, 1e-5);
  checkValue(
      K::categorical_crossentropy({{0., 0., 1.}, {1., 0., 0.}}, {{.2, .3, .5}, {0., 0., 1.}}),
      Array{.693147, 16.118095}, 1e-5);
  checkValue(K::sparse_categorical_crossentropy({2., 0.}, {{.2, .3, .5}, {0., 0., 1.}}),
             Array{.693147, 16.118095}, 1e-5);
  Operand logits = {{1000., 0., -1000.}, {0., 0., 0.}};
  checkValue(K::categorical_crossentropy({{0., 1., 0.}, {1., 0., 0.}}, logits, true),
             Array{1000., std::log(3.)});
  checkValue(K::sparse_categorical_crossentropy({{1.}, {0.}}, logits, true),
             Array{1000., std::log(3.)});
  checkValue(K::sparse_categorical_crossentropy({1., 3.}, logits, true), Array{1000., nan_});
  CHECK_THROWS_AS(K::categorical_crossentropy(logits, logits, false, -2), keratin::ValueError);
  Tensor t = K::placeholder({None, 3}), y = K::placeholder({None, 3});
  auto f = K::function({t, y}, {K::categorical_crossentropy(t, y, true)});
  CHECK_THROWS_AS(f({Array::zeros(DType::Float32, {2, 3}), Array::zeros(DType::Float32, {3, 3})}),
                  keratin::ValueError);
}

TEST_CASE("biases, batch normalisation, ranking") {
  Tensor x = K::variable({{1., 2.}, {3., 6.}});
  checkValue(K::bias_add(x, {10., 20.}), Array{{11., 22.}, {13., 26.}});
  checkValue(K::bias_add(K::zeros({1, 2, 3}), {1., 2.}, "channels_first"),
             Array{{{1., 1., 1.}, {2., 2., 2.}}});
  CHECK_THROWS_AS(K::bias_add(K::zeros({1, 2, 3}), K::zeros({1, 2, 3})), keratin::ValueError);
  auto [y, mean, variance] = K::normalize_batch_in_training(x, {2., 1.}, {0., 1.}, 0, 0.);
  checkValue(mean, Array{2., 4.});
  checkValue(variance, Array{1., 4.});
  checkValue(y, Array{{-2., 0.}, {2., 2.}});
  checkValue(K::batch_normalization(x, {2., 4.}, {1., 4.}, {0., 1.}, {2., 1.}, -1, 0.),
             Array{{-2., 0.}, {2., 2.}});
  checkValue(K::batch_normalization(x, {2., 4.}, {1., 4.}, None, None, 1, 0.),
             Array{{-1., -1.}, {1., 1.}});
  Operand p = {{.1, .5, .4}, {.3, .3, .3}, {.1, nan_, .2}};
  checkValue(K::in_top_k(p, K::constant({2, 0, 0}, "int32"), 1), Array{false, true, false});
  checkValue(K::in_top_k(p, K::constant({2, 3, 0}, "int32"), 2), Array{true, false, false});
}

TEST_CASE("shapes at run time") {
  Tensor x = K::placeholder({None, 3});
  auto f = K::function(
      {x}, {K::shape(x), K::size(x), K::ones_like(x), K::reshape(x, {-1}), K::shape(x)[0] * 2});
  std::vector<Array> result = f({Array::zeros(DType::Float32, {2, 3})});
  checkArray(result[0], Array{2, 3});
  checkArray(result[1], Array(6));
  checkArray(result[2], Array{{1., 1., 1.}, {1., 1., 1.}});
  CHECK(result[3].shape() == std::vector<int64_t>{6});
  checkArray(result[4], Array(4));
}

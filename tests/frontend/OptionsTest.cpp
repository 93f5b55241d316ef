// Optional arguments by name mean what they mean by place.
#include "tests/frontend/FrontendTest.h"

TEST_CASE("what is made takes its options by name", "[options]") {
  Tensor x = K::placeholder({None, 3}, {.dtype = "int32", .name = "option_x"});
  CHECK(x.name() == "option_x:0");
  CHECK(x.dtype() == DType::Int32);
  CHECK(K::placeholder(None, {.ndim = 2}).ndim() == 2);
  CHECK(K::is_sparse(K::placeholder({2, 3}, {.sparse = true})));
  CHECK(K::placeholder({2}, {}).shape() == StaticShape{2});
  Tensor w = K::variable(1.0, {.dtype = "float64", .name = "option_w"});
  CHECK(w.name() == "option_w:0");
  CHECK(w.dtype() == DType::Float64);
  CHECK(K::zeros({2}, {.dtype = "int8"}).dtype() == DType::Int8);
  CHECK(K::ones_like(w, {.dtype = "int8"}).dtype() == DType::Int8);
  CHECK(K::eye(2, {.dtype = "int8"}).dtype() == DType::Int8);
  checkValue(K::constant(2, {.shape = {2}}), Array{2.0, 2.0});
  checkValue(K::arange(1, {.stop = 7, .step = 2}), Array{1, 3, 5});
}

TEST_CASE("windows take their options by name", "[options]") {
  Tensor x = K::random_normal({1, 6, 6, 2}, {.seed = 1}), kernel = K::random_normal({3, 3, 2, 4});
  CHECK(K::conv2d(x, kernel, {.padding = "same"}).shape() == StaticShape{1, 6, 6, 4});
  CHECK(K::conv2d(x, kernel, {.strides = 2}).shape() == StaticShape{1, 2, 2, 4});
  CHECK(K::conv2d(x, kernel, {.strides = {1, 2}}).shape() == StaticShape{1, 4, 2, 4});
  CHECK(K::conv2d(x, kernel, {.dilation_rate = 2}).shape() == StaticShape{1, 2, 2, 4});
  CHECK(K::conv2d_transpose(x, K::zeros({3, 3, 5, 2}), {1, 6, 6, 5}, {.padding = "same"}).shape() ==
        StaticShape{1, 6, 6, 5});
  CHECK(K::pool2d(x, {2, 2}, {.strides = 2, .pool_mode = "avg"}).shape() ==
        StaticShape{1, 3, 3, 2});
  // Without names braces are the strides, as ever.
  CHECK(K::conv2d(x, kernel, {1, 2}).shape() == StaticShape{1, 4, 2, 4});
  CHECK(K::pool2d(x, {2, 2}, {2, 2}).shape() == StaticShape{1, 3, 3, 2});
}

TEST_CASE("the other functions take their options by name", "[options]") {
  const Array matrix = {{1.0, 2.0}, {3.0, 5.0}};
  checkValue(K::sum(matrix, {.axis = 0, .keepdims = true}), Array{{4.0, 7.0}});
  checkValue(K::max(matrix, {.keepdims = true}), Array{{5.0}});
  checkValue(K::sum(matrix, {0, 1}), Array(11.0));
  checkValue(K::relu(matrix, {.max_value = 2.5}), Array{{1.0, 2.0}, {2.5, 2.5}});
  checkValue(K::foldl([](const Tensor &sum, const Tensor &row) { return sum + row; }, matrix,
                      {.initializer = Array{1.0, 1.0}}),
             Array{5.0, 8.0});
  Tensor same = K::random_uniform({3}, {.minval = 2.0, .maxval = 3.0, .seed = 7});
  checkValue(same, K::random_uniform({3}, 2.0, 3.0, None, 7).eval());
  Tensor steps = K::constant(Array{{{1.0}, {2.0}, {3.0}}});
  auto step = [](const Tensor &in, const Tensor &sum) { return std::pair(in + sum, in + sum); };
  auto [last, all, states] = K::rnn(step, steps, K::zeros({1, 1}), {.go_backwards = true});
  checkValue(all, Array{{{3.0}, {5.0}, {6.0}}});
  CHECK(K::function({}, {K::constant(1)}, {}, {.name = "by_option"}).name() == "by_option");
}

TEST_CASE("Fourier transforms take their options by name", "[options]") {
  Tensor x = K::zeros({4, 6, 10});
  CHECK(K::rfft(x, {.axis = 1}).shape() == StaticShape{4, 4, 10});
  CHECK(K::irfft(K::rfft(x), {.n = 7, .norm = "ortho"}).shape() == StaticShape{4, 6, 7});
  CHECK(K::fft2(x, {.s = {3, 5}}).shape() == StaticShape{4, 3, 5});
  CHECK(K::rfftn(x, {.axes = {2, 0}}).shape() == StaticShape{3, 6, 10});
  // By place.
  CHECK(K::fft(x, 8, 0).shape() == StaticShape{8, 6, 10});
  CHECK(K::ifftn(x, {3, 5}, {0, 1}).shape() == StaticShape{3, 5, 10});
  checkValue(K::real(K::fft(Array{1.0, 2.0, 4.0, 8.0})), Array{15.0, -3.0, -5.0, -3.0});
  checkValue(K::imag(K::fft(Array{1.0, 2.0, 4.0, 8.0}, {.norm = "forward"})),
             Array{0.0, 1.5, 0.0, -1.5});
  checkValue(K::irfft(K::rfft(Array{1.0, 2.0, 4.0, 8.0})), Array{1.0, 2.0, 4.0, 8.0});
  checkValue(K::fftshift(Array{1, 2, 3, 4, 5}), Array{4, 5, 1, 2, 3});
  checkValue(K::fftfreq(4, 0.5), Array{0.0, 0.5, -1.0, -0.5});
}

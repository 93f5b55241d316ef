// The loss of connectionist temporal classification: the specification's numbers, every alignment
// by hand, derivatives.
#include "tests/frontend/FrontendTest.h"

#include "keratin/ctc.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

// Four frames over four classes, the last of which is the blank.
static Array frames() {
  return Array({{0.5, 0.2, 0.1, 0.2},
                {0.1, 0.6, 0.1, 0.2},
                {0.1, 0.5, 0.1, 0.3},
                {0.05, 0.15, 0.6, 0.2}})
      .astype(DType::Float32);
}

static double cost(const Array &probabilities, const std::vector<int> &labels, int64_t time,
                   int64_t labelLength) {
  Array y = probabilities.reshape({1, probabilities.shape()[0], probabilities.shape()[1]});
  Array given(labels, {1, int64_t(labels.size())});
  Tensor result =
      K::ctc_batch_cost(given, K::variable(y, "float64"), Array{{time}}, Array{{labelLength}});
  Array value = K::eval(result);
  REQUIRE(value.shape() == std::vector<int64_t>{1, 1});
  return value.item();
}

// -log of the sum over all alignments of the probabilities' product: repeated classes collapse,
// then blanks go.
static double costByHand(const Array &probabilities, const std::vector<int> &labels, int64_t time) {
  const int64_t classes = probabilities.shape()[1];
  const double epsilon = K::epsilon();
  std::vector<int> alignment(size_t(time), 0);
  double sum = 0;
  for (;;) {
    std::vector<int> collapsed;
    double product = 1;
    for (int64_t t = 0; t < time; ++t) {
      double all = 0;
      for (int64_t c = 0; c < classes; ++c)
        all += probabilities.item(t * classes + c) + epsilon;
      product *= (probabilities.item(t * classes + alignment[size_t(t)]) + epsilon) / all;
      bool repeats = t > 0 && alignment[size_t(t)] == alignment[size_t(t - 1)];
      if (!repeats && alignment[size_t(t)] != classes - 1)
        collapsed.push_back(alignment[size_t(t)]);
    }
    if (collapsed == labels)
      sum += product;
    int64_t t = 0;
    while (t < time && ++alignment[size_t(t)] == classes)
      alignment[size_t(t++)] = 0;
    if (t == time)
      return -std::log(sum);
  }
}

static Array randomProbabilities(std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.05, 1.0);
  Array y = Array::zeros(DType::Float64, std::move(shape));
  for (int64_t i = 0; i < y.size(); ++i)
    y.data<double>()[i] = uniform(random);
  return y;
}

TEST_CASE("ctc_batch_cost has the specification's values") {
  CHECK(cost(frames(), {0, 1, 2}, 4, 3) == Approx(1.518684).epsilon(1e-6));
  CHECK(cost(frames(), {1, 1}, 4, 2) == Approx(3.932226).epsilon(1e-6));
}

TEST_CASE("ctc_batch_cost sums over every alignment") {
  Array y = randomProbabilities({5, 3}, 3);
  for (const std::vector<int> &labels : std::vector<std::vector<int>>{
           {}, {0}, {1}, {0, 0}, {0, 1}, {1, 1, 0}, {0, 1, 0, 1}, {1, 0, 1, 0, 1}})
    for (int64_t time = 0; time <= 5; ++time) {
      INFO(labels.size() << " labels, " << time << " frames");
      double expected = costByHand(y, labels, time);
      double found = cost(y, labels, time, int64_t(labels.size()));
      if (std::isinf(expected))
        CHECK(found == expected);
      else
        CHECK(found == Approx(expected).epsilon(1e-9).margin(1e-9));
    }
}

TEST_CASE("ctc_batch_cost takes what lies behind the lengths for nothing") {
  Array y = randomProbabilities({4, 3}, 4);
  double expected = cost(y, {1, 0}, 3, 2);
  Array other = y;
  for (int64_t c = 0; c < 3; ++c)
    other.data<double>()[9 + c] = 0.5;
  CHECK(cost(other, {1, 0}, 3, 2) == Approx(expected).epsilon(1e-12));
  CHECK(cost(y, {1, 0, -1, 77}, 3, 2) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("ctc_batch_cost is compiled once for all sizes") {
  Tensor labels = K::placeholder({None, None}, None, "int32");
  Tensor y = K::placeholder({None, None, None}, None, "float64");
  Tensor time = K::placeholder({None, 1}, None, "int64"),
         length = K::placeholder({None}, None, "float32");
  K::Function f =
      K::function({labels, y, time, length}, {K::ctc_batch_cost(labels, y, time, length)});
  for (auto [samples, frames, classes] :
       {std::array<int64_t, 3>{1, 4, 3}, {3, 5, 2}, {2, 1, 4}, {0, 3, 3}}) {
    Array p = randomProbabilities({samples, frames, classes}, 5);
    std::vector<int> given;
    std::vector<int64_t> times;
    std::vector<float> lengths;
    for (int64_t b = 0; b < samples; ++b) {
      given.insert(given.end(), {0, int(b % (classes - 1))});
      times.push_back(frames - b % 2);
      lengths.push_back(float(1 + b % 2));
    }
    Array cost = f({Array(given, {samples, 2}), p, Array(times, {samples, 1}), Array(lengths)})[0];
    REQUIRE(cost.shape() == std::vector<int64_t>{samples, 1});
    for (int64_t b = 0; b < samples; ++b) {
      std::vector<double> part(size_t(frames * classes));
      for (size_t i = 0; i < part.size(); ++i)
        part[i] = p.item(b * frames * classes + int64_t(i));
      std::vector<int> own(given.begin() + 2 * b, given.begin() + 2 * b + 1 + b % 2);
      double expected = costByHand(Array(part, {frames, classes}), own, times[size_t(b)]);
      if (std::isinf(expected))
        CHECK(cost.item(b) == expected);
      else
        CHECK(cost.item(b) == Approx(expected).epsilon(1e-9));
    }
  }
}

TEST_CASE("ctc_batch_cost has first and second derivatives") {
  Array at = randomProbabilities({2, 4, 3}, 6);
  Tensor y = K::placeholder({2, 4, 3}, None, "float64");
  Tensor cost = K::ctc_batch_cost(Array{{1, 0}, {0, 0}}, y, Array{{4}, {3}}, Array{{2}, {2}});
  Tensor weighted = K::sum(cost * Array{{1.0}, {-0.7}});
  Tensor first = K::gradients(weighted, {y})[0].value();
  Tensor probe = K::sum(first * K::cos(K::variable(at, "float64") * 3.0));
  Tensor second = K::gradients(probe, {y})[0].value();
  K::Function f = K::function({y}, {weighted, first, probe, second});
  auto results = f({at});
  const double step = 1e-5;
  for (int64_t i = 0; i < at.size(); ++i) {
    Array high = at, low = at;
    high.data<double>()[i] += step;
    low.data<double>()[i] -= step;
    auto above = f({high}), below = f({low});
    INFO("element " << i);
    CHECK(results[1].item(i) ==
          Approx((above[0].item() - below[0].item()) / (2 * step)).epsilon(1e-5).margin(1e-7));
    CHECK(results[3].item(i) ==
          Approx((above[2].item() - below[2].item()) / (2 * step)).epsilon(1e-4).margin(1e-6));
  }
}

TEST_CASE("a label that does not fit costs infinity and has no gradient") {
  Tensor y = K::placeholder({1, 2, 3}, None, "float32");
  Tensor cost = K::ctc_batch_cost(Array{{1, 1}}, y, Array{{2}}, Array{{2}});
  K::Function f = K::function({y}, {cost, K::gradients(K::sum(cost), {y})[0].value()});
  auto results = f({randomProbabilities({1, 2, 3}, 7)});
  CHECK(results[0].item() == std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < 6; ++i)
    CHECK(results[1].item(i) == 0.0);
}

TEST_CASE("ctc_batch_cost is exact over hundreds of unlikely frames") {
  // The same two probabilities everywhere: the cost is known by counting alignments of one label.
  const int64_t time = 300;
  Array y = Array::zeros(DType::Float32, {1, time, 2});
  for (int64_t t = 0; t < time; ++t) {
    y.data<float>()[2 * t] = 1e-4f;
    y.data<float>()[2 * t + 1] = 1.0f - 1e-4f;
  }
  double p = (1e-4 + 1e-7) / (1.0 + 2e-7), q = 1 - p, sum = 0;
  for (int64_t run = 1; run <= time; ++run)
    sum += double(time - run + 1) * std::pow(p, double(run)) * std::pow(q, double(time - run));
  Array found = K::eval(K::ctc_batch_cost(Array{{0}}, K::variable(y), Array{{time}}, Array{{1}}));
  CHECK(found.item() == Approx(-std::log(sum)).epsilon(1e-5));
}

TEST_CASE("ctc_batch_cost refuses labels and lengths out of range") {
  Tensor labels = K::placeholder({1, 2}, None, "int32"), y = K::placeholder({1, 3, 3});
  Tensor time = K::placeholder({1, 1}, None, "int32"),
         length = K::placeholder({1, 1}, None, "int32");
  K::Function f =
      K::function({labels, y, time, length}, {K::ctc_batch_cost(labels, y, time, length)});
  Array p = randomProbabilities({1, 3, 3}, 8);
  auto call = [&](int label, int frames, int count) {
    return f({Array{{0, label}}, p, Array{{frames}}, Array{{count}}});
  };
  CHECK_NOTHROW(call(1, 3, 2));
  CHECK_NOTHROW(call(2, 3, 1)); // not counted
  CHECK_THROWS_WITH(
      call(2, 3, 2),
      Catch::Contains("ctc_batch_cost: a label of y_true is outside [0, classes - 2]"));
  CHECK_THROWS_WITH(call(-1, 3, 2), Catch::Contains("a label of y_true is outside"));
  CHECK_THROWS_WITH(
      call(1, 4, 2),
      Catch::Contains("ctc_batch_cost: an entry of input_length is outside [0, time]"));
  CHECK_THROWS_WITH(call(1, -1, 2), Catch::Contains("an entry of input_length is outside"));
  CHECK_THROWS_WITH(call(1, 3, 3),
                    Catch::Contains("an entry of label_length is outside [0, labels]"));
  CHECK_THROWS_WITH(K::ctc_batch_cost(labels, labels, time, length),
                    Catch::Contains("y_pred has shape (1, 2); needed (samples, time, classes)"));
  CHECK_THROWS_WITH(K::ctc_batch_cost(y, y, time, length),
                    Catch::Contains("y_true has shape (1, 3, 3); needed (samples, labels)"));
  CHECK_THROWS_WITH(K::ctc_batch_cost(labels, y, y, length),
                    Catch::Contains("input_length has shape (1, 3, 3); needed (samples, 1)"));
}

TEST_CASE("the functions for one sample have the specification's values") {
  CHECK(K::eval(K::ctc_interleave_blanks(Array{1, 1})).toVector<int>() ==
        std::vector<int>{-1, 1, -1, 1, -1});
  Tensor predict = K::variable(frames());
  CHECK(K::eval(K::ctc_cost(predict, Array{0, 1, 2})).item() == Approx(0.132647).epsilon(1e-5));
  CHECK(K::eval(K::ctc_cost(predict, Array{1, 1})).item() == Approx(2.545984).epsilon(1e-5));
  auto [logP, mask] = K::ctc_path_probs(predict, Array{-1, 1, -1, 1, -1});
  CHECK(K::eval(mask).toVector<int>() ==
        std::vector<int>{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1});
  Array found = K::eval(logP);
  REQUIRE(found.shape() == std::vector<int64_t>{4, 5});
  const double expected[] = {-5.22142, -4.25456};
  for (int64_t i = 0; i < 2; ++i)
    CHECK(found.item(i) == Approx(expected[i]).epsilon(1e-5));
}

TEST_CASE("ctc_update_log_p makes one step") {
  Array previous = Array({-1.0, -2.0, 5.0, 5.0, 5.0}).astype(DType::Float32);
  Array current = Array({0.1, 0.2, 0.3, 0.4, 0.5}).astype(DType::Float32);
  Array zeros = Array({9.0, 9.0, 9.0, 9.0, 9.0}).astype(DType::Float32);
  auto [active, logP] = K::ctc_update_log_p(Array{1, 3}, zeros, 2, current, previous);
  CHECK(active.dtype() == DType::Int32);
  CHECK(K::eval(active).item() == 4); // state 1 may skip to state 3
  Array found = K::eval(logP);
  double p = std::exp(-1.0), q = std::exp(-2.0);
  const double expected[] = {0.1 + std::log(p), 0.2 + std::log(p + q), 0.3 + std::log(q),
                             0.4 + std::log(q), 9.0};
  for (int64_t i = 0; i < 5; ++i)
    CHECK(found.item(i) == Approx(expected[i]).epsilon(1e-5));
}

TEST_CASE("ctc_cost has a derivative") {
  Array at = randomProbabilities({4, 3}, 9);
  Tensor y = K::placeholder({None, 3}, None, "float64");
  Tensor cost = K::ctc_cost(y, Array{0, 1});
  K::Function f = K::function({y}, {cost, K::gradients(cost, {y})[0].value()});
  Array gradient = f({at})[1];
  for (int64_t i = 0; i < at.size(); ++i) {
    Array high = at, low = at;
    high.data<double>()[i] += 1e-5;
    low.data<double>()[i] -= 1e-5;
    CHECK(gradient.item(i) ==
          Approx((f({high})[0].item() - f({low})[0].item()) / 2e-5).epsilon(1e-5).margin(1e-7));
  }
}

TEST_CASE("the functions for one sample refuse what does not fit") {
  CHECK_THROWS_WITH(K::ctc_interleave_blanks(Array{1.5}),
                    Catch::Contains("; needed a vector of integers"));
  CHECK_THROWS_WITH(K::ctc_cost(Array{1.0}, Array{1}),
                    Catch::Contains("predict has shape (1); needed (time, classes)") ||
                        Catch::Contains("predict has shape (1,); needed (time, classes)"));
  CHECK_THROWS_WITH(K::ctc_update_log_p(Array{1}, Array{0.0}, 1, Array{0.0}, Array{{0.0}}),
                    Catch::Contains("log_p_prev has shape"));
  CHECK_THROWS_WITH(K::ctc_update_log_p(Array{1}, Array{0.0}, Array{1}, Array{0.0}, Array{0.0}),
                    Catch::Contains("active has shape") && Catch::Contains("; needed a scalar"));
}

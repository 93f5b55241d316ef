// Functions that look for NaN and infinities (FunctionOptions::checkNumbers).
#include "tests/frontend/FrontendTest.h"

#include <keratin/runtime.h>

#include <cstdlib>
#include <limits>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The interpreter that stands in for the compiler checks nothing.
bool isCompiled() { return !std::getenv("KERATIN_TEST_PROGRAM"); }

keratin::Function checked(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
                          const std::vector<keratin::Update> &updates = {}) {
  keratin::FunctionOptions options;
  options.checkNumbers = true;
  return K::function(inputs, outputs, updates, "f", options);
}

// The call's report, which is the same with any number of threads.
std::string reportOf(const keratin::Function &function, const std::vector<Array> &inputs) {
  auto call = [&] { return errorOf<keratin::FloatingPointError>([&] { function(inputs); }); };
  std::string report = call();
  for (int threads : {2, 5}) {
    keratin_set_num_threads(threads);
    CHECK(call() == report);
  }
  keratin_set_num_threads(1);
  return report;
}

void checkReport(const keratin::Function &function, const std::vector<Array> &inputs,
                 const std::string &what, int line) {
  std::string place = "CheckNumbersTest.cpp:" + std::to_string(line);
  INFO("expected: " << what);
  std::string report = reportOf(function, inputs);
  CHECK_THAT(report, Catch::Contains(what));
  CHECK_THAT(report, Catch::EndsWith(place));
}

} // namespace

TEST_CASE("a call that makes NaN or an infinity names the op", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({2, 3}), y = K::placeholder({2, 3});
  const Array ones(std::vector<float>(6, 1.0f));
  Array two = Array(std::vector<float>{1, 1, 1, 1, 0, 1}).reshape({2, 3});
  Array one = Array(std::vector<float>(6, 1.0f)).reshape({2, 3});
  {
    int line = __LINE__ + 1;
    Tensor z = K::sum(K::exp(K::log(x) * 2.0));
    checkReport(checked({x}, {z}), {two}, "log: made -infinity of 0 at element [1, 1]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::mean(1.0 / (x * 3.0));
    checkReport(checked({x}, {z}), {two}, "div: made infinity of 1 and 0 at element [1, 1]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::tanh(K::exp(x * 100.0));
    checkReport(checked({x}, {z}), {one}, "exp: made infinity of 100 at element [0, 0]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::relu(K::log(x)); // hides -infinity
    checkReport(checked({x}, {z}), {two}, "log: made -infinity of 0", line);
  }
  {
    Tensor big = x * 3e38; // finite
    int line = __LINE__ + 1;
    Tensor z = K::max(big + big, 1) * 0.0;
    checkReport(checked({x}, {z}), {two}, "add: made infinity", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::dot(x * 2e19, K::transpose(y * 2e19));
    checkReport(checked({x, y}, {z}), {one, one}, "dot: made infinity at element [0, 0]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::argmax(K::log(x - 2.0));
    checkReport(checked({x}, {z}), {one}, "log: made NaN of -1 at element [0, 0]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::cumsum(x * 2e38, 1);
    checkReport(checked({x}, {z}), {one}, "cumsum: made infinity at element [0, 1]", line);
  }
  {
    int line = __LINE__ + 1;
    Tensor z = K::cast(x * 1e5, "float16");
    checkReport(checked({x}, {z}), {one}, "cast: made infinity of 100000", line);
  }
}

TEST_CASE("the first op in the user's order is reported, and what it spoils is not", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({4});
  int line = __LINE__ + 1;
  Tensor a = K::log(x), b = K::sqrt(x);
  Tensor c = a - b * 2.0, d = c * c;
  keratin::Function f = checked({x}, {d, K::exp(b), K::sum(a)});
  checkReport(f, {Array(std::vector<float>{1, -1, 0, 4})}, "log: made NaN of -1 at element [1]",
              line);
}

TEST_CASE("a failed check applies no update", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({3});
  Tensor w = K::variable(std::vector<float>{1, 2, 3}), n = K::variable(0.0);
  // One new value depends on the old, one does not, and the kernel that fails is the update itself.
  keratin::Function f = checked({x}, {}, {K::update(w, K::log(x)), K::update_add(n, 1.0)});
  f({Array(std::vector<float>{1, 1, 1})});
  checkArray(K::get_value(n), Array(1.0f));
  reportOf(f, {Array(std::vector<float>{1, 0, 1})});
  checkArray(K::get_value(n), Array(1.0f));
  checkArray(K::get_value(w), Array(std::vector<float>{0, 0, 0}));
  f({Array(std::vector<float>{1, 1, 1})});
  checkArray(K::get_value(n), Array(2.0f));
}

TEST_CASE("infinities that were meant are no findings", "[numbers]") {
  Tensor x = K::placeholder({2, 3});
  Array input = Array(std::vector<float>{1, 0, -1, 2, 3, -2}).reshape({2, 3});
  Tensor mask = K::constant(Array(std::vector<float>{0, -kInfinity, 0}));
  Tensor zeros = K::zeros_like(x);
  std::vector<Tensor> outputs = {
      K::softmax(x + mask),
      K::constant(kInfinity) + K::sum(x),
      K::max(K::minimum(x, kInfinity), 1),
      K::exp(x + mask),
      K::switch_(K::greater(x, zeros), K::log(x), zeros), // of what is not taken nothing counts
      K::switch_(K::greater(x, zeros), 1.0 / x, K::exp(x)),
  };
  keratin::Function f = checked({x}, outputs), plain = K::function({x}, outputs);
  std::vector<Array> found = f({input}), expected = plain({input});
  for (size_t i = 0; i < outputs.size(); ++i) {
    INFO("output " << i);
    checkArray(found[i], expected[i], 1e-6);
  }
}

TEST_CASE("gradients name the op that they are of", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({3});
  int line = __LINE__ + 1;
  Tensor y = K::sqrt(x);
  keratin::Function f = checked({x}, {K::gradients(K::sum(y), {x})[0].value()});
  std::string report = reportOf(f, {Array(std::vector<float>{1, 0, 4})});
  CHECK_THAT(report, Catch::Contains("gradient of sqrt, "));
  CHECK_THAT(report, Catch::Contains(" at element [1]"));
  CHECK_THAT(report, Catch::EndsWith("CheckNumbersTest.cpp:" + std::to_string(line)));
}

TEST_CASE("what the caller fed is named where it does harm", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({3}, std::nullopt, std::nullopt, false, "pixels");
  Tensor w = K::variable(std::vector<float>{1, 2, 3}, std::nullopt, "scales");
  keratin::Function f = checked({x}, {K::log(x * w)});
  CHECK_THAT(reportOf(f, {Array(std::vector<float>{1, kNan, 1})}),
             Catch::Contains("input 'pixels'") && Catch::Contains("holds NaN at element [1]"));
  CHECK_THAT(reportOf(f, {Array(std::vector<float>{kInfinity, 1, 1})}),
             Catch::Contains("holds infinity at element [0]"));
  // Harmless: a mask.
  Tensor soft = K::softmax(x);
  checkArray(checked({x}, {soft})({Array(std::vector<float>{0, -kInfinity, 0})})[0],
             Array(std::vector<float>{0.5, 0, 0.5}));
  K::set_value(w, Array(std::vector<float>{1, kNan, 3}));
  CHECK_THAT(reportOf(f, {Array(std::vector<float>{1, 1, 1})}),
             Catch::Contains("variable 'scales'"));
}

TEST_CASE("NaN of infinities that were meant is a finding", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({2});
  Tensor mask = K::constant(Array(std::vector<float>{-kInfinity, -kInfinity}));
  Tensor masked = x + mask;
  int line = __LINE__ + 1;
  Tensor z = masked - K::max(masked);
  checkReport(checked({x}, {z}), {Array(std::vector<float>{1, 2})},
              "sub: made NaN of -infinity and -infinity at element [0]", line);
}

TEST_CASE("loops name the step, branches only what they did", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({2, 6, 3});
  int line = 0;
  auto step = [&](const Tensor &input, const Tensor &h) {
    line = __LINE__ + 1;
    Tensor next = h + K::log(input);
    return std::make_pair(next, next);
  };
  Tensor zeros = K::zeros_like(K::sum(x, 1));
  Tensor last = std::get<0>(K::rnn(step, x, {zeros}));
  keratin::Function f = checked({x}, {last});
  std::vector<float> values(36, 1.0f);
  f({Array(values).reshape({2, 6, 3})});
  values[0 * 18 + 4 * 3 + 2] = 0; // time 4
  values[1 * 18 + 5 * 3 + 0] = 0; // time 5
  std::string report = reportOf(f, {Array(values).reshape({2, 6, 3})});
  CHECK_THAT(report, Catch::Contains("log: made -infinity of 0"));
  CHECK_THAT(report, Catch::EndsWith("CheckNumbersTest.cpp:" + std::to_string(line)));

  Tensor c = K::placeholder(StaticShape(), std::nullopt, "bool"), y = K::placeholder({64, 64});
  Tensor taken = K::switch_(
      c, [&] { return K::sum(K::log(K::dot(y, y))); }, [&] { return K::sum(K::dot(y, y)); });
  keratin::Function g = checked({c, y}, {taken});
  const Array none = K::eval(K::zeros({64, 64}));
  g({Array(false), none});
  CHECK_THAT(reportOf(g, {Array(true), none}), Catch::Contains("log: made -infinity of 0"));
}

TEST_CASE("constants that make an infinity are left to the call", "[numbers]") {
  if (!isCompiled())
    return;
  Tensor x = K::placeholder({2});
  int line = __LINE__ + 1;
  Tensor z = x + K::log(K::constant(0.0));
  checkReport(checked({x}, {z}), {Array(std::vector<float>{1, 2})}, "log: made -infinity of 0",
              line);
}

TEST_CASE("lanes beyond the end and empty tensors are no findings", "[numbers]") {
  Tensor x = K::placeholder({std::nullopt});
  keratin::Function f = checked({x}, {K::log(x), K::sum(1.0 / x), K::max(K::log(x) * 1.0)});
  for (int64_t n : {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 100, 1000})
    CHECK(f({Array(std::vector<float>(size_t(n), 2.0f))})[0].size() == n);
  keratin::Function empty = checked({x}, {K::log(x), K::sum(1.0 / x)});
  CHECK(empty({Array(std::vector<float>()).reshape({0})})[0].size() == 0);
}

// They take turns in the code, with one note of what all of them made.
TEST_CASE("each of the vectors side by side tells its numbers", "[numbers]") {
  if (!isCompiled())
    return;
  constexpr int64_t count = 4096, vectors = 128;
  Tensor x = K::placeholder({count});
  int line = __LINE__ + 1;
  const keratin::Function function = checked({x}, {K::tanh(K::sigmoid(K::log(x)))});
  for (int64_t i = 0; i < vectors; i += 7) {
    std::vector<float> values(count, 1.0f);
    values[size_t(i)] = 0;
    checkReport(function, {Array(values)},
                "log: made -infinity of 0 at element [" + std::to_string(i) + "]", line);
  }
}

TEST_CASE("a function that checks its numbers computes the same bits", "[numbers]") {
  Tensor x = K::placeholder({37, 19}), w = K::variable(K::eval(K::ones({19, 23})), "float32");
  Tensor h = K::tanh(K::dot(x, w) * 0.1), p = K::softmax(h);
  Tensor loss = K::mean(K::log(p) * h);
  std::vector<Tensor> outputs = {loss, p, K::gradients(loss, {w})[0].value()};
  keratin::Function f = checked({x}, outputs), plain = K::function({x}, outputs);
  std::vector<double> values;
  for (int i = 0; i < 37 * 19; ++i)
    values.push_back(std::sin(double(i)));
  Array input = Array(values).astype(DType::Float32).reshape({37, 19});
  std::vector<Array> found = f({input}), expected = plain({input});
  for (size_t i = 0; i < outputs.size(); ++i)
    checkArray(found[i], expected[i], 0);
}

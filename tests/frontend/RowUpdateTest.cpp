// Descent on the rows of a table that were looked up.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/TemporaryFile.h"

#include <cmath>
#include <cstdlib>

namespace {

// Row r has 2 r - 1 everywhere: no sum here is rounded.
Array tableOf(int64_t rows, int64_t width) {
  std::vector<float> elements;
  for (int64_t i = 0; i < rows * width; ++i)
    elements.push_back(float(2 * (i / width) - 1));
  return Array::copyOf(DType::Float32, {rows, width}, elements.data());
}

Array onesOf(int64_t rows, int64_t width) {
  std::vector<float> elements(size_t(rows * width), 1.0f);
  return Array::copyOf(DType::Float32, {rows, width}, elements.data());
}

constexpr int64_t rows = 48, width = 20, tableBytes = rows * width * int64_t(sizeof(float));

} // namespace

TEST_CASE("descent on an embedding changes the rows that are named, each by all its gradients") {
  for (bool known : {true, false}) {
    Tensor table = K::variable(tableOf(rows, width));
    auto count = known ? std::optional<int64_t>(4) : None;
    Tensor ids = K::placeholder({count}, None, "int32"), y = K::placeholder({count, width});
    Tensor loss = K::sum(K::gather(table, ids) * y);
    Tensor gradient = *K::gradients(loss, {table})[0];
    K::Function step = K::function({ids, y}, {loss}, {K::update_sub(table, 0.5 * gradient)});
    CHECK(step.arenaBytes() < tableBytes / 4); // nothing but the ids, and where equal ones are
    Array ones = onesOf(4, width);
    step({Array{7, 0, 7, 47}, ones});
    step({Array{7, 2, 2, 2}, ones});
    Array found = K::get_value(table), before = tableOf(rows, width);
    auto times = [](int64_t row) {
      return row == 7 || row == 2 ? 3.0 : row == 0 || row == 47 ? 1.0 : 0.0;
    };
    for (int64_t i = 0; i < rows * width; ++i) {
      INFO("element " << i);
      CHECK(found.item<double>(i) == before.item<double>(i) - 0.5 * times(i / width));
    }
  }
}

// Each square has two factors, which are one: 2^40 ways lead through forty.
TEST_CASE("an update by squares of squares of a gradient looks at each once") {
  Tensor table = K::variable(tableOf(rows, width));
  Tensor ids = K::placeholder({4}, None, "int32"), y = K::placeholder({4, width});
  Tensor step = *K::gradients(K::sum(K::gather(table, ids) * y), {table})[0];
  for (int i = 0; i < 40; ++i)
    step = step * step;
  K::Function descend = K::function({ids, y}, {K::sum(y)}, {K::update_sub(table, step)});
  descend({Array{7, 0, 7, 47}, onesOf(4, width)});
  CHECK(K::get_value(table).item<double>(0) == tableOf(rows, width).item<double>(0) - 1);
}

// The gradient alone, so that no gather of the call has looked at the indices; and another variable
// that is updated in the same call.
TEST_CASE("an index outside of a table leaves all variables as they were") {
  Tensor table = K::variable(tableOf(rows, width)), other = K::variable(tableOf(rows, width)),
         steps = K::variable(0.0);
  Tensor ids = K::placeholder({4}, None, "int32"), y = K::placeholder({4, width});
  auto gradientOf = [&](const Tensor &x, const Tensor &places) {
    return *K::gradients(K::sum(K::gather(x, places) * y), {x})[0];
  };
  Tensor others = K::placeholder({4}, None, "int32");
  K::Function step = K::function({ids, others, y}, {K::sum(y)},
                                 {K::update_sub(table, 0.5 * gradientOf(table, ids)),
                                  K::update_sub(other, 0.5 * gradientOf(other, others)),
                                  K::update_add(steps, 1.0)});
  Array ones = onesOf(4, width), inside{1, 2, 3, 3};
  for (const Array &outside : {Array{1, 2, 3, 48}, Array{-1, 2, 3, 4}})
    for (bool isFirst : {true, false}) {
      std::string message = errorOf<keratin::Error>(
          [&] { step({isFirst ? outside : inside, isFirst ? inside : outside, ones}); });
      CHECK(has(message, "is outside the first axis"));
      checkArray(K::get_value(table), tableOf(rows, width));
      checkArray(K::get_value(other), tableOf(rows, width));
      checkArray(K::get_value(steps), Array(0.0f));
    }
  step({inside, inside, ones});
  CHECK(K::get_value(steps).item() == 1.0);
  CHECK(K::get_value(table).item<double>(3 * width) == 4.0);
}

// The rate is a variable, as Keras has it.
TEST_CASE("a rate that is not finite is what a step of the whole table makes of it") {
  for (double number : {0.5, HUGE_VAL}) {
    Tensor table = K::variable(tableOf(rows, width)), rate = K::variable(number);
    Tensor ids = K::placeholder({2}, None, "int32"), y = K::placeholder({2, width});
    Tensor gradient = *K::gradients(K::sum(K::gather(table, ids) * y), {table})[0];
    K::Function step = K::function({ids, y}, {}, {K::update(table, table - rate * gradient)});
    CHECK(step.arenaBytes() < tableBytes / 4);
    step({Array{1, 2}, onesOf(2, width)});
    Array found = K::get_value(table), before = tableOf(rows, width);
    for (int64_t row = 0; row < rows; ++row) {
      INFO("row " << row);
      double is = found.item<double>(row * width), was = before.item<double>(row * width);
      if (row == 1 || row == 2)
        CHECK(is == was - number);
      else if (number == HUGE_VAL)
        CHECK(std::isnan(is));
      else
        CHECK(is == was);
    }
  }
}

TEST_CASE("a table that is looked up several times is updated in the rows that any look-up names") {
  constexpr int64_t many = 2048;
  Tensor table = K::variable(tableOf(many, width));
  Tensor ids = K::placeholder({None}, None, "int32"),
         others = K::placeholder({None, 2}, None, "int32");
  Tensor loss = K::sum(K::gather(table, ids)) + 2.0 * K::sum(K::gather(table, others)) +
                4.0 * K::sum(K::gather(table, ids + 1));
  Tensor gradient = *K::gradients(loss, {table})[0];
  K::Function step =
      K::function({ids, others}, {}, {K::update_sub(table, K::clip(gradient, -8, 8) / 2.0)});
  CHECK(step.arenaBytes() < many * width * int64_t(sizeof(float)) / 4);
  step({Array{5, 9}, Array{{5, 6}, {5, 5}}});
  Array found = K::get_value(table), before = tableOf(many, width);
  auto gradientOf = [](int64_t row) {
    // 1 + 2 + 2 + 2 of row 5, 4 + 2 of row 6.
    return row == 5 ? 7.0 : row == 6 ? 6.0 : row == 9 ? 1.0 : row == 10 ? 4.0 : 0.0;
  };
  for (int64_t i = 0; i < many * width; ++i)
    if (found.item<double>(i) != before.item<double>(i) - gradientOf(i / width) / 2)
      FAIL("element " << i << ": " << found.item<double>(i));
}

namespace {

// A table with two moments, and a step of Adam on the rows that are looked up.
struct AdamStep {
  explicit AdamStep(bool isLazy)
      : table(K::variable(tableOf(rows, width))), m(K::variable(onesOf(rows, width))),
        v(K::variable(onesOf(rows, width))) {
    Tensor ids = K::placeholder({None}, None, "int32"), y = K::placeholder({None, width});
    Tensor g = *K::gradients(K::sum(K::gather(table, ids) * y), {table})[0];
    Tensor nextM = 0.9 * m + 0.1 * g, nextV = 0.999 * v + 0.001 * K::square(g);
    K::FunctionOptions options;
    options.lazyUpdates = isLazy;
    step = K::function({ids, y}, {},
                       {K::update(m, nextM), K::update(v, nextV),
                        K::update(table, table - 0.01 * nextM / (K::sqrt(nextV) + 1e-7))},
                       "", options);
  }
  std::vector<Array> values() const { return K::batch_get_value({table, m, v}); }

  Tensor table, m, v;
  K::Function step;
};

} // namespace

TEST_CASE("a lazy step of Adam is Adam's in the rows that are named, and none in the others") {
  AdamStep lazy(true), whole(false);
  // The interpreter has no arena.
  if (!std::getenv("KERATIN_TEST_PROGRAM")) {
    CHECK(lazy.step.arenaBytes() < tableBytes / 2);
    CHECK(whole.step.arenaBytes() > tableBytes / 2);
  }
  const Array ids{7, 0, 7, 47}, none = Array::empty(DType::Int32, {0});
  std::vector<float> elements;
  for (int64_t i = 0; i < 4 * width; ++i)
    elements.push_back(0.125f * float(i % 13) - 0.7f);
  const Array y = Array::copyOf(DType::Float32, {4, width}, elements.data());
  std::vector<Array> before = lazy.values();
  lazy.step({ids, y});
  whole.step({ids, y});
  std::vector<Array> after = lazy.values(), dense = whole.values();
  for (size_t which = 0; which < after.size(); ++which)
    for (int64_t i = 0; i < rows * width; ++i) {
      int64_t row = i / width;
      const Array &expected = row == 7 || row == 0 || row == 47 ? dense[which] : before[which];
      if (after[which].item<double>(i) != expected.item<double>(i))
        FAIL("variable " << which << ", element " << i);
    }
  // Nothing is named, nothing decays.
  lazy.step({none, Array::empty(DType::Float32, {0, width})});
  std::vector<Array> last = lazy.values();
  for (size_t which = 0; which < after.size(); ++which)
    checkArray(last[which], after[which]);
}

TEST_CASE("what is lazy is saved with the function") {
  AdamStep lazy(true);
  keratin::tests::TemporaryFile file;
  K::save_function(lazy.step, file.path);
  K::Function loaded = K::load_function(file.path);
  CHECK(loaded.arenaBytes() < tableBytes);
  loaded({Array{7, 7, 7, 7}, onesOf(4, width)});
  lazy.step({Array{7, 7, 7, 7}, onesOf(4, width)});
  std::vector<Tensor> theirs = loaded.variables(), ours = lazy.step.variables();
  REQUIRE(theirs.size() == ours.size());
  for (size_t i = 0; i < ours.size(); ++i)
    checkArray(K::get_value(theirs[i]), K::get_value(ours[i]));
}

// What the whole table's regulariser says is no row's alone.
TEST_CASE("a regulariser keeps lazy updates from being lazy") {
  Tensor table = K::variable(tableOf(rows, width)), ids = K::placeholder({2}, None, "int32");
  Tensor loss = K::sum(K::gather(table, ids)) + 0.5 * K::sum(K::square(table));
  Tensor gradient = *K::gradients(loss, {table})[0];
  K::FunctionOptions options;
  options.lazyUpdates = true;
  K::Function step = K::function({ids}, {}, {K::update_sub(table, 0.5 * gradient)}, "", options);
  step({Array{1, 1}});
  CHECK(K::get_value(table).item<double>(1 * width) == 1.0 - 0.5 * (2.0 + 1.0));
  CHECK(K::get_value(table).item<double>(5 * width) == 9.0 - 0.5 * 9.0);
}

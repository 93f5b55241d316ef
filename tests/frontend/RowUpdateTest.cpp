// Descent on the rows of a table that were looked up.
#include "tests/frontend/FrontendTest.h"

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

constexpr int64_t rows = 48, width = 20;

} // namespace

TEST_CASE("descent on an embedding changes the rows that are named, each by all its gradients") {
  for (bool known : {true, false}) {
    Tensor table = K::variable(tableOf(rows, width));
    auto count = known ? std::optional<int64_t>(4) : None;
    Tensor ids = K::placeholder({count}, None, "int32"), y = K::placeholder({count, width});
    Tensor loss = K::sum(K::gather(table, ids) * y);
    Tensor gradient = *K::gradients(loss, {table})[0];
    K::Function step = K::function({ids, y}, {loss}, {K::update_sub(table, 0.5 * gradient)});
    if (known) // beside the ids and their gradients nothing
      CHECK(step.arenaBytes() < rows * width * int64_t(sizeof(float)) / 4);
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

// Code for the case that unknown sizes which meet are equal, and the code for other calls.
#include "tests/frontend/FrontendTest.h"

#include "keratin/runtime.h"

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

enum class Ran { Assuming, General, Unknown };

// Which code a call ran; unknown where the interpreter stands in for all.
template <typename Call> Ran codeOf(Call &&call) {
  std::vector<keratin_profile_event_t> events(16);
  REQUIRE(keratin_profile_start(events.data(), int64_t(events.size()), nullptr) == KERATIN_OK);
  call();
  int64_t count = keratin_profile_stop(nullptr);
  if (count == 0)
    return Ran::Unknown;
  const keratin_function_desc_t &function = *events[size_t(count) - 1].function;
  return function.num_checks > 0 && function.checks[0].status == KERATIN_SIZES_DIFFER
             ? Ran::Assuming
             : Ran::General;
}

bool isInterpreted() { return std::getenv("KERATIN_TEST_PROGRAM"); }

#define CHECK_RAN(expected, call)                                                                  \
  do {                                                                                             \
    Ran ran = codeOf([&] { call; });                                                               \
    CHECK((ran == Ran::Unknown ? isInterpreted() : ran == Ran::expected));                         \
  } while (false)

// x and y of one batch, each with a size of its own.
struct Pair {
  Tensor x = K::placeholder({None, 2}, {.name = "x"});
  Tensor y = K::placeholder({None, 2}, {.name = "y"});
};

const Array three = {{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, one = {{10.0, 20.0}};

} // namespace

TEST_CASE("sizes that meet are assumed to be equal", "[sizes]") {
  Pair in;
  K::Function f = K::function({in.x, in.y}, in.x + in.y);
  if (!isInterpreted())
    CHECK_FALSE(has(f.memoryPlan(), "broadcast"));
  CHECK_RAN(Assuming,
            checkArray(f({three, three})[0], Array{{2.0, 4.0}, {6.0, 8.0}, {10.0, 12.0}}));
  CHECK_RAN(Assuming, checkArray(f({one, one})[0], Array{{20.0, 40.0}}));
  const Array none = Array::zeros(DType::Float32, {0, 2});
  CHECK_RAN(Assuming, checkArray(f({none, none})[0], none));
}

TEST_CASE("either size may be 1", "[sizes]") {
  const Array sum = {{11.0, 22.0}, {13.0, 24.0}, {15.0, 26.0}};
  for (bool assume : {true, false}) {
    Pair in;
    keratin::FunctionOptions options;
    options.assumeEqualSizes = assume;
    K::Function f = K::function({in.x, in.y}, in.x + in.y, {}, options);
    for (int round = 0; round < 2; ++round) {
      CHECK_RAN(General, checkArray(f({three, one})[0], sum));
      CHECK_RAN(General, checkArray(f({one, three})[0], sum));
      const Array none = Array::zeros(DType::Float32, {0, 2});
      CHECK_RAN(General, checkArray(f({none, one})[0], none));
      if (assume)
        CHECK_RAN(Assuming, checkArray(f({one, one})[0], Array{{20.0, 40.0}}));
    }
  }
}

TEST_CASE("sizes that do not agree are the same error as ever", "[sizes]") {
  std::string messages[2];
  for (bool assume : {true, false}) {
    Pair in;
    keratin::FunctionOptions options;
    options.name = "sums";
    options.assumeEqualSizes = assume;
    // The same line for both: it stands in the message.
    K::Function f = K::function({in.x, in.y}, in.x + in.y, {}, options);
    for (int round = 0; round < 2; ++round)
      messages[assume] = errorOf<K::ValueError>([&] { f({three, Array{{1.0, 2.0}, {3.0, 4.0}}}); });
    // Nor does it break the function.
    checkArray(f({one, one})[0], Array{{20.0, 40.0}});
  }
  CHECK(messages[0] == messages[1]);
  CHECK(has(messages[1], "shapes cannot be broadcast"));
}

TEST_CASE("an unknown size that meets a number is assumed to be that", "[sizes]") {
  Tensor x = K::placeholder({None, None}, {.name = "x"});
  K::Function f = K::function({x}, x + K::constant(Array{1.0, 2.0}));
  CHECK_RAN(Assuming, checkArray(f({three})[0], Array{{2.0, 4.0}, {4.0, 6.0}, {6.0, 8.0}}));
  CHECK_RAN(General, checkArray(f({Array{{1.0}, {3.0}}})[0], Array{{2.0, 3.0}, {4.0, 5.0}}));
}

TEST_CASE("sizes with different names are not assumed to be equal", "[sizes]") {
  Tensor x = K::placeholder({"rows"}), y = K::placeholder({"columns"}), z = K::placeholder({None});
  K::Function f = K::function({x, y}, x + y), g = K::function({x, z}, x + z);
  const Array a = {1.0, 2.0}, b = {1.0};
  CHECK_RAN(General, checkArray(f({a, b})[0], Array{2.0, 3.0}));
  CHECK_RAN(General, checkArray(f({a, a})[0], Array{2.0, 4.0}));
  CHECK_RAN(Assuming, checkArray(g({a, a})[0], Array{2.0, 4.0}));
  CHECK_RAN(General, checkArray(g({a, b})[0], Array{2.0, 3.0}));
}

TEST_CASE("sizes that must be equal need no other code", "[sizes]") {
  Tensor x = K::placeholder({None, None}, {.name = "x"});
  Tensor y = K::placeholder({None, 2}, {.name = "y"});
  K::Function f = K::function({x, y}, K::dot(x, y));
  CHECK_RAN(General, checkArray(f({Array{{1.0, 2.0, 3.0}}, three})[0], Array{{22.0, 28.0}}));
  CHECK(has(errorOf<K::ValueError>([&] { f({one, three}); }), "must have equal sizes"));
}

TEST_CASE("gradients where sizes are assumed to be equal", "[sizes]") {
  Pair in;
  Tensor loss = K::sum(K::square(in.x * in.y));
  K::Function f = K::function({in.x, in.y}, K::gradients(loss, {in.x, in.y}));
  std::vector<Array> same = f({three, three});
  checkArray(same[0], Array{{2.0, 16.0}, {54.0, 128.0}, {250.0, 432.0}});
  checkArray(same[1], same[0]);
  // Of what was repeated the gradient is a sum.
  std::vector<Array> repeated = f({three, one});
  checkArray(repeated[0], Array{{200.0, 1600.0}, {600.0, 3200.0}, {1000.0, 4800.0}});
  checkArray(repeated[1], Array{{700.0, 2240.0}});
}

TEST_CASE("updates are made once, whatever code a call runs", "[sizes]") {
  Pair in;
  Tensor count = K::variable(0.0f), sum = K::variable(0.0f);
  K::Function f =
      K::function({in.x, in.y}, K::sum(in.x + in.y),
                  {K::update_add(count, 1.0f), K::update_add(sum, K::sum(in.x + in.y))});
  f({three, three});
  checkValue(count, Array(1.0f));
  f({three, one}); // compiles
  checkValue(count, Array(2.0f));
  f({three, one});
  checkValue(count, Array(3.0f));
  checkValue(sum, Array(42.0f + 2 * (21.0f + 90.0f)));
  CHECK_THROWS_AS(f({three, Array{{1.0, 2.0}, {3.0, 4.0}}}), K::ValueError);
  checkValue(count, Array(3.0f));
}

TEST_CASE("both codes draw the same random numbers", "[sizes]") {
  std::vector<Array> drawn[2];
  for (bool assume : {true, false}) {
    Pair in;
    keratin::FunctionOptions options;
    options.assumeEqualSizes = assume;
    Tensor noise = K::random_uniform(K::shape(in.x + in.y), {.seed = 7});
    K::Function f = K::function({in.x, in.y}, noise, {}, options);
    for (const Array &y : {three, one, one, three})
      drawn[assume].push_back(f({three, y})[0]);
  }
  for (size_t i = 0; i < drawn[0].size(); ++i)
    checkArray(drawn[1][i], drawn[0][i]);
  CHECK(drawn[0][0].item<double>(0) != drawn[0][1].item<double>(0));
}

TEST_CASE("many threads need the other code at once", "[sizes]") {
  Pair in;
  K::Function f = K::function({in.x, in.y}, K::sum(in.x * in.y));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        bool same = (t + i) % 2;
        wrong += f({three, same ? three : one})[0].item<double>(0) != (same ? 91.0 : 330.0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

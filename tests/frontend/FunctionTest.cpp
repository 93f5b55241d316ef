// K::function, updates, control dependencies, evaluation.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/TemporaryFile.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

using keratin::Function;
using keratin::Update;

TEST_CASE("a function feeds, computes and returns") {
  Tensor x = K::placeholder({None, 2}, None, None, false, "x");
  Tensor y = K::placeholder({2});
  Function f = K::function({x, y}, {x * 2.0, K::sum(x * y), x});
  std::vector<Array> result = f({Array{{1.0, 2.0}}, Array{10.0, 100.0}});
  REQUIRE(result.size() == 3);
  checkArray(result[0], Array{{2.0, 4.0}});
  checkArray(result[1], Array(210.0));
  checkArray(result[2], Array{{1.0, 2.0}});
  // Other sizes, in any order, an empty one among them.
  for (int64_t n : {3, 1, 0, 7})
    CHECK(f({Array::zeros(DType::Float64, {n, 2}), Array{1.0, 1.0}})[0].shape() ==
          std::vector<int64_t>{n, 2});
}

TEST_CASE("a function refuses what does not fit") {
  Tensor x = K::placeholder({None, 2}, None, None, false, "images");
  Function f = K::function({x}, {x + 1.0}, {}, "step");
  std::string message = errorOf<keratin::ValueError>([&] { f({Array{1.0, 2.0, 3.0}}); });
  CHECK_THAT(message, Catch::Contains("step") && Catch::Contains("images") &&
                          Catch::Contains("(3,)") && Catch::Contains("(None, 2)"));
  CHECK_THROWS_AS(f(std::vector<Array>{}), keratin::ValueError);
  CHECK_THROWS_AS(f({Array{{1.0, 2.0}}, Array(1.0)}), keratin::ValueError);
  CHECK_THROWS_AS(f({Array(None)}), keratin::ValueError);
  message = errorOf<keratin::ValueError>([&] { K::function({}, {x + 1.0}); });
  CHECK_THAT(message, Catch::Contains("images"));
  CHECK_THROWS_AS(K::function({x, x}, {x}), keratin::ValueError);
  // The object is usable after all that.
  checkArray(f({Array{{1.0, 2.0}}})[0], Array{{2.0, 3.0}});
}

TEST_CASE("a size that only shows in a type must be fed, too") {
  Tensor x = K::placeholder({None, 2}, None, None, false, "x");
  Tensor zeros = K::zeros_like(x);
  CHECK_THROWS_AS(K::function({}, {zeros}), keratin::ValueError);
  checkArray(K::function({x}, {zeros})({Array{{1.0, 2.0}, {3.0, 4.0}}})[0],
             Array{{0.0, 0.0}, {0.0, 0.0}});
}

TEST_CASE("sizes that disagree are errors of the call") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  Function f = K::function({x, y}, {x + y});
  checkArray(f({Array{1.0, 2.0}, Array{3.0, 4.0}})[0], Array{4.0, 6.0});
  checkArray(f({Array{1.0, 2.0}, Array{3.0}})[0], Array{4.0, 5.0});
  checkArray(f({Array{1.0}, Array{3.0, 4.0}})[0], Array{4.0, 5.0});
  std::string message =
      errorOf<keratin::ValueError>([&] { f({Array{1.0, 2.0}, Array{1.0, 2.0, 3.0}}); });
  CHECK_THAT(message, Catch::Contains("FunctionTest.cpp") &&
                          Catch::Contains("add: shapes cannot be broadcast"));
  CHECK(message.find("FunctionTest.cpp") == message.rfind("FunctionTest.cpp"));
  checkArray(f({Array{1.0}, Array{3.0}})[0], Array{4.0});
}

TEST_CASE("an unknown size against a known one") {
  Tensor x = K::placeholder({None, 2});
  Function f = K::function({x}, {x + K::constant({{1, 2}, {3, 4}, {5, 6}})});
  checkArray(f({Array{{10.0, 20.0}}})[0], Array{{11.0, 22.0}, {13.0, 24.0}, {15.0, 26.0}});
  checkArray(f({Array{{1.0, 1.0}, {2.0, 2.0}, {3.0, 3.0}}})[0],
             Array{{2.0, 3.0}, {5.0, 6.0}, {8.0, 9.0}});
  CHECK_THROWS_AS(f({Array{{1.0, 1.0}, {2.0, 2.0}}}), keratin::ValueError);
}

TEST_CASE("outputs and right-hand sides see old values") {
  Tensor a = K::variable(1.0), b = K::variable(10.0);
  Function f = K::function({}, {a + b}, {K::update(a, b), K::update(b, a)});
  checkArray(f(std::vector<Array>{})[0], Array(11.0));
  checkArray(K::get_value(a), Array(10.0));
  checkArray(K::get_value(b), Array(1.0));
}

TEST_CASE("increments add up, the later assignment wins, each update counts once") {
  Tensor v = K::variable(1.0);
  Tensor add = K::update_add(v, 2.0);
  Function f = K::function({}, {}, {add, add, K::update_sub(v, 0.5), None});
  f(std::vector<Array>{});
  checkArray(K::get_value(v), Array(2.5));
  Function g = K::function({}, {}, {Update(v, 7.0), Update(v, v * 2.0)});
  g(std::vector<Array>{});
  checkArray(K::get_value(v), Array(5.0));
  checkArray(K::eval(K::moving_average_update(v, 1.0, 0.75)), Array(4.0));
  checkArray(K::get_value(v), Array(4.0));
}

TEST_CASE("an update has no derivative") {
  Tensor v = K::variable(3.0, "float64"), x = K::placeholder(keratin::Shape{}, None, "float64");
  for (const Tensor &update : {K::update(v, x), K::update_add(v, x), K::update_sub(v, x),
                               K::moving_average_update(v, x, 0.5)}) {
    // Beside another way from v and x to the loss.
    auto gradients = K::gradients(update * v * x, {v, x});
    K::Function f = K::function({x}, {update, gradients[0].value(), gradients[1].value()});
    K::set_value(v, 3.0);
    auto results = f({2.0});
    checkArray(results[1], Array(results[0].item() * 2.0));
    checkArray(results[2], Array(results[0].item() * 3.0));
    CHECK_FALSE(K::gradients(update, {x})[0].has_value());
  }
}

TEST_CASE("evaluating an update assigns") {
  Tensor v = K::variable({1.0, 2.0});
  checkArray(K::eval(K::update(v, {3.0, 4.0})), Array{3.0, 4.0});
  checkArray(K::get_value(v), Array{3.0, 4.0});
  checkArray(K::eval(K::update(v, 5)), Array{5.0, 5.0});
  CHECK_THROWS_AS(K::update(v, {1.0, 2.0, 3.0}), keratin::ValueError);
  CHECK_THROWS_AS(K::update(v + 1.0, 3.0), keratin::TypeError);
}

TEST_CASE("control dependencies read the new values") {
  Tensor v = K::variable(1.0), x = K::placeholder({});
  Tensor add = K::update_add(v, x);
  Tensor before = v * 10.0, after;
  {
    K::control_dependencies scope({add});
    after = v * 10.0;
  }
  Function f = K::function({x}, {before, after});
  std::vector<Array> result = f({Array(2.0)});
  checkArray(result[0], Array(10.0));
  checkArray(result[1], Array(30.0));
  checkArray(K::get_value(v), Array(3.0));
  // Listed as well, it is still one update.
  K::function({x}, {after}, {add})({Array(2.0)});
  checkArray(K::get_value(v), Array(5.0));
}

TEST_CASE("values of variables") {
  Tensor v = K::variable({{1, 2}, {3, 4}}, "float64");
  K::set_value(v, Array{{5, 6}, {7, 8}});
  checkArray(K::get_value(v), Array{{5, 6}, {7, 8}});
  CHECK(K::get_value(v).dtype() == DType::Float64);
  K::set_value(v, 1.5);
  checkArray(K::get_value(v), Array{{1.5, 1.5}, {1.5, 1.5}});
  CHECK_THROWS_AS(K::set_value(v, Array{1.0, 2.0}), keratin::ValueError);
  CHECK_THROWS_AS(K::set_value(v + 1.0, 1.0), keratin::TypeError);
  K::batch_set_value({{v, Array(2.0)}});
  CHECK(K::batch_get_value({v, v}).size() == 2);
  CHECK(K::batch_get_value({}).empty());
  Tensor w = K::variable(v * 2.0);
  checkArray(K::get_value(w), Array{{4.0, 4.0}, {4.0, 4.0}});
}

TEST_CASE("a size may come from a variable or a fed number") {
  Tensor n = K::variable(3, "int32");
  checkArray(K::eval(K::ones({n, 2})), Array{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}});
  K::set_value(n, 1);
  checkArray(K::eval(K::ones({n, 2})), Array{{1.0, 1.0}});
  Tensor m = K::placeholder({}, None, "int32");
  Function f = K::function({m}, {K::arange(m)});
  checkArray(f({Array(4)})[0], Array{0, 1, 2, 3});
  checkArray(f({Array(0)})[0], Array::zeros(DType::Int32, {0}));
  Function g = K::function({m}, {K::zeros({m})});
  CHECK_THROWS_AS(g({Array(-1)}), keratin::ValueError);
}

TEST_CASE("the learning phase has a default") {
  K::clear_session();
  Tensor x = K::placeholder({});
  Operand phase = K::learning_phase();
  REQUIRE(phase.isTensor());
  CHECK(K::is_same(K::learning_phase().tensor(), phase.tensor()));
  Tensor y = K::in_train_phase(x * 2.0, x);
  CHECK(y.usesLearningPhase());
  checkArray(K::function({x}, {y})({Array(3.0)})[0], Array(3.0));
  Function f = K::function({x, phase.tensor()}, {y, K::in_test_phase(x * 2.0, x)});
  checkArray(f({Array(3.0), Array(1)})[0], Array(6.0));
  checkArray(f({Array(3.0), Array(true)})[1], Array(3.0));
  checkArray(f({Array(3.0), Array(None)})[0], Array(3.0));
  K::set_learning_phase(1);
  CHECK(K::learning_phase().number() == 1);
  bool called = false;
  Tensor z = K::in_train_phase(x, [&] {
    called = true;
    return x;
  });
  CHECK(K::is_same(z, x));
  CHECK_FALSE(called);
  CHECK_THROWS_AS(K::set_learning_phase(2), keratin::ValueError);
  K::clear_session();
  CHECK(K::learning_phase().isTensor());
}

TEST_CASE("switch selects") {
  Tensor c = K::placeholder({2}, None, "bool");
  Tensor a = K::constant({{1, 2}, {3, 4}}), b = K::constant({{10, 20}, {30, 40}});
  Tensor y = K::switch_(c, a, [&] { return b; });
  checkArray(K::function({c}, {y})({Array{true, false}})[0], Array{{1.0, 2.0}, {30.0, 40.0}});
  CHECK_THROWS_AS(K::switch_(K::zeros({2, 2}), K::zeros({2}), 0.0), keratin::ValueError);
}

TEST_CASE("sessions run fetches") {
  Tensor x = K::placeholder({2});
  auto result = K::get_session()->run({x + 1.0, x}, {{x, Array{1.0, 2.0}}});
  checkArray(result[0], Array{2.0, 3.0});
  checkArray(result[1], Array{1.0, 2.0});
  checkArray(K::get_session()->run(x * 2.0, {{x, Array{1.0, 2.0}}}), Array{2.0, 4.0});
  // In any structure.
  std::pair<Tensor, std::vector<std::vector<Tensor>>> nested = {x, {{x * 2.0}, {}, {x - 1.0, x}}};
  auto [first, rest] = K::get_session()->run(nested, {{x, Array{1.0, 2.0}}});
  checkArray(first, Array{1.0, 2.0});
  REQUIRE(rest.size() == 3);
  checkArray(rest[0][0], Array{2.0, 4.0});
  CHECK(rest[1].empty());
  checkArray(rest[2][0], Array{0.0, 1.0});
  checkArray(rest[2][1], Array{1.0, 2.0});
  Tensor v = K::variable(1.0);
  checkArray(K::get_session()->run(K::update_add(v, 2.0)), 3.0);
  CHECK(K::get_value(v).item() == 3.0);
  CHECK_THROWS_AS(K::get_session()->run(x * 2.0), keratin::ValueError);
  CHECK_THROWS_AS(K::get_session()->run(x * 2.0, {{x, Array{1.0}}}), keratin::ValueError);
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::get_session()->run(x * 2.0, {{x, None}}); }),
             Catch::Contains("is None; needed an array"));
  auto mine = std::make_shared<keratin::Session>();
  K::set_session(mine);
  CHECK(K::get_session() == mine);
  K::set_session(nullptr);
  CHECK(K::get_session() != mine);
}

TEST_CASE("a low-overhead call writes into the caller's arrays") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  Function f = K::function({x, y}, {x * y});
  Array inputs[] = {Array{1.0, 2.0, 3.0}.astype(DType::Float32),
                    Array{4.0, 5.0, 6.0}.astype(DType::Float32)};
  std::vector<Array> outputs;
  f.call(inputs, 2, outputs);
  const void *memory = outputs[0].rawData();
  f.call(inputs, 2, outputs);
  CHECK(outputs[0].rawData() == memory);
  checkArray(outputs[0], Array{4.0, 10.0, 18.0});
}

// What is written to standard error meanwhile.
template <typename Callable> static std::string standardErrorOf(Callable &&callable) {
  keratin::tests::TemporaryFile file;
  int standard = dup(STDERR_FILENO), captured = creat(file.path.c_str(), 0600);
  dup2(captured, STDERR_FILENO);
  callable();
  dup2(standard, STDERR_FILENO);
  close(captured);
  close(standard);
  std::ifstream stream(file.path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_CASE("a dump that cannot be written is reported once") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  setenv("KERATIN_DUMP_DIR", "/dev/null/folder", 1);
  std::string text = standardErrorOf([] {
    for (double factor : {2.0, 3.0}) {
      Tensor x = K::placeholder({3}, None, None, false, "x");
      checkArray(K::function({x}, {K::tanh(x * factor)}, {}, "dumped")({Array{0.0, 0.0, 0.0}})[0],
                 Array{0.0, 0.0, 0.0});
    }
  });
  unsetenv("KERATIN_DUMP_DIR");
  CHECK_THAT(text, Catch::StartsWith("keratin: warning: cannot write '/dev/null/folder/dumped.") &&
                       Catch::Contains(": Not a directory; no more is said of dumps"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

// Graphs in files.
#include "tests/frontend/FrontendTest.h"

#include "frontend/graph/Graph.h"
#include "ir/saved/SavedFile.h"
#include "tests/support/TemporaryFile.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

using keratin::tests::TemporaryFile;

static std::string bytesOf(const TemporaryFile &file) {
  return keratin::ir::readFileBytes(file.path).value();
}

static void checkBits(const Array &found, const Array &expected) {
  REQUIRE(found.dtype() == expected.dtype());
  REQUIRE(found.shape() == expected.shape());
  CHECK(std::memcmp(found.rawData(), expected.rawData(), expected.bytes()) == 0);
}

// Saving what was loaded gives the same file.
static void checkSavedAgain(const std::vector<keratin::Function> &loaded,
                            const TemporaryFile &file) {
  TemporaryFile again;
  K::save_functions(loaded, again.path);
  CHECK(bytesOf(again) == bytesOf(file));
}

static Array ramp(std::vector<int64_t> dims, double scale) {
  Array array = Array::zeros(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < array.size(); ++i)
    array.data<float>()[i] = float(scale * std::sin(1.0 + 0.7 * double(i)));
  return array;
}

TEST_CASE("a function computes the same after loading", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, 3}, None, None, false, "x");
  Tensor w = K::variable(ramp({3, 2}, 1), None, "w");
  Tensor y = K::softmax(K::dot(x, w) + 1.0, -1);
  auto f = K::function({x}, {y, K::shape(y)}, {}, "predict");
  K::save_function(f, file.path);
  auto g = K::load_function(file.path);
  CHECK(g.name() == "predict");
  REQUIRE(g.inputs().size() == 1);
  CHECK(keratin::toString(g.inputs()[0].shape()) == "(None, 3)");
  CHECK(K::is_placeholder(g.inputs()[0]));
  for (int64_t rows : {1, 4, 7}) {
    auto expected = f({ramp({rows, 3}, 2)}), found = g({ramp({rows, 3}, 2)});
    checkBits(found[0], expected[0]);
    checkBits(found[1], expected[1]);
  }
  // The loaded variables are others.
  K::set_value(w, ramp({3, 2}, 5));
  CHECK(g({ramp({2, 3}, 2)})[0].item<float>(0) != f({ramp({2, 3}, 2)})[0].item<float>(0));
  checkSavedAgain({g}, file);
  CHECK_THAT(errorOf<keratin::ValueError>([&] { g({ramp({2, 4}, 2)}); }),
             Catch::Contains("predict") && Catch::Contains("'x'"));
}

TEST_CASE("a saved function keeps its shards, which options replace", "[saving]") {
  TemporaryFile sharded, plain, again;
  Tensor x = K::placeholder({K::Dim("saved_batch"), 2}, None, None, false, "x");
  Tensor sum = K::sum(x);
  K::save_function(K::function({x}, {sum}, {}, {.name = "f", .shard = {{"saved_batch"}}}),
                   sharded.path);
  K::save_function(K::function({x}, {sum}, {}, {.name = "f"}), plain.path);
  CHECK(bytesOf(sharded) != bytesOf(plain));
  checkSavedAgain({K::load_function(sharded.path)}, sharded);
  checkSavedAgain({K::load_function(plain.path)}, plain);
  K::save_function(K::load_function(plain.path, "", {.shard = {{"saved_batch"}}}), again.path);
  CHECK(bytesOf(again) == bytesOf(sharded));
}

// What ranks add up is found when the function is made again.
TEST_CASE("a sharded step is saved with its gradients", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({K::Dim("step_batch"), 2}, None, None, false, "x");
  Tensor w = K::variable(ramp({2, 3}, 0.5), None, "w");
  Tensor loss = K::mean(K::square(K::dot(x, w)));
  auto step = K::function({x}, {loss}, {{w, w - *K::gradients(loss, {w})[0] * 0.1}},
                          {.name = "step", .shard = {{"step_batch"}}});
  const Array rows = ramp({6, 2}, 2);
  step({rows});
  K::save_function(step, file.path);
  auto loaded = K::load_function(file.path);
  checkSavedAgain({loaded}, file);
  for (int i = 0; i < 3; ++i)
    checkBits(loaded({rows})[0], step({rows})[0]);
  checkBits(K::get_value(loaded.variables()[0]), K::get_value(w));
}

TEST_CASE("training goes on bit for bit where it was saved, and functions share variables",
          "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, 4}, None, None, false, "x");
  Tensor target = K::placeholder({None, 2}, None, None, false, "target");
  std::vector<Tensor> weights = {
      K::variable(ramp({4, 5}, 0.5), None, "w1"), K::variable(ramp({5}, 0.1), None, "b1"),
      K::variable(ramp({5, 2}, 0.5), None, "w2"), K::variable(ramp({2}, 0.1), None, "b2")};
  Tensor hidden = K::tanh(K::bias_add(K::dot(x, weights[0]), weights[1]));
  Tensor logits = K::bias_add(K::dot(hidden, weights[2]), weights[3]);
  Tensor loss = K::mean(K::categorical_crossentropy(target, logits, true));
  auto gradients = K::gradients(loss, weights);
  std::vector<keratin::Update> updates;
  for (size_t i = 0; i < weights.size(); ++i)
    updates.push_back(K::update_sub(weights[i], *gradients[i] * 0.1));
  auto train = K::function({x, target}, {loss}, updates, "train");
  auto predict = K::function({x}, {K::softmax(logits)}, {}, "predict");
  std::vector<Array> batch = {
      ramp({6, 4}, 2),
      Array({{1, 0}, {0, 1}, {1, 0}, {0, 1}, {0, 1}, {1, 0}}).astype(DType::Float32)};
  for (int i = 0; i < 3; ++i)
    train(batch);
  K::save_functions({train, predict}, file.path);
  auto loaded = K::load_functions(file.path);
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].name() == "train");
  CHECK(loaded[1].name() == "predict");
  checkSavedAgain(loaded, file);
  for (int i = 0; i < 5; ++i)
    checkBits(loaded[0](batch)[0], train(batch)[0]);
  checkBits(loaded[1]({batch[0]})[0], predict({batch[0]})[0]);

  // By name, and what is not there.
  auto alone = K::load_function(file.path, "predict");
  CHECK(alone({batch[0]})[0].shape() == std::vector<int64_t>{6, 2});
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::load_function(file.path, "fit"); }),
             Catch::Contains("' has no function named 'fit'") &&
                 Catch::Contains("train, predict") && Catch::Contains(file.path) &&
                 Catch::Contains("SavingTest.cpp"));
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::load_function(file.path); }),
             Catch::Contains("train, predict"));
}

TEST_CASE("what is loaded can be differentiated", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, 3}, None, None, false, "x");
  Tensor w = K::variable(ramp({3}, 1), None, "w");
  Tensor loss = K::sum(K::square(K::tanh(x * w)));
  K::save_function(K::function({x}, {loss}, {}, "loss"), file.path);
  auto f = K::load_function(file.path);
  auto gradient = K::gradients(f.outputs()[0], {f.inputs()[0]});
  REQUIRE(gradient[0]);
  auto g = K::function(f.inputs(), {*gradient[0]});
  auto expected = K::function({x}, {*K::gradients(loss, {x})[0]});
  checkArray(g({ramp({2, 3}, 1)})[0], expected({ramp({2, 3}, 1)})[0]);

  // A saved gradient has a gradient too.
  TemporaryFile second;
  K::save_function(g, second.path);
  auto h = K::load_function(second.path);
  checkSavedAgain({h}, second);
  auto curvature = K::gradients(h.outputs()[0], {h.inputs()[0]});
  REQUIRE(curvature[0]);
  auto again = K::gradients(*K::gradients(loss, {x})[0], {x});
  checkArray(K::function(h.inputs(), {*curvature[0]})({ramp({2, 3}, 1)})[0],
             K::function({x}, {*again[0]})({ramp({2, 3}, 1)})[0], 1e-5);
}

TEST_CASE("random functions continue their stream", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None}, None, None, false, "x");
  Tensor noisy = x + K::random_normal_variable({4}, 0, 1, None, "", 3);
  Tensor y = K::dropout(noisy * K::random_uniform({4}, 0, 1, None, 11), 0.5, None, 7);
  auto f = K::function({x}, {y}, {}, "noise");
  f({ramp({4}, 1)});
  K::save_function(f, file.path);
  auto g = K::load_function(file.path);
  checkSavedAgain({g}, file);
  for (int i = 0; i < 3; ++i)
    checkBits(g({ramp({4}, 1)})[0], f({ramp({4}, 1)})[0]);
}

TEST_CASE("loops and branches are saved with their gradients", "[saving][loop]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, None, 3}, None, None, false, "x");
  Tensor training = K::placeholder(keratin::Shape{}, None, "bool", false, "training");
  Tensor w = K::variable(ramp({3, 3}, 0.3), None, "w");
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor noisy = K::switch_(training, [&] { return K::dropout(h, 0.5, None, 3); }, h);
    Tensor next = K::tanh(input + K::dot(noisy, w));
    return std::pair(next, next);
  };
  auto [last, outputs, states] = K::rnn(step, x, {K::sum(x, 1) * 0.0}, true);
  Tensor loss = K::sum(K::square(last)) + K::mean(outputs);
  auto train = K::function({x, training}, {loss, last},
                           {K::update_sub(w, *K::gradients(loss, {w})[0] * 0.1)}, "train");
  auto predict = K::function({x, training}, {outputs}, {}, "predict");
  K::save_functions({train, predict}, file.path);
  auto loaded = K::load_functions(file.path);
  checkSavedAgain(loaded, file);
  for (const Array &values : {ramp({2, 4, 3}, 1), ramp({1, 1, 3}, 1), ramp({3, 2, 3}, 2)})
    for (bool phase : {true, false}) {
      auto expected = train({values, phase}), found = loaded[0]({values, phase});
      for (size_t i = 0; i < 2; ++i)
        checkBits(found[i], expected[i]);
      checkBits(loaded[1]({values, false})[0], predict({values, false})[0]);
    }
  // What was loaded is a part of the graph: it has a gradient too.
  Tensor saved = loaded[1].outputs()[0], input = loaded[1].inputs()[0];
  auto gradient = K::gradients(saved, {input});
  REQUIRE(gradient[0]);
  Array values = ramp({2, 3, 3}, 1);
  auto f = K::function(loaded[1].inputs(), {*gradient[0]});
  auto g = K::function({x, training}, {*K::gradients(outputs, {x})[0]});
  checkArray(f({values, false})[0], g({values, false})[0]);
}

TEST_CASE("bodies that compute sizes are saved with their gradients", "[saving][loop]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, 3}, None, "float64", false, "x");
  Tensor y = K::placeholder({None}, None, "float64", false, "y");
  auto step = [&](const Tensor &a, const Tensor &e) {
    Tensor chosen = K::switch_(K::sum(e) > a, e, [&] { return y * a; });
    Tensor grown =
        K::while_loop([](const Tensor &v) { return K::sum(K::abs(v)) < 4.0; },
                      [&](const Tensor &v) { return v * 1.5 + 0.5; }, {e * K::sum(chosen)})[0];
    return K::sin(K::sum(grown));
  };
  Tensor last = K::foldl(step, x, K::constant(0.5, "float64"));
  auto f = K::function({x, y}, {last, *K::gradients(last, {x})[0], *K::gradients(last, {y})[0]});
  K::save_function(f, file.path);
  auto g = K::load_function(file.path);
  checkSavedAgain({g}, file);
  for (const Array &values : {ramp({4, 3}, 1), ramp({1, 3}, 2), ramp({0, 3}, 1)})
    for (const Array &other : {ramp({2}, 1), ramp({5}, 0.3)}) {
      Array a = values.astype(DType::Float64), b = other.astype(DType::Float64);
      auto expected = f({a, b}), found = g({a, b});
      for (size_t i = 0; i < 3; ++i)
        checkBits(found[i], expected[i]);
    }
  // The gradient of what was loaded, whose loops have names for their steps.
  auto f1 = K::function({x, y}, {*K::gradients(K::sum(f.outputs()[1]), {x})[0]});
  auto g1 = K::function(g.inputs(), {*K::gradients(K::sum(g.outputs()[1]), {g.inputs()[0]})[0]});
  Array a = ramp({4, 3}, 1).astype(DType::Float64), b = ramp({2}, 1).astype(DType::Float64);
  checkArray(g1({a, b})[0], f1({a, b})[0]);
}

TEST_CASE("sizes given by values, defaults, prints and names stay", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({None, 2}, None, None, false, "x");
  Tensor y = K::placeholder({None, 2}, None, None, false, "y");
  Tensor phase = K::learning_phase().tensor();
  Tensor sum = x + y;
  Tensor z = K::print_tensor(K::in_train_phase(sum * 2.0, sum, phase), "z is");
  Tensor count = K::variable(Array(int64_t(0)), "int64", "count");
  auto f =
      K::function({x, y, phase}, {z, K::arange(K::shape(x)[0])}, {K::update_add(count, 1)}, "f");
  K::save_function(f, file.path);
  auto g = K::load_function(file.path);
  checkSavedAgain({g}, file);
  std::vector<Array> values = {ramp({3, 2}, 1), ramp({3, 2}, 2), None};
  auto expected = f(values), found = g(values);
  for (size_t i = 0; i < 2; ++i)
    checkBits(found[i], expected[i]);
  values[2] = Array(1);
  checkBits(g(values)[0], f(values)[0]);
  // What must hold between sizes still must.
  values[1] = ramp({2, 2}, 2);
  CHECK_THAT(errorOf<keratin::ValueError>([&] { g(values); }), Catch::StartsWith("f: "));
}

TEST_CASE("numbers of any sign that sizes are computed from are saved", "[saving]") {
  TemporaryFile file;
  Tensor m = K::placeholder(keratin::Shape{}, None, "int32", false, "m");
  Tensor v = K::variable(2, "int32", "v");
  auto f = K::function({m}, {K::arange(m, v)}, {}, "f");
  K::save_function(f, file.path);
  auto g = K::load_function(file.path);
  checkSavedAgain({g}, file);
  checkArray(g({-3})[0], Array{-3, -2, -1, 0, 1});
  CHECK(g({2})[0].size() == 0);
}

TEST_CASE("files that are no saved graphs are refused with their path", "[saving]") {
  TemporaryFile file;
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::load_function(file.path); }),
             Catch::Contains(file.path) && Catch::Contains("No such file"));
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::load_function("/tmp"); }),
             Catch::Contains("this is a folder"));
  REQUIRE(keratin::ir::writeFileBytes(file.path, "a text").ok());
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::load_functions(file.path); }),
             Catch::Contains(file.path) && Catch::Contains("not a saved graph"));
  REQUIRE(keratin::ir::writeFileBytes(file.path, "\x93NUMPY").ok());
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::load_functions(file.path); }),
             Catch::Contains("not a saved graph: this is an array of NumPy (.npy)"));
  Tensor x = K::placeholder({2});
  auto f = K::function({x}, {x + 1.0}, {}, "f");
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::save_function(f, "/nowhere/at/all.ktg"); }),
             Catch::Contains("/nowhere/at/all.ktg"));
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::save_function(f, "/dev/full"); }),
             Catch::Contains("'/dev/full' cannot be written: No space left on device"));
  K::save_function(f, "/dev/null");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::save_functions({}, file.path); }),
             Catch::Contains("no function; needed one or more"));
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::save_functions({f, f}, file.path); }),
             Catch::Contains("two functions are named 'f'"));
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::save_function({}, file.path); }),
             Catch::Contains("a Function is empty"));
}

TEST_CASE("a loaded function is made as its options say", "[saving]") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  TemporaryFile file;
  {
    // What no other test has.
    Tensor x = K::placeholder({None, 419}, None, None, false, "x");
    Tensor w = K::variable(ramp({419}, 1), None, "w");
    K::save_functions({K::function({x}, {K::log(x * w)}, {}, "predict"),
                       K::function({x}, {K::sum(x * w)}, {K::update(w, w * 2.0)}, "train")},
                      file.path);
  }
  const Array zeros = Array::zeros(DType::Float32, {2, 419});
  struct Cancelled {};
  std::vector<std::string> told;
  // A budget of its own has code of its own.
  keratin::FunctionOptions checked, watched, cancelled, limited;
  watched.memoryBudget = cancelled.memoryBudget = limited.memoryBudget = 1 << 24;
  checked.checkNumbers = true;
  watched.progress = [&](const keratin::CompileProgress &step) {
    if (step.next.empty())
      told.push_back(step.function + " " + step.stage);
  };
  cancelled.progress = [&](const keratin::CompileProgress &step) {
    if (step.function == "train" && step.stage == "llvm")
      throw Cancelled();
  };
  limited.timeLimit = 1e-9;
  // What does not end leaves no function, and no code.
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::load_function(file.path, "train", limited); }),
             Catch::Contains("compiling function 'train' takes longer than 1e-06 ms"));
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_AS(K::load_function(file.path, "train", cancelled), Cancelled);
  CHECK_THROWS_AS(K::load_functions(file.path, cancelled), Cancelled);
  auto train = K::load_function(file.path, "train", watched);
  CHECK(told == std::vector<std::string>{"train graph", "train grad", "train simplified",
                                         "train fused", "train plan", "train host", "train kernels",
                                         "train llvm", "train link"});
  CHECK(train({zeros})[0].item<float>(0) == 0);
  // Of code that is there nothing is told.
  told.clear();
  keratin::FunctionOptions named = watched;
  named.name = "train";
  CHECK(K::load_function(file.path, "", named).name() == "train");
  CHECK(told.empty());
  // Each of a file has them.
  CHECK(std::isinf(K::load_function(file.path, "predict")({zeros})[0].item<float>(0)));
  auto all = K::load_functions(file.path, checked);
  CHECK_THAT(errorOf<keratin::FloatingPointError>([&] { all[0]({zeros}); }),
             Catch::Contains("predict: log: made -infinity of 0 at element [0, 0]"));
  CHECK(all[1].name() == "train");
}

// Two functions that share a variable, in a file large enough to tell of its reading: each step of
// it is more than a MiB of work.
static void saveLargeFunctions(const TemporaryFile &file) {
  Tensor w = K::variable(Array::zeros(DType::Float32, {3, 1 << 18}), None, "w");
  Tensor x = K::placeholder({3, 1}, None, None, false, "x"), y = x;
  for (int i = 0; i < 1100; ++i)
    y = i % 2 ? K::tanh(y) : y * x;
  auto first = K::function({x}, {K::sum(w * x)}, {K::update_add(w, x)}, "first");
  K::save_functions({first, K::function({x}, {y}, {}, "second")}, file.path);
}

TEST_CASE("what progress throws ends the reading of a large file", "[saving][progress]") {
  TemporaryFile file;
  saveLargeFunctions(file);
  std::vector<keratin::CompileProgress> told;
  struct Cancelled {};
  size_t last = 0;
  keratin::FunctionOptions options;
  options.progress = [&](const keratin::CompileProgress &step) {
    if (step.stage != "read")
      return;
    told.push_back(step);
    // Nobody has the graph meanwhile.
    std::thread([] { K::zeros({2}); }).join();
    CHECK(K::eval(K::constant(1.0) + 1.0).item() == 2);
    if (told.size() == last)
      throw Cancelled();
  };
  const std::vector<keratin::Function> all = K::load_functions(file.path, options);
  const std::vector<keratin::CompileProgress> whole = told;
  REQUIRE(whole.size() > 6);
  std::vector<std::string> steps;
  for (const auto &step : whole) {
    CHECK(step.of == 5);
    CHECK((step.done == step.of) == step.next.empty());
    CHECK((step.function.empty() || step.function == "first" || step.function == "second"));
    if (steps.empty() || steps.back() != step.next)
      steps.push_back(step.next);
  }
  CHECK(steps == std::vector<std::string>{"the file", "its messages", "checks of its ops",
                                          "making of its ops", "the graph", ""});
  for (const char *name : {"", "second"}) {
    told.clear();
    last = 0;
    auto load = [&] {
      return *name ? std::vector{K::load_function(file.path, name, options)}
                   : K::load_functions(file.path, options);
    };
    load();
    const size_t moments = told.size();
    REQUIRE(moments > 5);
    CHECK(told.front().function == name);
    CHECK(told.back().function == "second");
    const int64_t ops = keratin::frontend::Graph::get().opCount();
    const int64_t variables = keratin::frontend::Graph::get().variables.size();
    for (last = 1; last <= moments; ++last) {
      INFO(last);
      told.clear();
      CHECK_THROWS_AS(load(), Cancelled);
      CHECK(told.size() == last);
      CHECK(keratin::frontend::Graph::get().opCount() == ops);
      CHECK(keratin::frontend::Graph::get().variables.size() == variables);
    }
  }
  checkSavedAgain(all, file);
}

TEST_CASE("the reading of a large file ends when its time is over", "[saving]") {
  TemporaryFile file;
  saveLargeFunctions(file);
  keratin::FunctionOptions options;
  options.timeLimit = 1e-9;
  const int64_t ops = keratin::frontend::Graph::get().opCount();
  CHECK_THAT(
      errorOf<keratin::RuntimeError>([&] { K::load_function(file.path, "second", options); }),
      Catch::StartsWith("load_function: reading function 'second' of '" + file.path +
                        "' takes longer than 1e-06 ms; stopped at the file; at "));
  CHECK_THAT(errorOf<keratin::RuntimeError>([&] { K::load_functions(file.path, options); }),
             Catch::StartsWith("load_functions: reading '" + file.path + "' takes longer than"));
  CHECK(keratin::frontend::Graph::get().opCount() == ops);
  options.timeLimit = 1e6;
  CHECK(K::load_function(file.path, "second", options).name() == "second");
}

TEST_CASE("options that no loaded function can have are refused", "[saving]") {
  TemporaryFile file;
  Tensor x = K::placeholder({2});
  K::save_function(K::function({x}, {x + 1.0}, {}, "f"), file.path);
  keratin::FunctionOptions named, budget, time, products, device;
  named.name = "g";
  budget.memoryBudget = -1;
  time.timeLimit = -1;
  products.float32Products = "half";
  device.device = "gpu";
  auto refusal = [&](const keratin::FunctionOptions &options) {
    return errorOf<keratin::ValueError>([&] { K::load_function(file.path, "f", options); });
  };
  CHECK_THAT(
      errorOf<keratin::ValueError>([&] { K::load_functions(file.path, named); }),
      Catch::StartsWith("load_functions: the options have the name 'g'; needed none, as each "
                        "function has that of the file; at "));
  CHECK_THAT(errorOf<keratin::ValueError>([&] { K::load_function(file.path, "", named); }),
             Catch::Contains("has no function named 'g'; it has f"));
  CHECK_THAT(refusal(budget), Catch::StartsWith("load_function: a memory budget of -1 bytes"));
  CHECK_THAT(refusal(time), Catch::StartsWith("load_function: a time limit of -1.000000 seconds"));
  CHECK_THAT(refusal(products), Catch::StartsWith("load_function: float32Products is 'half'"));
  CHECK_THAT(refusal(device), Catch::StartsWith("load_function: unknown device 'gpu'"));
}

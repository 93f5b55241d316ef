// K::rnn, K::map_fn, K::foldl and K::foldr: their numbers and the rules for their callables.
#include "tests/frontend/FrontendTest.h"

#include <thread>

using keratin::Function;
using keratin::ValueError;
using Tensors = std::vector<Tensor>;

namespace {

struct Options {
  bool goBackwards = false;
  Operand mask = None;
  bool unroll = false;
  bool timeMajor = false;
  bool zeroOutput = false;
  Operand length = None;
};

// Outputs and states of a recurrence.
struct Found {
  Tensor last, outputs;
  Tensors states;
};

} // namespace

static Found run(const keratin::RnnStep &step, const Operand &inputs, const Tensors &states,
                 const Options &options = {}, const Tensors &constants = {}) {
  auto [last, outputs, found] =
      K::rnn(step, inputs, states, options.goBackwards, options.mask, constants, options.unroll,
             options.length, options.timeMajor, options.zeroOutput);
  return {last, outputs, found};
}

// out = state = input + state, as the example of the specification.
static Tensor accumulate(const Tensor &input, const Tensors &states) { return input + states[0]; }
static std::pair<Tensor, Tensors> accumulation(const Tensor &input, const Tensors &states) {
  Tensor sum = accumulate(input, states);
  return {sum, {sum}};
}

static Tensor column(const Array &values) { return K::expand_dims(K::constant(values), -1); }

static void checkRows(const Tensor &outputs, const Array &expected) {
  checkArray(K::squeeze(outputs, -1).eval(), expected);
}

TEST_CASE("rnn with masks gives the numbers of the specification", "[loop]") {
  Tensor inputs = column({{1, 2, 3, 4}, {1, 2, 3, 4}});
  Tensor state = K::constant(10.0, None, {2, 1});
  Array keep{{1, 1, 1, 1}, {0, 1, 0, 1}};
  for (bool unroll : {false, true}) {
    INFO("unroll " << unroll);
    for (const Operand &mask :
         {Operand(keep), Operand(K::expand_dims(K::constant(keep, "int32"), -1))}) {
      Options options{false, mask, unroll};
      Found found = run(accumulation, inputs, {state}, options);
      checkRows(found.outputs, {{11, 13, 16, 20}, {0, 12, 12, 16}});
      checkRows(found.last, {20, 16});
      checkRows(found.states[0], {20, 16});

      options.zeroOutput = true;
      found = run(accumulation, inputs, {state}, options);
      checkRows(found.outputs, {{11, 13, 16, 20}, {0, 12, 0, 16}});
      checkRows(found.states[0], {20, 16});

      options = {true, mask, unroll};
      found = run(accumulation, inputs, {state}, options);
      checkRows(found.outputs, {{14, 17, 19, 20}, {14, 14, 16, 16}});
      checkRows(found.last, {20, 16});
      checkRows(found.states[0], {20, 16});
    }
    Found found = run(accumulation, inputs, {state}, {true, None, unroll});
    checkRows(found.outputs, {{14, 17, 19, 20}, {14, 17, 19, 20}});
    checkRows(found.last, {20, 20});
  }
}

TEST_CASE("rnn with time first", "[loop]") {
  Tensor inputs = K::permute_dimensions(column({{1, 2, 3}, {4, 5, 6}}), {1, 0, 2});
  Tensor mask = K::constant({{1, 0}, {1, 1}, {0, 1}});
  Found found =
      run(accumulation, inputs, {K::constant(0.0, None, {2, 1})}, {false, mask, false, true});
  checkRows(found.outputs, {{1, 0}, {3, 5}, {3, 11}});
  checkRows(found.last, {3, 11});
  CHECK(keratin::toString(found.outputs.shape()) == "(3, 2, 1)");
}

TEST_CASE("lengths work as a mask", "[loop]") {
  Tensor inputs = column({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Tensor state = K::constant(0.0, None, {3, 1});
  Operand lengths = std::vector<int>{2, 3, 0};
  for (bool unroll : {false, true}) {
    INFO("unroll " << unroll);
    Options options{false, None, unroll};
    options.length = lengths;
    Found found = run(accumulation, inputs, {state}, options);
    checkRows(found.outputs, {{1, 3, 3}, {4, 9, 15}, {0, 0, 0}});
    checkRows(found.states[0], {3, 15, 0});
    // The places are those of the inputs.
    options.goBackwards = true;
    found = run(accumulation, inputs, {state}, options);
    checkRows(found.outputs, {{0, 2, 3}, {6, 11, 15}, {0, 0, 0}});
    checkRows(found.last, {3, 15, 0});
    options.mask = Array{{1, 1, 1}, {1, 1, 1}, {0, 0, 1}};
    found = run(accumulation, inputs, {state}, options);
    checkRows(found.last, {6, 15, 9});
  }
}

TEST_CASE("outputs are masked by themselves, of any rank", "[loop]") {
  Tensor inputs = column({{1, 2, 3}, {4, 5, 6}});
  // Two states of different ranks and dtypes, an output of rank 3.
  auto step = [](const Tensor &input, const Tensor &sum, const Tensor &count, const Tensor &scale) {
    Tensor output = K::expand_dims(input, -1) * K::constant({{1.0, -1.0}}) * scale;
    return std::tuple(output, sum + input, count + 1);
  };
  for (bool unroll : {false, true}) {
    INFO("unroll " << unroll);
    auto [last, outputs, states] =
        K::rnn(step, inputs, {K::constant(0.5, None, {2, 1}), K::constant({10, 20}, "int32")},
               false, Array{{1, 0, 0}, {1, 1, 0}}, {K::constant(2.0)}, unroll);
    CHECK(keratin::toString(outputs.shape()) == "(2, 3, 1, 2)");
    checkArray(K::squeeze(outputs, 2).eval(),
               Array{{{2, -2}, {2, -2}, {2, -2}}, {{8, -8}, {10, -10}, {10, -10}}});
    checkArray(last.eval(), Array{{{2, -2}}, {{10, -10}}});
    checkRows(states[0], {1.5, 9.5});
    CHECK(states[1].dtype() == DType::Int32);
    checkArray(states[1].eval(), Array{11, 22});
  }
}

TEST_CASE("rnn without states", "[loop]") {
  auto [last, outputs, states] =
      K::rnn([](const Tensor &x) { return K::square(x); }, column({{1, 2}, {3, 4}}), {});
  checkRows(outputs, {{1, 4}, {9, 16}});
  checkRows(last, {4, 16});
  CHECK(states.empty());
  auto vector = [](const Tensor &x, const Tensors &) -> keratin::RnnStepResult { return {x, {}}; };
  checkRows(run(vector, column({{1, 2}}), {}, {true}).outputs, {{2, 1}});
}

TEST_CASE("unknown samples and time compile once", "[loop]") {
  Tensor x = K::placeholder({None, None, 2}), mask = K::placeholder({None, None});
  Tensor w = K::variable(Array{{0.5, -1.0}, {0.25, 0.75}});
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor next = K::tanh(K::dot(input, w) + 0.5 * h);
    return std::pair(next, next);
  };
  Tensor zero = K::zeros_like(x[{keratin::All, 0}]);
  for (bool backwards : {false, true}) {
    Found plain = run(step, x, {K::sum(x * 0.0, 1)}, {backwards});
    CHECK(keratin::toString(plain.outputs.shape()) == "(None, None, 2)");
    CHECK(keratin::toString(plain.last.shape()) == "(None, 2)");
    Found masked = run(step, x, {K::sum(x * 0.0, 1)}, {backwards, mask});
    Function f = K::function(
        {x, mask}, {plain.last, plain.outputs, masked.last, masked.outputs, masked.states[0]});
    for (auto [samples, time] : {std::pair<int64_t, int64_t>(3, 4), {1, 1}, {2, 7}, {0, 3}}) {
      INFO(samples << " samples, " << time << " steps");
      Array values = Array::zeros(DType::Float32, {samples, time, 2});
      Array keep = Array::zeros(DType::Float32, {samples, time});
      for (int64_t i = 0; i < values.size(); ++i)
        values.data<float>()[i] = float(std::sin(double(i)));
      for (int64_t i = 0; i < keep.size(); ++i)
        keep.data<float>()[i] = float(i % 3 != 0);
      // The same, with the time known and unrolled.
      Tensor known = K::placeholder({None, time, 2}), knownMask = K::placeholder({None, time});
      Found a = run(step, known, {K::sum(known * 0.0, 1)}, {backwards, None, true});
      Found b = run(step, known, {K::sum(known * 0.0, 1)}, {backwards, knownMask, true});
      Function unrolled =
          K::function({known, knownMask}, {a.last, a.outputs, b.last, b.outputs, b.states[0]});
      std::vector<Array> found = f({values, keep}), expected = unrolled({values, keep});
      // Products of other numbers of rows may add up in another order.
      for (size_t i = 0; i < found.size(); ++i)
        checkArray(found[i], expected[i], 1e-6);
    }
  }
}

TEST_CASE("no steps", "[loop]") {
  Tensor x = K::placeholder({None, None, 1}), h = K::placeholder({None, 1});
  Found found = run(accumulation, x, {h}, {});
  Array nothing = Array::zeros(DType::Float32, {2, 0, 1}), state{{3}, {4}};
  std::vector<Array> results =
      K::function({x, h}, {found.outputs, found.states[0]})({nothing, state});
  checkArray(results[0], nothing);
  checkArray(results[1], state);
  auto doubled = run([](const Tensor &input) { return input * 2.0; }, x, {});
  std::string message = errorOf<ValueError>([&] { K::function({x}, {doubled.last})({nothing}); });
  CHECK_THAT(message, Catch::Contains("the last output needs a step"));
}

TEST_CASE("what comes from outside", "[loop]") {
  Tensor x = K::placeholder({2, 3, 2}), outside = K::placeholder({2});
  Tensor w = K::variable(Array{{1.0, 0.0}, {2.0, 1.0}});
  Tensor made; // inside, but the same in every step
  auto step = [&](const Tensor &input, const Tensor &h) {
    made = K::dot(w, w);
    Tensor next = K::dot(input, made) + h * outside + K::constant({1.0, 2.0});
    return std::pair(next, next);
  };
  Found found = run(step, x, {K::constant(0.0, None, {2, 2})});
  Array values{{{1, 0}, {0, 1}, {1, 1}}, {{2, 1}, {0, 0}, {1, 2}}};
  std::vector<Array> results =
      K::function({x, outside}, {found.last, made})({values, Array{0.5, 2.0}});
  // By hand: w.w = {{1, 0}, {4, 1}}.
  checkArray(results[1], Array{{1.0, 0.0}, {4.0, 1.0}});
  checkArray(results[0], Array{{9.0, 17.0}, {12.25, 20.0}});
}

TEST_CASE("folds and maps", "[loop]") {
  Tensor x = K::constant({1.0, 2.0, 3.0, 4.0});
  auto step = [](const Tensor &a, const Tensor &e) { return a * 2.0 - e; };
  checkValue(K::foldl(step, x), 2 * (2 * (2 * 1 - 2) - 3) - 4.0);
  checkValue(K::foldr(step, x), 2 * (2 * (2 * 4 - 3) - 2) - 1.0);
  checkValue(K::foldl(step, x, 1), 2 * (2 * (2 * (2 * 1 - 1) - 2) - 3) - 4.0);
  checkValue(K::foldr(step, x, K::constant(1.0)), 2 * (2 * (2 * (2 * 1 - 4) - 3) - 2) - 1.0);
  checkValue(K::foldl([](auto &a, auto &e) { return a + e; }, K::constant({{1.0, 2.0}, {3.0, 4.0}}),
                      None, "folded"),
             Array{4.0, 6.0});

  Tensor rows = K::constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  checkValue(K::map_fn([](const Tensor &row) { return K::sum(row); }, rows), Array{3, 7, 11});
  checkValue(K::map_fn([](auto &row) { return K::stack({row, row * 10.0}, 0); }, rows),
             Array{{{1, 2}, {10, 20}}, {{3, 4}, {30, 40}}, {{5, 6}, {50, 60}}});
  Tensor weights = K::constant({1, 0, 2}, "int32");
  checkValue(
      K::map_fn([](const Tensor &row, const Tensor &n) { return row[0] * n; }, {rows, weights}),
      Array{1, 0, 10});
  Tensor mapped = K::map_fn([](const Tensors &both) { return both[0] * both[1]; },
                            Tensors{rows, weights}, "mapped", "float64");
  CHECK(mapped.dtype() == DType::Float64);
  CHECK(mapped.name() == "mapped:0");
  checkValue(mapped, Array{{1, 2}, {0, 0}, {10, 12}});

  Tensor any = K::placeholder({None});
  Function f = K::function(
      {any}, {K::foldl(step, any), K::map_fn([](const Tensor &e) { return e * e; }, any)});
  CHECK(keratin::toString(f.outputs()[1].shape()) == "(None,)");
  checkArray(f({Array{5.0}})[0], 5.0);
  checkArray(f({Array{1.0, 2.0}})[1], Array{1.0, 4.0});
  Array none = Array::zeros(DType::Float32, {0});
  CHECK_THAT(errorOf<ValueError>([&] { f({none}); }),
             Catch::Contains("needed an element or an initializer"));
}

TEST_CASE("loops inside loops", "[loop]") {
  // Sums of each row from the right, weighted by the row's first element, then folded.
  Tensor x = K::placeholder({None, None});
  Tensor scale = K::variable(0.5);
  Tensor y = K::foldl(
      [&](const Tensor &total, const Tensor &row) {
        Tensor inner = K::foldr(
            [&](const Tensor &a, const Tensor &e) { return a * scale + e * total; }, row, 0.0);
        return total + inner * row[0];
      },
      x, 1.0);
  double total = 1;
  Array values{{1.0, 2.0, -1.0}, {0.5, 3.0, 2.0}};
  for (int64_t i = 0; i < 2; ++i) {
    double inner = 0;
    for (int64_t j = 2; j >= 0; --j)
      inner = inner * 0.5 + values.item(i * 3 + j) * total;
    total += inner * values.item(i * 3);
  }
  checkArray(K::function({x}, {y})({values})[0], total);
}

TEST_CASE("random numbers differ from step to step", "[loop]") {
  Tensor x = K::placeholder({None, None, 1});
  auto [last, outputs, states] = K::rnn(
      [](const Tensor &input, const Tensor &h) {
        Tensor noisy = input + K::random_uniform({4, 64}, 0.0, 1.0, None, 7);
        return std::pair(noisy, h);
      },
      x, {K::constant(0.0, None, {4, 1})});
  Function f = K::function({x}, {outputs});
  Array zeros = Array::zeros(DType::Float32, {4, 3, 1});
  Array first = f({zeros})[0], second = f({zeros})[0];
  std::vector<std::vector<double>> draws;
  for (const Array &array : {first, second})
    for (int64_t t = 0; t < 3; ++t) {
      draws.emplace_back();
      for (int64_t i = 0; i < 64; ++i)
        draws.back().push_back(array.item(t * 64 + i));
    }
  for (size_t i = 0; i < draws.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      CHECK(draws[i] != draws[j]);
  // Nodes of a seed draw the same wherever they are.
  auto row = [](const Tensor &) { return K::dropout(K::ones_like(K::zeros({50})), 0.5, None, 3); };
  Tensor masks = K::map_fn(row, K::constant({1.0, 2.0, 3.0}));
  Array drawn = masks.eval();
  int64_t equal = 0;
  for (int64_t i = 0; i < 50; ++i)
    equal += drawn.item(i) == drawn.item(50 + i);
  CHECK(equal < 45);
  CHECK(equal > 5);
}

TEST_CASE("the learning phase inside a step", "[loop]") {
  K::clear_session();
  Tensor phase = K::learning_phase().tensor();
  Tensor inputs = column({{1, 2, 3}});
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor next = h + K::in_train_phase(input * 10.0, input);
    return std::pair(next, next);
  };
  Found found = run(step, inputs, {K::constant(0.0, None, {1, 1})});
  CHECK(found.last.usesLearningPhase());
  Function f = K::function({phase}, {found.last});
  checkArray(f({0})[0], Array{{6.0}});
  checkArray(f({1})[0], Array{{60.0}});
  CHECK_FALSE(run(accumulation, inputs, {K::constant(0.0, None, {1, 1})}).last.usesLearningPhase());
}

TEST_CASE("gradients taken inside a step", "[loop]") {
  // Newton's method on sum((h*w)^2 - x): the gradient with respect to an older tensor, of which
  // the step uses only what was computed before.
  Tensor x = K::placeholder({3}), w = K::variable(Array{1.0, 2.0, 3.0});
  Tensor older = K::square(w) * 0.5;
  auto step = [&](const Tensor &a, const Tensor &e) {
    Tensor loss = K::sum(older * e * a);
    return a + K::sum(*K::gradients(loss, {w})[0]) + K::sum(*K::gradients(loss, {a})[0]);
  };
  Function f = K::function({x}, {K::foldl(step, x, 1.0)});
  // d loss/d w = w e a, d loss/d a = sum(w^2/2) e.
  double a = 1;
  for (double e : {0.5, -1.0, 2.0})
    a += 6 * e * a + 7 * e;
  checkArray(f({Array{0.5, -1.0, 2.0}})[0], a);
}

TEST_CASE("steps leave nothing behind", "[loop]") {
  Tensor x = K::placeholder({2, 3, 1}), h = K::placeholder({2, 1});
  Tensor kept;
  const int line = __LINE__ + 2;
  auto keep = [&](const Tensor &input, const Tensor &state) {
    kept = input + state;
    return std::pair(kept, kept);
  };
  Found found = run(keep, x, {h});
  CHECK_THAT(errorOf<ValueError>([&] { K::sum(kept); }),
             Catch::Contains("sum: an argument was made in the step function of rnn, which has "
                             "returned; needed a tensor that it returns, or one made outside of "
                             "it"));
  CHECK_THAT(
      errorOf<ValueError>([&] { kept.eval(); }),
      Catch::StartsWith("eval: a tensor of the step function of rnn has no value of its own, but "
                        "one in each step; needed a tensor made outside of it; at ") &&
          Catch::EndsWith("LoopTest.cpp:" + std::to_string(line)));
  CHECK_THROWS_AS(K::function({x, h}, {kept}), ValueError);
  CHECK(keratin::toString(kept.shape()) == "(2, 1)");
  kept = Tensor();

  Tensor v = K::variable(1.0);
  auto refuses = [&](const char *text, const keratin::RnnStep &step) {
    std::string message = errorOf<ValueError>([&] { run(step, x, {h}); });
    INFO(message);
    CHECK(message.find(text) != std::string::npos);
  };
  refuses("update: an update in the step function of rnn; needed the new value as what it returns, "
          "and the "
          "update outside of it",
          [&](auto &input, auto &states) {
            K::update(v, 2.0);
            return accumulation(input, states);
          });
  refuses("state 0 of the step function changes its dtype from float32 to int32, but must be the "
          "same in every step",
          [&](auto &input, auto &states) {
            return std::pair(input, Tensors{K::cast(states[0], "int32")});
          });
  refuses("state 0 of the step function changes its shape from (2, 1) to (2, 4), but must be the "
          "same in every step",
          [&](auto &input, auto &states) {
            return std::pair(input, Tensors{K::repeat_elements(states[0], 4, 1)});
          });
  refuses(
      "the step function returned 2 states; needed one for each of the initial states, 1",
      [&](auto &input, auto &states) { return std::pair(input, Tensors{states[0], states[0]}); });
  refuses("the output of the step function is a scalar; needed the samples first",
          [&](auto &input, auto &states) { return std::pair(K::sum(input), states); });
  refuses(
      "the step function takes 2 states and constants; found 1",
      [&](const Tensor &input, const Tensor &a, const Tensor &) { return std::pair(input, a); });
  struct Unrelated {};
  CHECK_THROWS_AS(
      run([](auto &, auto &) -> std::pair<Tensor, Tensors> { throw Unrelated(); }, x, {h}),
      Unrelated);
  // The graph works on.
  checkArray(K::function({x, h}, {found.states[0]})(
                 {Array{{{1.0}, {2.0}, {3.0}}, {{4.0}, {5.0}, {6.0}}}, Array{{0.0}, {1.0}}})[0],
             Array{{6.0}, {16.0}});
}

TEST_CASE("states of unknown size are checked at the call", "[loop]") {
  Tensor x = K::placeholder({None, None, 2}), h = K::placeholder({None, 2});
  Function f = K::function({x, h}, {run(accumulation, x, {h}).last});
  Array values = Array::zeros(DType::Float32, {3, 2, 2});
  checkArray(f({values, Array::zeros(DType::Float32, {3, 2})})[0],
             Array::zeros(DType::Float32, {3, 2}));
  CHECK_THROWS_AS(f({values, Array::zeros(DType::Float32, {2, 2})}), ValueError);
}

TEST_CASE("arguments that rnn refuses", "[loop]") {
  Tensor x = K::placeholder({2, 3, 1}), h = K::placeholder({2, 1});
  auto refuses = [&](const char *text, auto &&call) {
    std::string message = errorOf<ValueError>(call);
    INFO(message);
    CHECK(message.find(text) != std::string::npos);
  };
  refuses("inputs has rank 2; needed 3 or more, with samples and time first",
          [&] { run(accumulation, h, {h}); });
  refuses("mask has rank 1; needed 2 or more",
          [&] { run(accumulation, x, {h}, {false, K::placeholder({2})}); });
  refuses("time and samples of inputs and mask must have equal shapes",
          [&] { run(accumulation, x, {h}, {false, K::placeholder({2, 4})}); });
  refuses("a mask without states; needed an initial state", [&] {
    run([](const Tensor &input) { return input; }, x, {}, {false, K::placeholder({2, 3})});
  });
  refuses("a mask of shape (2, 5) in each step cannot mask shape (2, 1)",
          [&] { run(accumulation, x, {h}, {false, K::placeholder({2, 3, 5})}); });
  refuses("unroll with time (None,); needed a known number of steps, 1 or more",
          [&] { run(accumulation, K::placeholder({2, None, 1}), {h}, {false, None, true}); });
  Options options;
  options.length = K::placeholder({2, 2}, None, "int32");
  refuses("input_length has shape (2, 2) and dtype int32; needed a number or an integer for each "
          "sample",
          [&] { run(accumulation, x, {h}, options); });
  refuses("elems is a scalar; needed at least one axis",
          [&] { K::map_fn([](const Tensor &e) { return e; }, K::constant(1.0)); });
  refuses("elems is an empty list; needed one tensor or more",
          [&] { K::map_fn([](const Tensor &e) { return e; }, Tensors()); });
  refuses("fn has 1 parameters; needed 2, one for each tensor of elems",
          [&] { K::map_fn([](const Tensor &e) { return e; }, {x, x}); });
  refuses("the accumulator changes its shape from () to (1,)",
          [&] { K::foldl([](auto &a, auto &e) { return a + e[0]; }, x, 0.0); });
  refuses("the accumulator changes its dtype from int32 to float32",
          [&] { K::foldl([](auto &, auto &e) { return e; }, x, K::zeros({3, 1}, "int32")); });
}

TEST_CASE("input_length gives unroll its time", "[loop]") {
  Tensor x = K::placeholder({2, None, 1});
  Options options{false, None, true};
  options.length = 3;
  Function f =
      K::function({x}, {run(accumulation, x, {K::constant(0.0, None, {2, 1})}, options).last});
  checkArray(f({Array{{{1.0}, {2.0}, {3.0}}, {{4.0}, {5.0}, {6.0}}}})[0], Array{{6.0}, {15.0}});
  CHECK_THROWS_AS(f({Array::zeros(DType::Float32, {2, 4, 1})}), ValueError);
}

TEST_CASE("loops read what control dependencies assign", "[loop]") {
  Tensor v = K::variable(1.0), x = K::constant({1.0, 2.0});
  Tensor update = K::update_add(v, 10.0);
  K::control_dependencies after({update});
  Tensor y = K::map_fn([&](const Tensor &e) { return e * v; }, x);
  checkArray(K::function({}, {y})({})[0], Array{11.0, 22.0});
  CHECK(K::get_value(v).item() == 11.0);
}

TEST_CASE("callables may evaluate and make variables", "[loop]") {
  Tensor x = K::placeholder({None}), w;
  Tensor y = K::map_fn(
      [&](const Tensor &e) {
        w = K::variable(K::constant({2.0, 3.0})[1]);
        return e * w + K::eval(w * 2.0).item();
      },
      x);
  checkArray(K::function({x}, {y})({Array{1.0, 2.0}})[0], Array{9.0, 12.0});
  K::set_value(w, 1.0);
  checkArray(K::function({x}, {y})({Array{1.0}})[0], Array{7.0});
}

TEST_CASE("a value in the middle of the graph is fed to a loop", "[loop]") {
  Tensor x = K::placeholder({3}), middle = K::square(x);
  Tensor y = K::foldl([&](const Tensor &a, const Tensor &e) { return a * e + middle[0]; }, x, 1.0);
  checkArray(K::function({x}, {y})({Array{2.0, 1.0, 1.0}})[0], 14.0);
  checkArray(K::function({x, middle}, {y})({Array{2.0, 1.0, 1.0}, Array{1.0, 0.0, 0.0}})[0], 5.0);
}

TEST_CASE("steps with masks of other forms", "[loop]") {
  Tensor inputs = column({{1, 2, 3}, {4, 5, 6}}), state = K::constant(0.0, None, {2, 1});
  for (const char *dtype : {"bool", "float32", "int8"}) {
    Tensor mask = K::cast(K::constant({{{1.0}, {0.0}, {1.0}}, {{0.0}, {0.0}, {1.0}}}), dtype);
    checkRows(run(accumulation, inputs, {state}, {false, mask}).outputs, {{1, 1, 4}, {0, 0, 6}});
    checkRows(run(accumulation, inputs, {state}, {false, K::squeeze(mask, -1)}).last, {4, 6});
  }
  checkRows(
      run(accumulation, inputs, {state}, {false, Array{{0.25, 0.0, 2.0}, {0.0, 0.0, 0.5}}}).last,
      {4, 6});
  // One for each feature: the mask of states and outputs of the inputs' shape.
  Tensor wide = K::concatenate({inputs, inputs * 10.0});
  Tensor each = K::constant({{{1, 0}, {1, 1}, {0, 1}}, {{0, 0}, {0, 1}, {1, 0}}}, "int32");
  Found found = run(accumulation, wide, {K::constant(0.0, None, {2, 2})}, {false, each});
  checkArray(found.last.eval(), Array{{3.0, 50.0}, {6.0, 50.0}});
}

TEST_CASE("several threads make loops", "[loop]") {
  std::vector<std::thread> threads;
  std::vector<double> results(4);
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int i = 0; i < 10; ++i) {
        Tensor x = K::placeholder({None});
        Tensor y = K::foldl(
            [&](const Tensor &a, const Tensor &e) {
              return K::switch_(e > 1.5, [&] { return a * e; }, [&] { return a + number; });
            },
            x, 1.0);
        results[size_t(number)] = K::function({x}, {y})({Array{1.0, 2.0, 3.0}})[0].item();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int number = 0; number < 4; ++number)
    CHECK(results[size_t(number)] == (1 + number) * 6);
}

// K::switch, K::in_train_phase and K::in_test_phase: what is chosen, and what does not run.
#include "tests/frontend/FrontendTest.h"

#include "keratin/random.h"
#include "tests/frontend/InterpretedProgram.h"

#include <cstdio>

#include <unistd.h>

using keratin::Function;
using keratin::NotImplementedError;
using keratin::ValueError;

// What the call prints: of the interpreter, or on the standard output of the process.
template <typename Callable> static std::string printedBy(Callable &&call) {
  std::fflush(stdout);
  keratin::test::takePrinted();
  std::FILE *file = std::tmpfile();
  REQUIRE(file);
  int standard = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  call();
  std::fflush(stdout);
  dup2(standard, STDOUT_FILENO);
  close(standard);
  std::string text = keratin::test::takePrinted();
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text += char(c);
  std::fclose(file);
  return text;
}

TEST_CASE("a scalar condition of any dtype picks one branch", "[branch]") {
  Tensor x = K::placeholder({2});
  for (const char *dtype : {"bool", "float32", "float64", "int8", "uint64"}) {
    INFO(dtype);
    Tensor c = K::placeholder(keratin::Shape{}, None, dtype);
    Function f =
        K::function({c, x}, {K::switch_(c, [&] { return K::exp(x); }, [&] { return x * 2.0; })});
    checkArray(f({1, Array{0.0, 1.0}})[0], Array{1.0, 2.718281828});
    checkArray(f({0, Array{0.0, 1.0}})[0], Array{0.0, 2.0});
  }
  int calls = 0;
  K::switch_(K::constant(1.0), [&] { return ++calls, x; }, [&] { return ++calls, x; });
  CHECK(calls == 2);
}

TEST_CASE("branches of different kinds", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({2});
  Tensor n = K::placeholder({2}, None, "int32");
  // Promoted as operands are; a tensor, a number that a function made, one another's captures.
  Tensor y = K::switch_(c, x, [&] { return n * n; });
  CHECK(y.dtype() == DType::Float32);
  Function f = K::function({c, x, n}, {y, K::switch_(c, [&] { return K::sum(x); }, 7)});
  checkArray(f({true, Array{0.5, 1.5}, Array{2, 3}})[0], Array{0.5, 1.5});
  checkArray(f({true, Array{0.5, 1.5}, Array{2, 3}})[1], 2.0);
  std::vector<Array> other = f({false, Array{0.5, 1.5}, Array{2, 3}});
  checkArray(other[0], Array{4.0, 9.0});
  checkArray(other[1], 7.0);
}

TEST_CASE("sizes of branches that are the same", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({None, 3});
  Tensor same = K::switch_(c, [&] { return x + 1.0; }, [&] { return x * 2.0; });
  CHECK(keratin::toString(same.shape()) == "(None, 3)");
  checkArray(K::function({c, x}, {same})({false, Array{{1, 1, 1}, {1, 1, 1}}})[0],
             Array{{2, 2, 2}, {2, 2, 2}});
}

TEST_CASE("the branch taken gives the sizes", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool");
  Tensor x = K::placeholder({2, 3}), y = K::placeholder({1, None});
  Tensor z = K::switch_(c, [&] { return x + 1.0; }, [&] { return y * 2.0; });
  CHECK(keratin::toString(z.shape()) == "(None, None)");
  Tensor sum = K::sum(z * z);
  auto gradients = K::gradients(sum, {x, y});
  auto again = K::gradients(K::sum(K::pow(*gradients[1], 2)), {y});
  Function f = K::function({c, x, y}, {z, sum, *gradients[0], *gradients[1], *again[0]});
  Array six{{1, 2, 3}, {4, 5, 6}}, five{{1, 2, 3, 4, 5}}, zeros = Array::zeros(six.dtype(), {2, 3});
  std::vector<Array> taken = f({true, six, five}), other = f({false, six, five});
  checkArray(taken[0], Array{{2, 3, 4}, {5, 6, 7}});
  checkArray(taken[1], 139.0);
  checkArray(taken[2], Array{{4, 6, 8}, {10, 12, 14}});
  checkArray(taken[3], Array{{0, 0, 0, 0, 0}});
  checkArray(other[0], Array{{2, 4, 6, 8, 10}});
  checkArray(other[1], 220.0);
  checkArray(other[2], Array{{0, 0, 0}, {0, 0, 0}});
  checkArray(other[3], Array{{8, 16, 24, 32, 40}});
  checkArray(other[4], Array{{128, 256, 384, 512, 640}});
  // Nothing in a branch.
  std::vector<Array> empty = f({false, six, Array::zeros(DType::Float32, {1, 0})});
  CHECK(empty[0].shape() == std::vector<int64_t>{1, 0});
  checkArray(empty[1], 0.0);
}

TEST_CASE("branches of different sizes inside callables", "[branch]") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None}), e = K::placeholder({None});
  auto chosenSum = [&](const Tensor &a, const Tensor &e) {
    return a + K::sum(K::switch_(e > 0.0, x, [&] { return y * e; }));
  };
  Tensor sum = K::foldl(chosenSum, e, 0.0);
  Function f =
      K::function({x, y, e}, {sum, *K::gradients(sum, {x})[0], *K::gradients(sum, {e})[0]});
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<Array> values =
        f({Array{1.0, 2.0}, Array{3.0, 4.0, 5.0}, Array{1.0, -1.0, -2.0, 4.0}});
    checkArray(values[0], 3.0 - 12.0 - 24.0 + 3.0);
    checkArray(values[1], Array{2.0, 2.0});
    checkArray(values[2], Array{0.0, 12.0, 12.0, 0.0});
    checkArray(f({Array{1.0, 2.0}, Array::zeros(DType::Float32, {0}), Array{1.0, -1.0}})[0], 3.0);
  }
  // Constant sizes, and a size that two branches have inside each other.
  Tensor three = K::constant({1.0, 2.0, 3.0}), two = K::constant({4.0, 5.0});
  auto nested = [&](const Tensor &e) {
    return K::max(K::switch_(
        e > 0.0, [&] { return K::switch_(e > 1.0, three, two) * e; }, [&] { return two - e; }));
  };
  Function g = K::function({e}, {K::map_fn(nested, e)});
  checkArray(g({Array{1.0, 2.0, -1.0}})[0], Array{5.0, 6.0, 6.0});
}

TEST_CASE("what a branch computes the size of", "[branch]") {
  // Decoded sequences are as long as the longest.
  Tensor c = K::placeholder({}, None, "bool"), y = K::placeholder({1, 4, 3});
  Tensor lengths = K::constant(Array{4}.astype(DType::Int32));
  auto decoded = [&] {
    return K::cast(K::ctc_decode(y, lengths).first[0], "float32") * 2.0 + K::sum(y);
  };
  Tensor z = K::switch_(c, decoded, [&] { return K::constant(Array{{7.0, 8.0, 9.0}}); });
  Function f = K::function({c, y}, {z, *K::gradients(K::sum(z), {y})[0]});
  Array frames{{{0.9, 0.05, 0.05}, {0.05, 0.05, 0.9}, {0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}}};
  auto taken = f({true, frames}), other = f({false, frames});
  checkArray(taken[0], Array{{4.0, 6.0}});
  CHECK(taken[1].item(0) == 2.0);
  checkArray(other[0], Array{{7.0, 8.0, 9.0}});
  CHECK(other[1].item(0) == 0.0);
  // In each step another one, of which steps hand on what has one size.
  Tensor all = K::placeholder({None, 1, 4, 3});
  auto count = [&](const Tensor &y) {
    return K::sum(K::ones_like(K::ctc_decode(y, lengths).first[0], "float32"));
  };
  Function g = K::function({all}, {K::map_fn(count, all)});
  Array several = Array::zeros(DType::Float32, {3, 1, 4, 3});
  for (int64_t step = 0; step < 3; ++step)
    for (int64_t i = 0; i < 12; ++i)
      several.data<float>()[step * 12 + i] = i / 3 <= step ? float(frames.item(i))
                                             : i % 3 == 2  ? 1.0f
                                                           : 0.0f;
  checkArray(g({several})[0], Array{1.0, 1.0, 2.0});
}

TEST_CASE("a scalar in one branch, a tensor in the other", "[branch]") {
  Tensor c = K::placeholder({}, None, "bool"), x = K::placeholder({2, 3}),
         row = K::placeholder({3});
  Tensor z = K::switch_(c, x, 0.5);
  Tensor total = K::sum(z), product = z * row;
  CHECK(K::ndim(z) == 2);
  Function f = K::function({c, x, row}, {z, total, product, *K::gradients(K::sum(product), {x})[0],
                                         K::switch_(c, total, x)});
  Array numbers{{1, 2, 3}, {4, 5, 6}}, weights{1, 10, 100};
  auto taken = f({true, numbers, weights}), other = f({false, numbers, weights});
  checkArray(taken[0], numbers);
  checkArray(taken[1], 21.0);
  checkArray(taken[2], Array{{1, 20, 300}, {4, 50, 600}});
  checkArray(taken[3], Array{{1, 10, 100}, {1, 10, 100}});
  checkArray(taken[4], Array{{21.0}});
  checkArray(other[0], Array{{0.5}});
  checkArray(other[1], 0.5);
  checkArray(other[2], Array{{0.5, 5.0, 50.0}});
  checkArray(other[3], Array{{0, 0, 0}, {0, 0, 0}});
  checkArray(other[4], numbers);
  // And in each step of a loop.
  Function g = K::function(
      {x},
      {K::map_fn([](const Tensor &e) { return K::sum(K::switch_(K::sum(e) > 7.0, e, K::max(e))); },
                 x)});
  checkArray(g({numbers})[0], Array{3.0, 15.0});
}

TEST_CASE("the branch that is not taken does not happen", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({2});
  Tensor place = K::placeholder(keratin::Shape{}, None, "int32");
  // Reading outside of x is an error, but only of the branch.
  Tensor y = K::switch_(c, [&] { return x[place]; }, [&] { return K::sum(x); });
  Function f = K::function({c, x, place}, {y});
  checkArray(f({false, Array{1.0, 2.0}, 5})[0], 3.0);
  checkArray(f({true, Array{1.0, 2.0}, 1})[0], 2.0);
  CHECK_THROWS_AS(f({true, Array{1.0, 2.0}, 5}), ValueError);
}

TEST_CASE("only what is chosen is printed", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({2});
  Tensor common = K::print_tensor(x, "both");
  Tensor y = K::switch_(c, K::print_tensor(common * 2.0, "then") + 1.0,
                        [&] { return K::print_tensor(common, "else"); });
  Tensor z = K::switch_(c, K::print_tensor(x, "x") * 2.0, K::print_tensor(x * 3.0, "3x"));
  Function f = K::function({c, x}, {y}), g = K::function({c, x}, {z});
  auto check = [&](const Function &function, bool condition, const char *prints,
                   const Array &value) {
    Array found;
    CHECK(printedBy([&] { found = function({condition, Array{1.0, 2.0}})[0]; }) == prints);
    checkArray(found, value);
  };
  check(f, true, "both [1. 2.]\nthen [2. 4.]\n", Array{3.0, 5.0});
  check(f, false, "both [1. 2.]\nelse [1. 2.]\n", Array{1.0, 2.0});
  check(g, true, "x [1. 2.]\n", Array{2.0, 4.0});
  check(g, false, "3x [3. 6.]\n", Array{3.0, 6.0});
}

TEST_CASE("draws in a branch", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool");
  auto draw = [] { return K::random_uniform({32}, 0.0, 1.0, None, 5); };
  Function f = K::function({c}, {K::switch_(c, draw, [] { return K::zeros({32}) * 1.0; })});
  Array first = f({true})[0], second = f({true})[0];
  CHECK(first.item(0) != second.item(0));
  checkArray(f({false})[0], Array::zeros(DType::Float32, {32}));
}

TEST_CASE("branches inside loops and loops inside branches", "[branch]") {
  Tensor x = K::placeholder({None}), c = K::placeholder(keratin::Shape{}, None, "bool");
  // Collatz-like: halves or triples the accumulator, by its sign.
  auto step = [&](const Tensor &a, const Tensor &e) {
    return K::switch_(
        a > 0.0, [&] { return a - e * 2.0; },
        [&] { return K::switch_(e > 2.0, [&] { return a + e; }, [&] { return a * e; }); });
  };
  Tensor y = K::switch_(c, [&] { return K::foldl(step, x); }, [&] { return K::foldr(step, x); });
  Function f = K::function({c, x}, {y});
  auto expected = [](double a, const std::vector<double> &es) {
    for (double e : es)
      a = a > 0 ? a - e * 2 : e > 2 ? a + e : a * e;
    return a;
  };
  Array values{1.0, 1.5, 3.0, 1.25};
  checkArray(f({true, values})[0], expected(1.0, {1.5, 3.0, 1.25}));
  checkArray(f({false, values})[0], expected(1.25, {3.0, 1.5, 1.0}));
}

TEST_CASE("a tensor that one branch alone needs is not computed for the other", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({2});
  Tensor place = K::placeholder(keratin::Shape{}, None, "int32");
  Tensor read = K::gather(x, K::expand_dims(place, 0)), sum = K::sum(x, 0, true);
  Tensor y = K::sum(K::switch_(c, read * 2.0, sum));
  Tensor gradient = *K::gradients(y, {x})[0];
  Function f = K::function({c, x, place}, {y, gradient});
  std::vector<Array> taken = f({true, Array{1.0, 2.0}, 1}), other = f({false, Array{1.0, 2.0}, 1});
  checkArray(taken[0], 4.0);
  checkArray(taken[1], Array{0.0, 2.0});
  checkArray(other[0], 3.0);
  checkArray(other[1], Array{1.0, 1.0});
}

TEST_CASE("gradients go to the branch taken", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), x = K::placeholder({2});
  Tensor y = K::placeholder({2});
  Tensor value = K::sum(K::switch_(c, [&] { return K::log(x) * y; }, [&] { return K::square(y); }));
  auto gradients = K::gradients(value, {x, y});
  auto again = K::gradients(K::sum(K::square(*gradients[1])), {y});
  Function f = K::function({c, x, y}, {*gradients[0], *gradients[1], *again[0]});
  std::vector<Array> taken = f({true, Array{1.0, 2.0}, Array{3.0, 4.0}});
  checkArray(taken[0], Array{3.0, 2.0});
  checkArray(taken[1], Array{0.0, std::log(2.0)});
  checkArray(taken[2], Array{0.0, 0.0});
  // log has no finite derivative at 0, which is not taken.
  std::vector<Array> other = f({false, Array{0.0, 0.0}, Array{3.0, 4.0}});
  checkArray(other[0], Array{0.0, 0.0});
  checkArray(other[1], Array{6.0, 8.0});
  checkArray(other[2], Array{24.0, 32.0});
}

TEST_CASE("phases with functions", "[branch]") {
  K::clear_session();
  Tensor x = K::placeholder({2}), phase = K::learning_phase().tensor();
  Tensor y = K::in_train_phase([&] { return x * 2.0; }, [&] { return x - 1.0; });
  Tensor z = K::in_test_phase([&] { return x * 2.0; }, x);
  CHECK(y.usesLearningPhase());
  CHECK(z.usesLearningPhase());
  Function f = K::function({x, phase}, {y, z});
  std::vector<Array> training = f({Array{1.0, 2.0}, 1}), testing = f({Array{1.0, 2.0}, None});
  checkArray(training[0], Array{2.0, 4.0});
  checkArray(training[1], Array{1.0, 2.0});
  checkArray(testing[0], Array{0.0, 1.0});
  checkArray(testing[1], Array{2.0, 4.0});
  Tensor own = K::placeholder(keratin::Shape{}, None, "int32");
  Tensor w = K::in_train_phase([&] { return x * 2.0; }, x, own);
  CHECK_FALSE(w.usesLearningPhase());
  checkArray(K::function({x, own}, {w})({Array{1.0, 2.0}, 1})[0], Array{2.0, 4.0});
}

TEST_CASE("what branches refuse", "[branch]") {
  Tensor c = K::placeholder(keratin::Shape{}, None, "bool"), v = K::variable(Array{1.0, 2.0});
  Tensor x = K::placeholder({2});
  auto refuses = [&](const char *text, auto &&call) {
    std::string message;
    try {
      call();
    } catch (const std::exception &error) {
      message = error.what();
    }
    INFO(message);
    CHECK(message.find(text) != std::string::npos);
  };
  refuses("update: an update in the then-branch of switch",
          [&] { K::switch_(c, [&] { return K::update(v, x); }, x); });
  refuses(
      "map_fn: the function of map_fn returns shape (None,) with a size that it computes; needed "
      "the same size in every step",
      [&] {
        K::map_fn([&](const Tensor &e) { return K::switch_(e > 0.0, x, K::placeholder({3})); }, x);
      });
  refuses(
      "the branches under a scalar condition have shapes (2,) and (2, 3); needed equal ranks, or "
      "a scalar in one of them",
      [&] { K::switch_(c, x, K::placeholder({2, 3})); });
  Tensor y = K::placeholder({None});
  auto grow = [&](const Tensor &a, const Tensor &e) { return K::switch_(e > 0.0, a, y); };
  Function f = K::function({x, y}, {K::foldl(grow, x, K::constant({1.0, 2.0}))});
  checkArray(f({Array{1.0, -1.0}, Array{5.0, 6.0}})[0], Array{5.0, 6.0});
  refuses("must have equal sizes", [&] { f({Array{1.0, -1.0}, Array{5.0, 6.0, 7.0}}); });
  checkArray(f({Array{1.0, 1.0}, Array{5.0, 6.0, 7.0}})[0], Array{1.0, 2.0});
  // What prints moves into the branch, and its size would be known there alone.
  refuses(
      "not implemented: a size computed from data that both the then-branch of switch and what is "
      "around it need",
      [&] { K::switch_(c, K::switch_(c, K::print_tensor(x), y), x); });
  // What a gradient is taken through is copied into the body.
  refuses("not implemented: a size computed from data that both the function of map_fn and what is "
          "around it need",
          [&] {
            Tensor whole = K::variable(Array{1.0, 2.0, 3.0});
            Tensor cut = K::switch_(c, [&] { return whole; }, [&] { return x; });
            Tensor other = K::stop_gradient(cut) * 2.0;
            K::map_fn(
                [&](const Tensor &e) {
                  return *K::gradients(K::sum(K::square(cut) * other * e), {whole})[0];
                },
                x);
          });
}

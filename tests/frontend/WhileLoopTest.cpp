// K::while_loop: loops that end when their data says so, their gradients, and the rules for their
// functions.
#include "tests/frontend/GradientCheck.h"

#include <cmath>

using Tensors = std::vector<Tensor>;

static Tensor asNumber(const Tensor &x) { return K::cast(x, "float64"); }

// The square root of a, by Newton's iteration until the guess is good.
static Tensor newton(const Tensor &a) {
  return K::while_loop([&](const Tensor &x) { return K::max(K::abs(x * x - a)) > 1e-13; },
                       [&](const Tensor &x) { return (x + a / x) * 0.5; }, {a * 0.0 + 1.0})[0];
}

// How often a number must be halved, or tripled and incremented, until it is 1.
static std::vector<Tensor> collatz(const Tensor &n) {
  return K::while_loop([](const Tensor &x, const Tensor &) { return K::not_equal(x, 1); },
                       [](const Tensor &x, const Tensor &count) {
                         Tensor half = x / 2, up = x * 3 + 1;
                         Tensor odd = K::equal(x % 2, 1);
                         return std::pair(K::switch_(odd, up, K::cast(half, "int64")), count + 1);
                       },
                       {n, n * 0});
}

TEST_CASE("while loops go on as long as their condition holds", "[loop]") {
  checkValue(newton(K::constant({4.0, 9.0, 2.0}, "float64")), Array{2.0, 3.0, std::sqrt(2.0)},
             float64Ulp);

  Tensor n = K::placeholder({}, None, "int64");
  keratin::Function steps = K::function({n}, {collatz(n)[1]});
  for (auto [number, count] : {std::pair{27, 111}, {1, 0}, {6, 8}, {97, 118}})
    checkArray(steps({Array(number).astype(DType::Int64)})[0], Array(count).astype(DType::Int64));

  // Several variables of several shapes; one that nobody reads; one body that is given a vector.
  Tensor x = K::placeholder({None, 2});
  auto grown = K::while_loop(
      [](const Tensors &vars) { return vars[2] < 4; },
      [&](const Tensors &vars) {
        return Tensors{vars[0] + x, K::sum(vars[0]) + vars[1], vars[2] + 1, vars[3] * 2.0};
      },
      {x, K::constant(0.5), K::constant(0, "int32"), K::constant({1.0, 1.0})});
  keratin::Function f = K::function({x}, {grown[0], grown[1], grown[2]});
  std::vector<Array> results = f({Array{{1.0, 2.0}}});
  checkArray(results[0], Array{{5.0, 10.0}});
  checkArray(results[1], 3.0 + 6.0 + 9.0 + 12.0 + 0.5);
  checkArray(results[2], Array(4).astype(DType::Int32));
}

TEST_CASE("while loops end after as many iterations as they may make", "[loop]") {
  auto forever = [](const Tensor &x) { return x < 1e30; };
  auto twice = [](const Tensor &x) { return x * 2.0; };
  checkValue(K::while_loop(forever, twice, {K::constant(1.0)}, 5)[0], 32.0);
  checkValue(K::while_loop(forever, twice, {K::constant(1.0)}, 0)[0], 1.0);
  Tensor limit = K::placeholder({}, None, "int32");
  keratin::Function f =
      K::function({limit}, {K::while_loop(forever, twice, {K::constant(3.0)}, limit)[0]});
  checkArray(f({Array(4).astype(DType::Int32)})[0], 48.0);
  checkArray(f({Array(0).astype(DType::Int32)})[0], 3.0);
}

TEST_CASE("gradients of while loops", "[loop]") {
  Tensor w = K::constant({{0.4, -0.3}, {0.2, 0.7}}, "float64");
  auto below = [](double limit) {
    return [=](const Tensor &x) { return K::sum(K::square(x)) < limit; };
  };
  for (const GradientCase &test : std::vector<GradientCase>{
           {"newton", [](auto &x) { return newton(K::square(x) + 1.0); }},
           {"until large",
            [&](auto &x) {
              return K::while_loop(
                  below(40.0), [&](const Tensor &v) { return v * 1.3 + K::exp(-v) * x; }, {x})[0];
            }},
           {"no iteration",
            [&](auto &x) {
              return K::while_loop(below(0.0), [&](const Tensor &v) { return v * x; }, {x})[0] * x;
            }},
           {"bounded",
            [&](auto &x) {
              return K::while_loop(
                  below(1e9), [&](const Tensor &v) { return K::sin(v) + v * x; }, {x}, 3)[0];
            }},
           {"several variables",
            [&](auto &x) {
              auto last = K::while_loop(
                  [](const Tensor &, const Tensor &, const Tensor &i) { return i < 4; },
                  [&](const Tensor &a, const Tensor &b, const Tensor &i) {
                    return std::tuple(K::tanh(b + x), a * b + asNumber(i), i + 1);
                  },
                  {x, x * 0.5, K::constant(0, "int32")});
              return last[0] * last[1];
            }},
           {"two, of which one goes into the other",
            [&](auto &x) {
              auto first =
                  K::while_loop(below(20.0), [](const Tensor &v) { return v * 1.2 + 0.3; }, {x})[0];
              return K::while_loop(below(10.0),
                                   [&](const Tensor &v) { return K::sin(first) + v * 1.5; },
                                   {first * 0.1})[0];
            }},
           {"inside a fold",
            [&](auto &x) {
              return K::foldl(
                  [&](auto &a, auto &row) {
                    return K::while_loop(
                        below(9.0), [&](const Tensor &v) { return v * 1.5 + row; }, {a * 0.3},
                        4)[0];
                  },
                  x);
            }},
           {"inside a switch",
            [&](auto &x) {
              return K::switch_(
                  K::sum(x) < 1e6,
                  [&] {
                    return K::while_loop(
                        below(30.0), [&](const Tensor &v) { return v * 1.4 + 0.1; }, {x}, 5)[0];
                  },
                  [&] { return x * 3.0; });
            }},
           {"inside another one",
            [&](auto &x) {
              return K::while_loop([](const Tensor &, const Tensor &i) { return i < 2; },
                                   [&](const Tensor &v, const Tensor &i) {
                                     Tensor inner = K::while_loop(
                                         below(12.0),
                                         [&](const Tensor &u) { return u * 1.6 + x * 0.1; },
                                         {v * 0.4}, 4)[0];
                                     return std::pair(K::cos(inner) * v, i + 1);
                                   },
                                   {x, K::constant(0, "int32")})[0];
            }},
       })
    checkGradient(test);
}

TEST_CASE("while loops in other loops and branches", "[loop]") {
  // Without gradients they need no maximum.
  Tensor numbers = K::constant({3, 7, 1}, "int64");
  checkValue(K::map_fn([](const Tensor &n) { return collatz(n)[1]; }, numbers),
             Array{7, 16, 0}.astype(DType::Int64));
  Tensor n = K::placeholder({}, None, "int64");
  Tensor either = K::switch_(K::equal(n, 5), [&] { return collatz(n)[1]; }, [&] { return n; });
  keratin::Function f = K::function({n}, {either});
  checkArray(f({Array(5).astype(DType::Int64)})[0], Array(5).astype(DType::Int64));
  checkArray(f({Array(9).astype(DType::Int64)})[0], Array(9).astype(DType::Int64));
}

TEST_CASE("gradients of while loops inside others need no maximum", "[loop]") {
  auto below = [](double limit) {
    return [=](const Tensor &x) { return K::sum(K::square(x)) < limit; };
  };
  for (const GradientCase &test : std::vector<GradientCase>{
           {"inside a map, each element as often as it likes",
            [&](auto &x) {
              return K::map_fn(
                  [&](const Tensor &row) {
                    return K::while_loop(below(30.0),
                                         [&](const Tensor &v) { return v * 1.4 + K::sin(row); },
                                         {row})[0];
                  },
                  x);
            }},
           {"inside a switch",
            [&](auto &x) {
              return K::switch_(
                  K::sum(x) < 1e6,
                  [&] {
                    return K::while_loop(
                        below(30.0), [&](const Tensor &v) { return v * 1.4 + 0.1 * x; }, {x})[0];
                  },
                  [&] { return x * 3.0; });
            }},
           {"inside a switch inside a fold",
            [&](auto &x) {
              return K::foldl(
                  [&](auto &a, auto &row) {
                    return K::switch_(
                        K::sum(row) > 1.3,
                        [&] {
                          return K::while_loop(below(9.0),
                                               [&](const Tensor &v) { return v * 1.5 + row; },
                                               {a * 0.3})[0];
                        },
                        [&] { return K::tanh(a) * row; });
                  },
                  x);
            }},
           {"inside another one",
            [&](auto &x) {
              return K::while_loop([](const Tensor &, const Tensor &i) { return i < 3; },
                                   [&](const Tensor &v, const Tensor &i) {
                                     Tensor inner = K::while_loop(
                                         below(12.0),
                                         [&](const Tensor &u) { return u * 1.6 + x * 0.1; },
                                         {v * 0.4})[0];
                                     return std::pair(K::cos(inner) * v, i + 1);
                                   },
                                   {x, K::constant(0, "int32")})[0];
            }},
       })
    checkGradient(test);
}

TEST_CASE("functions of while loops that do not fit", "[loop]") {
  Tensor x = K::constant({1.0, 2.0});
  auto yes = [](const Tensor &v) { return K::sum(v) < 5.0; };
  auto same = [](const Tensor &v) { return v; };
  auto refusal = [&](auto make) { return errorOf<keratin::ValueError>(make); };
  CHECK_THAT(refusal([&] { K::while_loop(yes, same, {}); }),
             Catch::Contains("while_loop: loop_vars is an empty list; needed one tensor or more"));
  CHECK_THAT(refusal([&] { K::while_loop(same, same, {x}); }),
             Catch::Contains("while_loop: the condition must be a bool scalar; found (2,) of dtype "
                             "float32"));
  CHECK_THAT(
      refusal([&] { K::while_loop(yes, [](const Tensor &v) { return Tensors{v, v}; }, {x}); }),
      Catch::Contains("while_loop: body returns 2 tensors; needed 1, one for each loop "
                      "variable"));
  CHECK_THAT(refusal([&] {
               K::while_loop([](const Tensor &, const Tensor &) { return K::constant(true); }, same,
                             {x});
             }),
             Catch::Contains("while_loop: cond has 2 parameters; needed 1, one for each loop "
                             "variable"));
  CHECK_THAT(
      refusal([&] { K::while_loop(yes, [](const Tensor &v, const Tensor &) { return v; }, {x}); }),
      Catch::Contains("while_loop: body has 2 parameters; needed 1"));
  CHECK_THAT(refusal([&] { K::while_loop(yes, [](const Tensor &v) { return K::sum(v); }, {x}); }),
             Catch::Contains("while_loop: loop variable 0 changes its shape from (2,) to (), but "
                             "must be the same in every step"));
  CHECK_THAT(
      refusal(
          [&] { K::while_loop(yes, [](const Tensor &v) { return K::cast(v, "int32"); }, {x}); }),
      Catch::Contains("while_loop: loop variable 0 changes its dtype from float32 to int32"));
  CHECK_THAT(refusal([&] { K::while_loop(yes, same, {x}, -2); }),
             Catch::Contains("while_loop: maximum_iterations must not be negative"));
}

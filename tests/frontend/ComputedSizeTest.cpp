// Sizes, places and steps that tensors give: computed from data in the call, or fed as numbers.
#include "tests/frontend/GradientCheck.h"

#include "keratin/random.h"
#include "tests/support/TemporaryFile.h"

using keratin::All;
using keratin::Function;
using keratin::NotImplementedError;
using keratin::Shape;
using keratin::Size;
using keratin::Slice;
using keratin::ValueError;

namespace {

// x is 1 to 6; n, which nobody knows before the call, how many of its elements are above `limit`.
struct Counted {
  Tensor x = K::placeholder({6}), limit = K::placeholder(Shape{});
  Tensor n = K::sum(K::cast(x > limit, "int32"));

  Array operator()(const Tensor &y, int64_t count) const {
    return K::function({x, limit}, {y})({Array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, 6.5 - count})[0];
  }
};

} // namespace

// What Python's slice takes of 1 to `size`.
static Array sliced(int64_t size, std::optional<int64_t> start, std::optional<int64_t> stop,
                    int64_t step) {
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto place = [&](const std::optional<int64_t> &bound, int64_t missing) {
    if (!bound)
      return missing;
    return std::max(std::min(*bound < 0 ? *bound + size : *bound, high), low);
  };
  int64_t first = place(start, step > 0 ? low : high), last = place(stop, step > 0 ? high : low);
  std::vector<double> elements;
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step)
    elements.push_back(double(i + 1));
  return Array(elements, {int64_t(elements.size())});
}

TEST_CASE("tensors of a size that is computed from data", "[size]") {
  Counted counted;
  const Tensor &n = counted.n;
  Tensor zeros = K::zeros({n, 2}), ones = K::ones({2, n + 1}), filled = K::constant(3.0, None, {n});
  CHECK(zeros.shape() == StaticShape{None, 2});
  CHECK_FALSE(K::is_variable(zeros));
  Tensor uniform = K::random_uniform({n}), normal = K::random_normal({n, n});
  Tensor square = K::eye({n}), wide = K::eye({2, n}, "int32");
  for (int64_t count : {4, 0, 6, 1}) {
    INFO(count);
    CHECK(counted(zeros, count).shape() == std::vector<int64_t>{count, 2});
    checkArray(counted(K::sum(ones), count), double(2 * (count + 1)));
    checkArray(counted(K::sum(filled), count), 3.0 * double(count));
    CHECK(counted(uniform, count).shape() == std::vector<int64_t>{count});
    CHECK(counted(normal, count).shape() == std::vector<int64_t>{count, count});
    Array found = counted(square, count), across = counted(wide, count);
    REQUIRE(found.shape() == std::vector<int64_t>{count, count});
    REQUIRE(across.shape() == std::vector<int64_t>{2, count});
    for (int64_t i = 0; i < found.size(); ++i)
      CHECK(found.item(i) == (i / count == i % count));
    for (int64_t i = 0; i < across.size(); ++i)
      CHECK(across.item<int64_t>(i) == (i / count == i % count));
  }
  // The size of two tensors that n gives is one size.
  checkArray(counted(K::zeros({n}) + K::ones({n}), 3), Array{1.0, 1.0, 1.0});
  checkArray(counted(K::constant({1, 2, 3, 4}, None, {n, 2}), 2), Array{{1, 2}, {3, 4}});
  CHECK_THROWS_AS(counted(K::constant({1, 2, 3, 4}, None, {n, 2}), 3), ValueError);
}

TEST_CASE("what is repeated and cut as data says", "[size]") {
  Counted counted;
  const Tensor &x = counted.x, &n = counted.n;
  Tensor m = K::reshape(x, {2, 3});
  checkArray(counted(K::tile(x[Slice(0, 2)], {n}), 3), Array{1, 2, 1, 2, 1, 2});
  checkArray(counted(K::repeat(m, n), 2), Array{{{1, 2, 3}, {1, 2, 3}}, {{4, 5, 6}, {4, 5, 6}}});
  checkArray(counted(K::reshape(x, {n, -1}), 3), Array{{1, 2}, {3, 4}, {5, 6}});
  checkArray(counted(K::reshape(x, {-1, n - 1}), 4), Array{{1, 2, 3}, {4, 5, 6}});
  checkArray(counted(K::reshape(x, Shape(K::stack({n, 2}))), 3), Array{{1, 2}, {3, 4}, {5, 6}});
  checkArray(counted(K::reshape(x, {K::cast(K::max(x) - 4.0, "int32"), 3}), 3),
             Array{{1, 2, 3}, {4, 5, 6}});
  checkArray(counted(K::reshape(x, Shape(K::stack({-1, n - 1}))), 3),
             Array{{1, 2}, {3, 4}, {5, 6}});
  CHECK_THROWS_AS(counted(K::reshape(x, {n, 2}), 4), ValueError);
  // One number, of which each tensor allows another most.
  Tensor any = K::cast(K::sum(x), "int32") - 15, wide = K::zeros({2, 3, 4}) * x[0];
  Tensor narrow = K::reshape(x, {any}), long_ = K::reshape(wide, {any * 2, -1});
  checkArray(counted(narrow, 0), Array{1, 2, 3, 4, 5, 6});
  CHECK(counted(long_, 0).shape() == std::vector<int64_t>{12, 2});
  CHECK_THAT(errorOf<ValueError>([&] { counted(K::zeros({2, n - 5}), 4); }),
             Catch::Contains("zeros: entry 1 of shape is computed from data; needed 0 to 1; at "));
  // Starts that are data need no bound.
  Tensor place = K::cast(K::sum(x), "int32"); // 21
  checkArray(counted(K::slice(m, {place - 20, n - 1}, {1, 2}), 2), Array{{5, 6}});
  checkArray(counted(K::slice(x, {n}, {-1}), 4), Array{5, 6});
  checkArray(counted(K::slice(x, {1}, {n}), 4), Array{2, 3, 4, 5});
  checkArray(counted(K::slice(x, {1}, {place - 22}), 4), Array{2, 3, 4, 5, 6});
  checkArray(counted(K::slice(m, Shape(K::stack({n - 1, n})), Shape(K::stack({n, n}))), 1),
             Array{{2}});
  CHECK_THAT(errorOf<ValueError>([&] { counted(K::slice(x, {n}, {3}), 4); }),
             Catch::Contains("leaves"));
  CHECK_THROWS_AS(counted(K::slice(x, {n - 1}, {1}), 0), ValueError);
  CHECK_THROWS_AS(counted(K::slice(x, {3}, {n}), 4), ValueError);
}

TEST_CASE("slices whose bounds and steps are data are Python's", "[size]") {
  Tensor x = K::placeholder({None}), start = K::placeholder(Shape{}, None, "int64"),
         stop = K::placeholder(Shape{}, None, "int32"),
         step = K::placeholder(Shape{}, None, "int8");
  Function both = K::function({x, start, stop, step}, {x[Slice(start, stop, step)]});
  Function from = K::function({x, start, step}, {x[Slice(start, None, step)]});
  Function to = K::function({x, stop, step}, {x[Slice(None, stop, step)]});
  Function all = K::function({x, step}, {x[Slice(None, None, step)]});
  Function plain = K::function({x, start, stop}, {x[Slice(start, stop)]});
  Function back = K::function({x, start, stop}, {x[Slice(start, stop, -2)]});
  const int64_t far = std::numeric_limits<int64_t>::max();
  for (int64_t size : {5, 1, 0}) {
    Array values = sliced(size, None, None, 1);
    for (int64_t b : {1, 2, 7, -1, -3, -128, 127}) {
      checkArray(all({values, b})[0], sliced(size, None, None, b));
      for (int64_t i : {int64_t(0), int64_t(1), int64_t(4), int64_t(9), int64_t(-1), int64_t(-5),
                        int64_t(-6), far, -far - 1}) {
        INFO(size << " " << i << " " << b);
        checkArray(from({values, i, b})[0], sliced(size, i, None, b));
        int64_t j = std::max<int64_t>(std::min<int64_t>(i, 100), -100);
        checkArray(to({values, j, b})[0], sliced(size, None, j, b));
        checkArray(both({values, i, 3, b})[0], sliced(size, i, 3, b));
        checkArray(both({values, 3, j, b})[0], sliced(size, 3, j, b));
        checkArray(plain({values, i, 3})[0], sliced(size, i, 3, 1));
        checkArray(back({values, i, -4})[0], sliced(size, i, -4, -2));
      }
    }
  }
  CHECK_THAT(errorOf<ValueError>([&] { all({Array{1.0, 2.0}, 0}); }),
             Catch::Contains("getitem: the step of a slice is 0"));
}

TEST_CASE("slices beside other keys", "[size]") {
  Counted counted;
  const Tensor &n = counted.n;
  Tensor m = K::reshape(counted.x, {2, 3});
  checkArray(counted(m[{All, Slice(-n)}], 2), Array{{2, 3}, {5, 6}});
  checkArray(counted(m[{Slice(None, None, -1), Slice(None, None, n)}], 2), Array{{4, 6}, {1, 3}});
  checkArray(counted(m[{n - 1, Slice(n)}], 2), Array{6});
  checkArray(counted(m[{None, keratin::Ellipsis, Slice(n - 2, n - 1)}], 3), Array{{{2}, {5}}});
  checkArray(counted(m[{Slice(n - 1, None, -n), Slice(None, n)}], 2), Array{{4, 5}});
  CHECK(m[{Slice(n), All}].shape() == StaticShape{None, 3});
}

TEST_CASE("ranges whose bounds and steps are tensors", "[size]") {
  Counted counted;
  const Tensor &n = counted.n;
  checkArray(counted(K::arange(n), 3), Array{0, 1, 2});
  checkArray(counted(K::arange(n, 0, -1), 3), Array{3, 2, 1});
  checkArray(counted(K::arange(n, 10, 2, "float32"), 4), Array{4.0, 6.0, 8.0});
  Tensor step = K::placeholder(Shape{}, None, "int32"), m = K::placeholder(Shape{}, None, "int64");
  Function up = K::function({step}, {K::arange(-2, 9, step)});
  Function down = K::function({step}, {K::arange(9, -2, step, "int64")});
  for (int by : {1, 2, 3, 11, 100, -1, -2, -11, -100}) {
    std::vector<double> rising, falling;
    for (int i = -2; by > 0 && i < 9; i += by)
      rising.push_back(i);
    for (int i = 9; by < 0 && i > -2; i += by)
      falling.push_back(i);
    INFO(by);
    checkArray(up({by})[0], Array(rising, {int64_t(rising.size())}));
    checkArray(down({by})[0], Array(falling, {int64_t(falling.size())}));
  }
  CHECK_THAT(errorOf<ValueError>([&] { up({0}); }), Catch::Contains("arange: step is 0"));
  Tensor far = K::placeholder(Shape{}, None, "int64");
  Function leap = K::function({far}, {K::arange(-2, 9, far), K::arange(9, -2, far)});
  const int64_t least = std::numeric_limits<int64_t>::min(), most = -1 - least;
  for (int64_t by : {least, least + 1, most - 1, most}) {
    INFO(by);
    std::vector<Array> found = leap({Array(by)});
    checkArray(found[0], by > 0 ? Array{-2} : Array::zeros(DType::Int32, {0}));
    checkArray(found[1], by < 0 ? Array{9} : Array::zeros(DType::Int32, {0}));
  }
  checkArray(K::function({m}, {K::arange(m, -3, least)})({5})[0], Array{5});
  // A fed stop gives a size that is known before the call.
  Function to = K::function({m}, {K::arange(m, None, 2)});
  checkArray(to({5})[0], Array{0, 2, 4});
  CHECK(to({-5})[0].size() == 0);

  Tensor stop = K::placeholder(Shape{});
  Tensor limited = K::clip(stop, -4.0, 4.0);
  Function floats = K::function({stop}, {K::arange(0.5, limited, 0.25, "float32"),
                                         K::arange(limited, None, -0.5, "float64")});
  std::vector<Array> found = floats({1.3});
  checkArray(found[0], Array{0.5, 0.75, 1.0, 1.25});
  CHECK(found[1].size() == 0);
  checkArray(floats({-1.25})[1], Array{0.0, -0.5, -1.0});
  CHECK(floats({4.0})[0].size() == 14);
  CHECK_THAT(errorOf<ValueError>([&] { floats({std::nan("")}); }),
             Catch::Contains("arange: the range is too long or not finite; step must not be 0"));
}

// What Python's range holds.
static Array rangeOf(int64_t start, int64_t stop, int64_t step) {
  std::vector<double> elements;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
    elements.push_back(double(i));
  return Array(elements, {int64_t(elements.size())});
}

TEST_CASE("ranges of fed numbers of any sign", "[size]") {
  Tensor m = K::placeholder(Shape{}, None, "int32"), n = K::placeholder(Shape{}, None, "int64");
  Function f =
      K::function({m, n}, {K::arange(m), K::arange(m, None, 2), K::arange(2, m), K::arange(m, 5),
                           K::arange(m, -5, -2), K::arange(m, n), K::arange(n, m, -3),
                           K::arange(m * 2 - 3, K::maximum(n, -2) + 1, 4), K::arange(-m, n),
                           K::arange(K::minimum(m, 4)), K::arange(m - n * n, None, 1, "float32")});
  for (int64_t a = -7; a <= 7; ++a)
    for (int64_t b : {-6, -1, 1, 4, 7}) {
      INFO(a << " " << b);
      std::vector<Array> found = f({Array(a), Array(b)});
      const Array expected[] = {
          rangeOf(0, a, 1),        rangeOf(0, a, 2),
          rangeOf(2, a, 1),        rangeOf(a, 5, 1),
          rangeOf(a, -5, -2),      rangeOf(a, b, 1),
          rangeOf(b, a, -3),       rangeOf(a * 2 - 3, std::max<int64_t>(b, -2) + 1, 4),
          rangeOf(-a, b, 1),       rangeOf(0, std::min<int64_t>(a, 4), 1),
          rangeOf(0, a - b * b, 1)};
      for (size_t i = 0; i < found.size(); ++i) {
        INFO(i);
        checkArray(found[i], expected[i]);
      }
    }
  // The length of a range to a fed number is as good as any size: nothing is checked at the call.
  Tensor range = K::arange(m);
  checkArray(K::function({m}, {range * range + K::ones_like(range)})({4})[0], Array{1, 2, 5, 10});
  Tensor v = K::variable(-3, "int32");
  CHECK(K::eval(K::arange(v)).size() == 0);
  checkArray(K::eval(K::arange(v, 1)), Array{-3, -2, -1, 0});
  const Array least(std::numeric_limits<int64_t>::min());
  CHECK(K::function({n}, {K::arange(n)})({least})[0].size() == 0);
  CHECK_THAT(errorOf<ValueError>([&] { K::function({n}, {K::arange(n, 0)})({least}); }),
             Catch::Contains("whose value is -") && Catch::Contains("; needed more"));
}

TEST_CASE("ranges beside sizes of the same fed number", "[size]") {
  Tensor m = K::placeholder(Shape{}, None, "int32");
  Function f = K::function({m}, {K::arange(m, None, 1, "float32") + K::ones({m})});
  checkArray(f({3})[0], Array{1.0, 2.0, 3.0});
  CHECK_THAT(errorOf<ValueError>([&] { f({-3}); }),
             Catch::Contains("whose value is -3; needed 0 or more"));
}

TEST_CASE("a size computed from data may have a fed bound of any sign", "[size]") {
  Tensor m = K::placeholder(Shape{}, None, "int32"), x = K::placeholder({None}, None, "int32");
  Function f = K::function({x, m}, {K::arange(K::minimum(K::sum(x), m))});
  checkArray(f({Array{2, 3}, 3})[0], Array{0, 1, 2});
  checkArray(f({Array{2, -1}, 3})[0], Array{0});
  CHECK(f({Array{2, 3}, -3})[0].size() == 0);
}

TEST_CASE("a cast that changes no size that is one asks for nothing", "[size]") {
  // The cast is part of a number that data decides: there it wraps.
  Tensor x = K::placeholder({None}, None, "int32");
  Tensor wrapped = K::cast(K::cast(K::shape(x)[0], "int8"), "int32");
  Function f = K::function({x}, {K::zeros({K::minimum(wrapped + x[0] + 200, 100)})});
  CHECK(f({Array::zeros(DType::Int32, {130})})[0].size() == 74);
}

TEST_CASE("slice bounds computed from sizes are Python's", "[size]") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  Tensor n = K::shape(x)[0], m = K::shape(y)[0];
  const Tensor bounds[] = {n - 5, m - n, 3 - n * 2, -m - 1, n};
  const int64_t steps[] = {1, 2, -1, -3};
  std::vector<Tensor> slices;
  for (const Tensor &bound : bounds)
    for (int64_t step : steps) {
      slices.push_back(x[Slice(bound, None, step)]);
      slices.push_back(x[Slice(None, bound, step)]);
      slices.push_back(x[Slice(bound, m - 4, step)]);
    }
  Function f = K::function({x, y}, slices);
  for (int64_t size = 0; size <= 8; ++size)
    for (int64_t other : {0, 3, 6}) {
      INFO(size << " " << other);
      std::vector<Array> found =
          f({K::eval(K::arange(1, size + 1, 1, "float32")), Array::zeros(DType::Float32, {other})});
      const int64_t places[] = {size - 5, other - size, 3 - size * 2, -other - 1, size};
      size_t i = 0;
      for (int64_t place : places)
        for (int64_t step : steps) {
          INFO(place << " " << step);
          checkArray(found[i++], sliced(size, place, std::nullopt, step));
          checkArray(found[i++], sliced(size, std::nullopt, place, step));
          checkArray(found[i++], sliced(size, place, other - 4, step));
        }
    }
}

TEST_CASE("gradients of what has a computed size", "[size]") {
  auto count = [](const Tensor &x) { return K::sum(K::cast(x > 0.0, "int32")); }; // 4 of 6
  const GradientCase cases[] = {
      {"x[:n]", [&](const Tensor &x) { return K::exp(K::flatten(x)[Slice(None, count(x))]); }},
      {"x[-n:]", [&](const Tensor &x) { return K::square(K::flatten(x)[Slice(-count(x))]); }},
      {"x[::-n]",
       [&](const Tensor &x) { return K::sin(K::flatten(x)[Slice(None, None, 2 - count(x))]); }},
      {"slice",
       [&](const Tensor &x) { return K::exp(K::slice(x, {0, count(x) - 3}, {-1, count(x) - 3})); }},
      {"repeat", [&](const Tensor &x) { return K::exp(K::repeat(x, count(x))); }},
      {"tile", [&](const Tensor &x) { return K::exp(K::tile(x, {count(x) - 2, 2})); }},
      {"reshape", [&](const Tensor &x) { return K::exp(K::reshape(x, {count(x) - 1, -1})); }},
      {"ones",
       [&](const Tensor &x) { return K::exp(K::dot(K::ones({count(x), 2}, "float64"), x)); }},
      {"eye", [&](const Tensor &x) { return K::exp(K::dot(K::eye({count(x), 2}, "float64"), x)); }},
      {"arange",
       [&](const Tensor &x) {
         return K::exp(K::arange(count(x), None, 1, "float64") * K::sum(x));
       }},
      {"map_fn",
       [&](const Tensor &x) {
         Tensor n = count(x);
         return K::map_fn([&](const Tensor &e) { return K::exp(e) * K::ones({n}, "float64"); },
                          K::flatten(x)[Slice(None, n)]);
       }},
  };
  for (const GradientCase &test : cases)
    checkGradient(test);
}

TEST_CASE("computed sizes and callables", "[size]") {
  Counted counted;
  const Tensor &x = counted.x, &n = counted.n;
  checkArray(
      counted(K::map_fn([&](const Tensor &e) { return e * K::ones({n}); }, x[Slice(0, 2)]), 3),
      Array{{1, 1, 1}, {2, 2, 2}});
  checkArray(
      counted(K::foldl([](const Tensor &a, const Tensor &e) { return a + e; }, x[Slice(None, n)]),
              3),
      6.0);
  checkArray(counted(K::while_loop([](const Tensor &a) { return a < 100.0; },
                                   [](const Tensor &a) { return a * 2.0; }, {x[0]}, n)[0],
                     5),
             32.0);
  checkArray(counted(K::switch_(
                         n > 2, [&] { return K::zeros({n}); }, [&] { return K::ones({n}); }),
                     2),
             Array{1, 1});
  // Checks of what is the same in each step may be made before.
  checkArray(counted(K::map_fn([&](const Tensor &e) { return e * x[Slice(None, None, n)]; },
                               x[Slice(0, 2)]),
                     4),
             Array{{1, 5}, {2, 10}});
  // A size that a branch computes for itself, of what cannot fail.
  Tensor own = K::switch_(
      n > 2, [&] { return K::sum(K::ones({K::sum(K::cast(x > 3.5, "int32"))})); },
      [&] { return K::sum(x); });
  checkArray(counted(own, 3), 3.0);
  checkArray(counted(own, 2), 21.0);
  // Places of each step; sizes of each step are not done.
  Tensor at = K::map_fn([&](const Tensor &e) { return K::slice(x, {K::cast(e, "int32")}, {1}); },
                        x[Slice(0, 3)]);
  checkArray(counted(at, 1), Array{{2}, {3}, {4}});
  auto ownSize = [&](const Tensor &e) { return K::zeros({K::cast(e, "uint8")}); };
  CHECK_THAT(errorOf<NotImplementedError>([&] { K::map_fn(ownSize, x); }),
             Catch::Contains("zeros: not implemented: a size computed from data in the function of "
                             "map_fn; at "));
  auto drawn = [&] { return K::zeros({K::cast(K::random_uniform({}, 0, 5, "int32"), "uint8")}); };
  CHECK_THAT(errorOf<NotImplementedError>([&] { K::switch_(n > 2, drawn, x); }),
             Catch::Contains("a size computed from data in the then-branch of switch"));
  // An index that leaves x fails the call only where its branch is taken. A size is computed before
  // that is known, and whatever can fail would fail for both.
  auto atIndex = [&] { return K::cast(K::sum(K::gather(x, K::reshape(n * 2, {1}))), "uint8"); };
  auto looked = [&] { return K::sum(K::zeros({atIndex()})); };
  CHECK_THAT(errorOf<NotImplementedError>([&] { K::switch_(n < 3, looked, K::sum(x)); }),
             Catch::Contains("a size computed from data in the then-branch of switch"));
  Tensor index = atIndex(); // before the branches
  Tensor before =
      K::switch_(n < 3, [&] { return K::sum(K::ones({index})); }, [&] { return K::sum(x); });
  checkArray(counted(before, 2), 5.0);
}

TEST_CASE("what can be seen of a size from data", "[size]") {
  Tensor x = K::placeholder({2, None}), i = K::placeholder({2, None}, None, "int32");
  Tensor s = K::placeholder(Shape{}, None, "int64"), c = K::placeholder(Shape{}, None, "bool");
  Tensor v = K::variable(2, "int32");
  Tensor counts = K::sum(K::cast(x > 0.0, "int32"), 1), count = K::sum(counts);
  const Tensor sizes[] = {
      K::minimum(K::sum(i), 7),
      K::clip(K::sum(i), 0, 7),
      K::argmax(K::flatten(x)),
      K::max(counts),
      K::min(counts),
      counts[1],
      K::sum(i) % 5,
      K::cast(K::sum(i), "uint8"),
      K::cast(K::round(K::clip(K::sum(x), 0.0, 9.0)), "int32"),
      K::cast(K::sum(K::cast(x > 0.0, "float32")), "int32"),
      K::abs(K::clip(K::sum(i), -3, 3)),
      K::switch_(c, count, [&] { return count * 2; }),
      K::size(x) - count,
      K::prod({K::sum(counts), 2}),
      K::cumsum(K::cast(K::flatten(x) > 0.0, "int64"))[1],
      K::cast(K::any(x > 3.0), "int32"),
      K::cast(K::sum(K::one_hot(K::clip(K::flatten(i), 0, 3), 4)), "int32"),
      K::minimum(s, count),
      count * v,
      K::minimum(K::update_add(v, K::minimum(count, 3)), 20),
      K::maximum(K::minimum(K::sum(i), 4), -2) + 2,
      K::concatenate({K::shape(x), counts})[3],
      K::stack({count, 3})[0],
      K::gather(K::constant({4, 1, 9}, "int32"), K::clip(i[{0, 0}], 0, 2)),
  };
  std::vector<Array> inputs = {Array{{1.0, -1.0, 4.0}, {0.5, 2.0, -3.0}},
                               Array{{1, 2, 3}, {0, 1, -1}}, 3, true};
  for (const Tensor &size : sizes) {
    INFO(size.name());
    K::set_value(v, 2);
    Function f = K::function({x, i, s, c}, {size, K::zeros({size}), K::sum(K::ones({size, 2}))});
    std::vector<Array> found = f(inputs);
    CHECK(found[1].size() == found[0].item<int64_t>());
    CHECK(found[2].item() == 2.0 * found[0].item());
  }
}

TEST_CASE("computed sizes that are wrong fail the call and nothing else", "[size]") {
  Tensor i = K::placeholder({None}, None, "int64"), v = K::variable(0.0);
  Tensor n = K::minimum(K::sum(i), 5);
  Function f = K::function({i}, {K::ones({n})}, {K::update_add(v, 1.0)});
  checkArray(f({Array{1, 2}})[0], Array{1.0, 1.0, 1.0});
  for (const Array &bad : {Array{-1, 0}, Array{std::numeric_limits<int64_t>::min(), int64_t(0)}})
    CHECK_THAT(
        errorOf<ValueError>([&] { f({bad}); }),
        Catch::Contains("ones: entry 0 of shape is computed from data; needed 0 to 5; at ") &&
            Catch::Contains("ComputedSizeTest.cpp"));
  CHECK(K::get_value(v).item() == 1.0);
  CHECK(f({Array{9, 9}})[0].size() == 5);
  // NaN is 0 as an integer, infinity the largest.
  Tensor x = K::placeholder(Shape{});
  Function g = K::function({x}, {K::ones({K::minimum(K::cast(x, "int32"), 3)})});
  CHECK(g({std::nan("")})[0].size() == 0);
  CHECK(g({INFINITY})[0].size() == 3);
  CHECK_THROWS_AS(g({-INFINITY}), ValueError);
  // More than memory holds, at most.
  Function huge = K::function({i}, {K::ones({K::minimum(K::sum(i), int64_t(1) << 60)})});
  CHECK_THROWS(huge({Array{1, 2}}));
  CHECK_THROWS_AS(K::ones({K::minimum(K::sum(i), int64_t(1) << 62) * 4}), NotImplementedError);
}

TEST_CASE("a fed number that is a size is not negative", "[size]") {
  Tensor m = K::placeholder(Shape{}, None, "int32"), x = K::placeholder({5});
  Array values{1.0, 2.0, 3.0, 4.0, 5.0};
  // It would be memory outside of x.
  for (const Tensor &y : {K::slice(x, {m}, {2}), K::zeros({m}), K::zeros({K::maximum(m, 1)}),
                          K::repeat(K::expand_dims(x), m)}) {
    Function f = K::function({m, x}, {y});
    f({2, values});
    CHECK_THAT(errorOf<ValueError>([&] { f({-2, values}); }),
               Catch::Contains("whose value is -2; needed 0 or more"));
  }
  // As an index or a number it may be, and as the end of a range.
  Function f =
      K::function({m, x}, {x[m], x[Slice(m)], K::sum(x) * K::cast(m, "float32"), K::arange(m)});
  checkArray(f({-2, values})[0], 4.0);
  checkArray(f({-2, values})[1], Array{4.0, 5.0});
  checkArray(f({-2, values})[2], -30.0);
  CHECK(f({-2, values})[3].size() == 0);
  Tensor v = K::variable(-1, "int32");
  CHECK_THROWS_AS(K::eval(K::zeros({v})), ValueError);
  checkArray(K::eval(K::constant({1.0, 2.0, 3.0})[Slice(v)]), Array{3.0});
}

TEST_CASE("long expressions of sizes", "[size]") {
  Tensor x = K::placeholder({None});
  Tensor size = K::shape(x)[0], count = K::sum(K::cast(x > 0.0, "int32"));
  // Each value is looked at once, however many ways lead to it.
  for (int i = 0; i < 100; ++i) {
    size = K::maximum(size, K::minimum(size, size));
    count = K::minimum(count, K::maximum(count, count));
  }
  Function f = K::function({x}, {K::zeros({size}), K::zeros({count})});
  std::vector<Array> found = f({Array{1.0, -1.0, 2.0}});
  CHECK(found[0].size() == 3);
  CHECK(found[1].size() == 2);
}

TEST_CASE("functions with computed sizes are saved", "[size]") {
  Counted counted;
  const Tensor &x = counted.x, &n = counted.n;
  Tensor y = K::concatenate({x[Slice(None, n)], K::zeros({n + 1})}, 0);
  Tensor gradient = *K::gradients(K::sum(K::square(y)), {x})[0];
  keratin::tests::TemporaryFile file;
  Function f = K::function({x, counted.limit}, {y, gradient}, {}, "f");
  K::save_function(f, file.path);
  Function g = K::load_function(file.path, "f");
  for (double limit : {2.5, 6.0, 0.0})
    for (size_t i : {0, 1})
      checkArray(g({Array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, limit})[i],
                 f({Array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, limit})[i]);
}

// K::vectorized_map: what map_fn computes, by operations on all elements.
#include "tests/frontend/GradientCheck.h"
#include "tests/support/TemporaryFile.h"

#include <cmath>

using Tensors = std::vector<Tensor>;
using keratin::ValueError;

static Tensor numbers(std::vector<int64_t> dims, double step) {
  Array array = Array::zeros(DType::Float64, std::move(dims));
  for (int64_t i = 0; i < array.size(); ++i)
    array.data<double>()[i] = std::sin(0.2 + step * double(i));
  return K::constant(array, "float64");
}

TEST_CASE("vectorized_map gives a function of each element", "[loop]") {
  Tensor rows = K::constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}),
         weights = K::constant({1.0, 10.0, 100.0});
  checkValue(K::vectorized_map([](const Tensor &row) { return K::sum(row); }, rows),
             Array{3, 7, 11});
  checkValue(K::vectorized_map([](const Tensor &row, const Tensor &n) { return row[0] * n; },
                               {rows, weights}),
             Array{1, 30, 500});
  auto both = K::vectorized_map(
      [](const Tensors &all) { return std::pair(all[0] * all[1], K::max(all[0])); },
      {rows, weights});
  REQUIRE(both.size() == 2);
  checkValue(both[0], Array{{1, 2}, {30, 40}, {500, 600}});
  checkValue(both[1], Array{2, 4, 6});
  // What is the same for all elements, and maps in maps.
  checkValue(K::vectorized_map([&](const Tensor &) { return K::sum(weights); }, rows),
             Array{111, 111, 111});
  checkValue(K::vectorized_map(
                 [](const Tensor &row) {
                   return K::vectorized_map([&](const Tensor &e) { return e * K::sum(row); }, row);
                 },
                 rows),
             Array{{3, 6}, {21, 28}, {55, 66}});
}

TEST_CASE("vectorized_map takes any number of elements, none too", "[loop]") {
  Tensor x = K::placeholder({None, None});
  auto f = K::function(
      {x}, {K::vectorized_map([](const Tensor &row) { return K::cumsum(row * row); }, x)});
  checkArray(f({Array{{1, 2}, {3, 4}}})[0], Array{{1, 5}, {9, 25}});
  checkArray(f({Array::zeros(DType::Float32, {0, 3})})[0], Array::zeros(DType::Float32, {0, 3}));
  checkArray(f({Array::zeros(DType::Float32, {2, 0})})[0], Array::zeros(DType::Float32, {2, 0}));
}

TEST_CASE("vectorized_map draws what map_fn draws", "[loop]") {
  auto draw = [](const Tensor &e) { return K::random_uniform({4}, 0.0, 1.0, None, 7) + e; };
  Tensor x = K::constant({1.0, 2.0, 3.0});
  Array mapped = K::map_fn(draw, x).eval(), vectors = K::vectorized_map(draw, x).eval();
  checkArray(vectors, mapped);
  CHECK(mapped.item(0) - 1 != mapped.item(4) - 2);
}

// A net of two layers on one example.
static Tensor lossOf(const Tensors &weights, const Tensor &x, const Tensor &y) {
  Tensor hidden = K::tanh(K::dot(K::expand_dims(x, 0), weights[0]) + weights[1]);
  return K::sum(K::square(K::dot(hidden, weights[2]) - y));
}

TEST_CASE("gradients of each example are those of a loop over examples", "[loop]") {
  Tensor xs = numbers({5, 3}, 0.37), ys = numbers({5, 2}, 0.9);
  Tensors weights = {numbers({3, 4}, 0.21), numbers({4}, 0.5), numbers({4, 2}, 0.77)};
  for (Tensor &weight : weights)
    weight = K::variable(weight.eval());
  auto gradientOf = [&](const Tensor &x, const Tensor &y) {
    Tensors gradients;
    for (const auto &gradient : K::gradients(lossOf(weights, x, y), weights))
      gradients.push_back(*gradient);
    return gradients;
  };
  Tensors each = K::vectorized_map(gradientOf, {xs, ys});
  keratin::Function all = K::function({}, each);
  CHECK(!has(all.memoryPlan(), "loop of"));
  std::vector<Array> found = all({});
  for (int64_t i = 0; i < 5; ++i) {
    Tensors one = gradientOf(xs[i], ys[i]);
    for (size_t k = 0; k < one.size(); ++k)
      checkArray(K::gather(K::constant(found[k]), int(i)).eval(), one[k].eval(), 16 * float64Ulp);
  }
}

TEST_CASE("columns of Hessians are a map of gradients", "[loop]") {
  Tensor x = K::placeholder({3}, None, "float64");
  Tensor y = K::sum(x * x * x) + x[0] * x[1];
  Tensor first = *K::gradients(y, {x})[0];
  Tensor hessian = K::vectorized_map(
      [&](const Tensor &direction) { return *K::gradients(K::sum(first * direction), {x})[0]; },
      K::eye(3, "float64"));
  checkArray(K::function({x}, {hessian})({Array{1.0, 2.0, 3.0}})[0],
             Array{{6, 1, 0}, {1, 12, 0}, {0, 0, 18}}, 8 * float64Ulp);
}

TEST_CASE("maps have gradients", "[gradient][loop]") {
  for (const GradientCase &test : std::vector<GradientCase>{
           {"vectorized_map",
            [](const Tensor &x) {
              return K::vectorized_map([&](const Tensor &row) { return row * K::sum(row) * x; }, x);
            }},
           {"vectorized_map of own rows",
            [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    return K::gather(row, K::argmax(row, 0)) * K::gather(row, 1);
                  },
                  x);
            }},
           {"vectorized_map of boxes",
            [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    Tensor at = K::cast(K::argmin(row, 0), "int32");
                    return K::slice(K::concatenate({row, row * row}, 0), {at}, {3});
                  },
                  x);
            }},
           {"vectorized_map of gradients",
            [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    return *K::gradients(K::sum(K::tanh(row * row)), {row})[0];
                  },
                  x);
            }},
           {"vectorized_map of loops",
            [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    return K::foldl(
                        [](const Tensor &a, const Tensor &e) { return K::tanh(a * e + e); }, row);
                  },
                  x);
            }},
           {"vectorized_map of while_loop",
            [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    return K::while_loop([](const Tensor &v) { return K::sum(v * v) < 40.0; },
                                         [](const Tensor &v) { return v * 1.5; }, {row}, 20)[0];
                  },
                  x);
            }},
           {"vectorized_map of switch", [](const Tensor &x) {
              return K::vectorized_map(
                  [&](const Tensor &row) {
                    return K::switch_(
                        K::sum(row) > 1.3, [&] { return row * row; }, [&] { return row * 3.0; });
                  },
                  x);
            }}})
    checkGradient(test);
}

TEST_CASE("vectorized_map says what stays a loop", "[loop]") {
  Tensor x = K::placeholder({8, 4});
  Tensor y = K::vectorized_map(
      [](const Tensor &row) { return K::random_uniform({4}, 0.0, 1.0, None, 7) * row; }, x);
  if (std::string plan = K::function({x}, {y}).memoryPlan(); plan != "interpreted")
    CHECK(has(plan, "not vectorised: each element draws numbers of its own"));
}

TEST_CASE("saved maps are ops on all elements", "[saving][loop]") {
  keratin::tests::TemporaryFile file;
  Tensor x = K::placeholder({None, 3}, None, None, false, "x");
  Tensor y = K::vectorized_map([](const Tensor &row) { return K::softmax(row) * K::sum(row); }, x);
  keratin::Function f = K::function({x}, {y}, {}, {.name = "f"});
  Array fed{{1, 2, 3}, {0, 1, 0}};
  Array expected = f({fed})[0];
  K::save_function(f, file.path);
  keratin::Function loaded = K::load_function(file.path);
  checkArray(loaded({fed})[0], expected);
  CHECK(!has(loaded.memoryPlan(), "loop of"));
}

TEST_CASE("vmap makes a function of each element", "[loop]") {
  Tensor rows = K::constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}), w = K::constant({10.0, 1.0});
  auto product = [](const Tensor &a, const Tensor &b) { return K::sum(a * b); };
  checkValue(K::vmap(product, {0, None})(rows, w), Array{12, 34, 56});
  checkValue(K::vmap(product)(rows, rows), Array{5, 25, 61});
  // Along other axes, and a function that is a map itself.
  checkValue(K::vmap([](const Tensor &column) { return column * 2.0; }, {-1}, 1)(rows),
             Array{{2, 4}, {6, 8}, {10, 12}});
  auto scaled = [](const Tensor &a, const Tensor &b) { return a * b; };
  checkValue(
      K::vmap([&](const Tensor &a, const Tensor &b) { return K::vmap(scaled, {0, None})(a, b); },
              {None, 0})(w, w),
      Array{{100, 10}, {10, 1}});
  auto both = K::vmap([](const Tensor &a) { return std::pair(K::sum(a), a); }, {1})(rows);
  checkValue(both[0], Array{9, 12});
  checkValue(both[1], Array{{1, 3, 5}, {2, 4, 6}});
}

TEST_CASE("wrong maps are refused", "[loop]") {
  auto refuses = [](const char *text, auto &&call) {
    CHECK_THAT(errorOf<ValueError>(call), Catch::Contains(text));
  };
  auto same = [](const Tensor &e) { return e; };
  Tensor x = K::placeholder({3, 1});
  refuses("vectorized_map: elems is a scalar; needed at least one axis",
          [&] { K::vectorized_map(same, K::constant(1.0)); });
  refuses("vectorized_map: elems is an empty list; needed one tensor or more",
          [&] { K::vectorized_map(same, Tensors()); });
  refuses("vectorized_map: fn has 1 parameters; needed 2, one for each tensor of elems",
          [&] { K::vectorized_map(same, {x, x}); });
  refuses("vectorized_map: the numbers of elements", [&] {
    K::vectorized_map([](const Tensor &a, const Tensor &b) { return a + b; },
                      {x, K::placeholder({4})});
  });
  refuses("vectorized_map: fn returns an empty list; needed one tensor or more",
          [&] { K::vectorized_map([](const Tensor &) { return Tensors(); }, x); });
  Tensor (*none)(const Tensor &) = nullptr;
  refuses("vectorized_map: a function of elements is empty", [&] { K::vectorized_map(none, x); });
  refuses("vmap: in_axes has 2 entries; needed 1, one for each argument",
          [&] { K::vmap(same, {0, 1})(x); });
  refuses("vmap: the list of fn's parameters has 1 entries; needed 2, one for each argument",
          [&] { K::vmap(same)(x, x); });
  refuses("vmap: in_axes has None for each argument; needed an axis of one",
          [&] { K::vmap(same, {None})(x); });
  refuses("vmap: in_axes has 2 for shape (3, 1); needed one of its axes",
          [&] { K::vmap(same, {2})(x); });
  refuses("vmap: out_axes has -3 for shape (3, 1); needed one of its axes",
          [&] { K::vmap(same, {}, -3)(x); });
}

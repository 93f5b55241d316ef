// K::where, K::top_k and K::scatter.
#include "tests/frontend/GradientCheck.h"

#include <limits>

TEST_CASE("where chooses and broadcasts") {
  Tensor column = K::constant(Array{{true}, {false}}, "bool"), row = K::constant(Array{1.0, 2.0});
  checkValue(K::where(column, row, -1), Array{{1.0, 2.0}, {-1.0, -1.0}});
  checkValue(K::where(row > 1.0, 1, 0), Array{0, 1});
  // Nonzero is true.
  checkValue(K::where(K::constant(Array{0.0, 0.5, -2.0}), 1.0, 0.0), Array{0.0, 1.0, 1.0});
  Tensor c = K::placeholder({None, 1}, None, "bool"), x = K::placeholder({None});
  K::Function f = K::function({c, x}, K::where(c, x, K::square(x)));
  checkArray(f({Array{{true}, {false}}, Array{2.0, 3.0}})[0], Array{{2.0, 3.0}, {4.0, 9.0}});
  CHECK(has(errorOf<keratin::ValueError>([&] { K::where(row > 1.0, K::placeholder({3}), 0.0); }),
            "where: shapes cannot be broadcast"));
}

TEST_CASE("where keeps an infinite derivative of the other from the gradient") {
  Tensor x = K::variable({0.0, 4.0});
  checkValue(*K::gradients(K::where(x > 0.0, K::log(x), 0.0), {x})[0], Array{0.0, 0.25});
}

TEST_CASE("top_k: largest first, ties in order, NaN before numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array lines{{1.0, 3.0, 3.0, 2.0}, {nan, -1.0, INFINITY, nan}};
  for (const StaticShape &shape : {StaticShape{2, 4}, StaticShape{None, None}}) {
    Tensor x = K::placeholder(shape);
    auto [values, indices] = K::top_k(x, 3);
    CHECK(indices.dtype() == DType::Int64);
    K::Results results = K::function(
        x, {values, indices, K::top_k(x, 1, 0).indices, K::top_k(x, 0).values})({lines});
    checkArray(results[0], Array{{3.0, 3.0, 2.0}, {nan, nan, INFINITY}});
    checkArray(results[1], Array{{1, 2, 3}, {0, 3, 2}});
    checkArray(results[2], Array{{1, 0, 1, 1}});
    CHECK(results[3].shape() == std::vector<int64_t>{2, 0});
  }
  // All of them: in order.
  checkValue(K::top_k(K::constant(Array{5, 1, 4, 2, 3}, "uint8"), 5).values, Array{5, 4, 3, 2, 1});
  checkValue(K::top_k(K::constant(Array{false, true}, "bool"), 1).indices, Array{1});
}

TEST_CASE("top_k of as many as the call says") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  K::Function f = K::function({x, y}, K::top_k(x, K::shape(y)[0]).values);
  Array numbers{1.0, 5.0, 3.0};
  checkArray(f({numbers, Array{0.0, 0.0}})[0], Array{5.0, 3.0});
  CHECK(has(errorOf<keratin::ValueError>([&] { f({numbers, Array{0.0, 0.0, 0.0, 0.0}}); }),
            "top_k: k is more than the axis has elements"));
}

TEST_CASE("scatter writes the last and adds all") {
  Array matrix{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, rows{{10.0, 20.0}, {30.0, 40.0}, {50.0, 60.0}};
  for (bool known : {true, false}) {
    StaticShape shape = known ? StaticShape{3, 2} : StaticShape{None, None};
    Tensor x = K::placeholder(shape), updates = K::placeholder(shape),
           places = K::placeholder({known ? std::optional<int64_t>(3) : None}, None, "int32");
    K::Function f = K::function({x, places, updates},
                                {K::scatter(x, places, updates),
                                 K::scatter(x, places, updates, "add"), K::scatter(x, places, -1)});
    K::Results results = f({matrix, Array{2, 0, 2}, rows});
    checkArray(results[0], Array{{30.0, 40.0}, {3.0, 4.0}, {50.0, 60.0}});
    checkArray(results[1], Array{{31.0, 42.0}, {3.0, 4.0}, {65.0, 86.0}});
    checkArray(results[2], Array{{-1.0, -1.0}, {3.0, 4.0}, {-1.0, -1.0}});
    CHECK(has(errorOf<keratin::Error>([&] { f({matrix, Array{2, 0, 3}, rows}); }),
              "scatter: an index is outside the first axis of x"));
    if (!known) {
      Array none = Array::zeros(DType::Float32, {0, 2});
      checkArray(f({matrix, Array::zeros(DType::Int32, {0}), none})[0], matrix);
    }
  }
  // A row of one element for each index; one index; bools.
  checkValue(K::scatter(K::constant(Array{1, 2, 3}, "int32"), {{0}, {2}}, {{7}, {8}}),
             Array{7, 2, 8});
  checkValue(K::scatter(K::constant(Array{1.0, 2.0, 3.0}), 1, 9.0), Array{1.0, 9.0, 3.0});
  checkValue(K::scatter(K::constant(Array{true, true}, "bool"), {0}, false), Array{false, true});
}

TEST_CASE("gradients of where, top_k and scatter") {
  Tensor places = K::constant({1, 0, 1}, "int32");
  auto rows = [](const Tensor &x) {
    return K::gather(K::square(x), K::constant({0, 1, 0}, "int32"));
  };
  for (const GradientCase &test : std::vector<GradientCase>{
           {"where", [](auto &x) { return K::where(x > 0.35, K::exp(x), x * x); }},
           {"top_k", [](auto &x) { return K::square(K::top_k(x, 2).values); }},
           {"top_k of columns", [](auto &x) { return K::square(K::top_k(x, 1, 0).values); }},
           {"written", [&](auto &x) { return K::scatter(K::exp(x), places, rows(x)); }},
           {"written to one",
            [&](auto &x) { return K::square(K::scatter(x, {0}, K::sum(K::sin(x), 0))); }},
           {"added", [&](auto &x) { return K::square(K::scatter(x, places, rows(x), "add")); }},
       })
    checkGradient(test);
}

TEST_CASE("what is wrong with a top_k and a scatter", "[messages]") {
  Tensor x = K::placeholder({3, 2}), places = K::placeholder({4}, None, "int32");
  auto message = [](auto &&build) { return errorOf<keratin::ValueError>(build); };
  CHECK(has(message([&] { K::top_k(x, 3); }), "top_k: k is 3; axis 1 has 2 elements"));
  CHECK(has(message([&] { K::top_k(x, -1); }), "top_k: k must not be negative; found -1"));
  CHECK(has(message([&] { K::top_k(x, None); }), "top_k: k is None"));
  CHECK(has(message([&] { K::top_k(x, 1, 2); }), "top_k: axis 2 is outside the rank"));
  CHECK(has(message([&] { K::top_k(1.0, 1); }), "top_k: axis -1 is outside the rank"));
  CHECK(has(message([&] { K::scatter(1.0, places, 1.0); }),
            "scatter: x is a scalar; needed at least one axis"));
  CHECK(has(message([&] { K::scatter(x, places, 1.0, "max"); }),
            "scatter: unknown mode 'max'; needed write or add"));
  CHECK(has(message([&] { K::scatter(x, places, K::placeholder({3, 2})); }),
            "scatter: updates have shape (3, 2); needed (4, 2), the indices' shape and that of a "
            "row, or what broadcasts to it"));
  auto wrongType = [](auto &&build) { return errorOf<keratin::TypeError>(build); };
  CHECK(has(wrongType([&] { K::scatter(x, x, 1.0); }),
            "scatter: indices have dtype float32; needed integers"));
  CHECK(has(wrongType([&] { K::scatter(places, places, x); }),
            "scatter: updates have dtype float32; needed one that x's, int32, holds"));
  CHECK(has(wrongType([&] { K::scatter(x > 0.0, places, true, "add"); }),
            "scatter: bools cannot be added; needed numbers, or mode 'write'"));
}

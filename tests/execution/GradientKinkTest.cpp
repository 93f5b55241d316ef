// What a gradient is where there is none, or where a careless one would be NaN.
#include "tests/execution/GradientHarness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

namespace {

struct Fixture {
  MLIRContext context;
  Fixture() { context.loadDialect<KeratinDialect, func::FuncDialect>(); }

  std::vector<Numbers> gradients(const std::vector<Numbers> &inputs, Formula formula,
                                 const Numbers &weights = {}) {
    std::vector<Numbers> result;
    for (const HostTensor &g :
         differentiate(context, vectorCase(inputs, formula), weights).gradients)
      result.push_back(g.floats);
    return result;
  }
  Numbers gradient(const Numbers &x, Formula formula, const Numbers &weights = {}) {
    return gradients({x}, formula, weights).front();
  }
  Numbers tangent(const std::vector<Numbers> &inputs, Formula formula,
                  const Numbers &direction = {}) {
    return differentiateForwards(context, vectorCase(inputs, formula), direction)
        .gradients.front()
        .floats;
  }
  Numbers second(const Numbers &x, Formula formula) {
    return differentiateTwice(context, vectorCase({x}, formula)).gradients.front().floats;
  }
};

constexpr double inf = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE_METHOD(Fixture, "abs and sign have gradient 0 at 0", "[gradient]") {
  CHECK(gradient({-2, 0, 3}, [](GraphMath &g, ValueRange x) { return g.abs(x[0]); }) ==
        Numbers{-1, 0, 1});
  CHECK(gradient({-2, 0, 3}, [](GraphMath &g, ValueRange x) { return g.sign(x[0]); }) ==
        Numbers{0, 0, 0});
}

TEST_CASE_METHOD(Fixture, "a tie of maximum and minimum goes to the first", "[gradient]") {
  CHECK(gradients({{1, 2, 3}, {2, 2, 2}}, [](GraphMath &g, ValueRange x) {
          return g.maximum(x[0], x[1]);
        }) == std::vector<Numbers>{{0, 1, 1}, {1, 0, 0}});
  CHECK(gradients({{1, 2, 3}, {2, 2, 2}}, [](GraphMath &g, ValueRange x) {
          return g.minimum(x[0], x[1]);
        }) == std::vector<Numbers>{{1, 1, 0}, {0, 0, 1}});
}

TEST_CASE_METHOD(Fixture, "reductions share among ties", "[gradient]") {
  CHECK(gradient({1, 3, 3, 2, 3}, [](GraphMath &g, ValueRange x) {
          return g.reduceMax(x[0], {0});
        }) == Numbers{0, 1.0 / 3, 1.0 / 3, 0, 1.0 / 3});
  CHECK(gradient({1, 3, 1, 2}, [](GraphMath &g, ValueRange x) { return g.reduceMin(x[0], {0}); }) ==
        Numbers{0.5, 0, 0.5, 0});
}

TEST_CASE_METHOD(Fixture, "sqrt: infinite at 0, 0 below a clamp", "[gradient]") {
  CHECK(gradient({0, 4}, [](GraphMath &g, ValueRange x) { return g.sqrt(x[0]); }) ==
        Numbers{inf, 0.25});
  CHECK(gradient({-1, 0, 4}, [](GraphMath &g, ValueRange x) {
          return g.sqrt(g.maximum(x[0], g.zeroLike(x[0])));
        }) == Numbers{0, inf, 0.25});
}

TEST_CASE_METHOD(Fixture, "the branch not taken adds exactly 0", "[gradient]") {
  auto where = [](auto singular) {
    return [singular](GraphMath &g, ValueRange x) {
      Value condition = g.greater(x[0], g.zeroLike(x[0]));
      return g.select(condition, singular(g, x[0]), g.scale(x[0], 3));
    };
  };
  Numbers x = {-1, 0, 2};
  CHECK(gradient(x, where([](GraphMath &g, Value v) { return g.log(v); })) == Numbers{3, 3, 0.5});
  CHECK(gradient(x, where([](GraphMath &g, Value v) { return g.sqrt(v); })) ==
        Numbers{3, 3, 0.5 / std::sqrt(2.0)});
  CHECK(gradient(x, where([](GraphMath &g, Value v) { return g.div(g.oneLike(v), v); })) ==
        Numbers{3, 3, -0.25});
  CHECK(gradient(x, where([](GraphMath &g, Value v) {
                   return g.mul(v, g.div(g.oneLike(v), g.mul(v, v)));
                 })) == Numbers{3, 3, -0.25});
  // exp overflows in the branch not taken
  CHECK(gradient({-1, 1000}, [](GraphMath &g, ValueRange v) {
          Value big = g.greater(v[0], g.constantLike(100, v[0]));
          return g.select(big, v[0], g.mul(v[0], g.exp(v[0])));
        })[1] == 1);
}

TEST_CASE_METHOD(Fixture, "what a slice leaves out does not matter", "[gradient]") {
  CHECK(gradient({0, 2}, [](GraphMath &g, ValueRange x) {
          return g.slice(g.log(x[0]), {1}, {1}, {1});
        }) == Numbers{0, 0.5});
  CHECK(gradient({0, 4}, [](GraphMath &g, ValueRange x) {
          return g.reduceMax(g.sqrt(x[0]), {0});
        }) == Numbers{0, 0.25});
}

TEST_CASE_METHOD(Fixture, "pow at its edges", "[gradient]") {
  auto pow = [](GraphMath &g, ValueRange x) { return g.pow(x[0], x[1]); };
  // To the base: 0 incoming gives 0, even where the derivative is infinite.
  std::vector<Numbers> found = gradients({{0, 0, 0}, {0.5, 0.5, 2}}, pow, {0, 1, 1});
  CHECK(found[0] == Numbers{0, inf, 0});
  // To the exponent: 0 unless the base is positive.
  found = gradients({{-2, 0, 2}, {2, 2, 2}}, pow);
  CHECK(found[1][0] == 0);
  CHECK(found[1][1] == 0);
  CHECK(found[1][2] == Approx(4 * std::log(2.0)));
}

TEST_CASE_METHOD(Fixture, "a cotangent that happens to be 0 keeps its own gradient", "[gradient]") {
  // f = (x^2 - 1)^2 has second derivative 12 x^2 - 4.
  auto square = [](GraphMath &g, ValueRange x) {
    Value two = g.constantLike(2, x[0]);
    return g.pow(g.sub(g.pow(x[0], two), g.oneLike(x[0])), two);
  };
  Numbers found = second({1, 2}, square);
  CHECK(found[0] == Approx(8));
  CHECK(found[1] == Approx(44));
  // The same through a selection, where products are guarded.
  auto selected = [&](GraphMath &g, ValueRange x) {
    Value y = g.mul(x[0], x[0]);
    Value z = g.sub(g.maximum(y, g.zeroLike(y)), g.oneLike(y));
    return g.maximum(g.mul(z, z), g.constantLike(-1, z));
  };
  found = second({1, 2}, selected);
  CHECK(found[0] == Approx(8));
  CHECK(found[1] == Approx(44));
}

TEST_CASE_METHOD(Fixture, "stop_gradient lets nothing through", "[gradient]") {
  CHECK(gradient({2, 3}, [](GraphMath &g, ValueRange x) {
          Value stopped = g.builder().create<StopGradientOp>(g.location(), x[0]);
          return g.mul(x[0], stopped);
        }) == Numbers{2, 3});
}

TEST_CASE_METHOD(Fixture, "a value without a path to the loss has gradient 0", "[gradient]") {
  CHECK(gradients({{2, 3}, {inf, 0}}, [](GraphMath &g, ValueRange x) {
          return g.add(x[0], g.floor(x[0]));
        }) == std::vector<Numbers>{{1, 1}, {0, 0}});
}

TEST_CASE_METHOD(Fixture, "a tangent of what is not chosen is exactly 0", "[gradient]") {
  auto isPositive = [](GraphMath &g, Value x) { return g.greater(x, g.zeroLike(x)); };
  Numbers x = {-1, 0, 2};
  CHECK(tangent({x}, [&](GraphMath &g, ValueRange x) {
          return g.select(isPositive(g, x[0]), g.log(x[0]), g.zeroLike(x[0]));
        }) == Numbers{0, 0, 0.5});
  // The choice comes first.
  CHECK(tangent({x}, [&](GraphMath &g, ValueRange x) {
          return g.log(g.select(isPositive(g, x[0]), x[0], g.zeroLike(x[0])));
        }) == Numbers{0, 0, 0.5});
  CHECK(tangent({x}, [](GraphMath &g, ValueRange x) {
          return g.sqrt(g.maximum(x[0], g.zeroLike(x[0])));
        }) == Numbers{0, inf, 0.5 / std::sqrt(2.0)});
  // Zeros of a pad, of a concatenation, and of a scatter.
  CHECK(tangent({{4}}, [](GraphMath &g, ValueRange x) {
          return g.sqrt(g.pad(x[0], {DimExpr(1)}, {0}, {DimExpr(3)}));
        }) == Numbers{0, 0.25, 0});
  CHECK(tangent({{4}}, [](GraphMath &g, ValueRange x) {
          return g.sqrt(g.concatenate({g.zeroLike(x[0]), x[0]}, 0));
        }) == Numbers{0, 0.25});
  CHECK(tangent({{4}}, [](GraphMath &g, ValueRange x) {
          Value one = g.splat(1, getTensorType({DimExpr(1)}, g.builder().getI64Type()));
          return g.sqrt(g.scatterAdd(one, x[0], {DimExpr(2)}));
        }) == Numbers{0, 0.25});
}

TEST_CASE_METHOD(Fixture, "a tangent that is absent adds nothing", "[gradient]") {
  // No 0 * inf.
  CHECK(tangent({{0, 1}}, [](GraphMath &g, ValueRange x) {
          return g.mul(x[0], g.div(g.oneLike(x[0]), g.constantLike(0, x[0])));
        }) == Numbers{inf, inf});
  // Zeros that the user gives are numbers.
  CHECK(std::isnan(
      tangent({{0, 4}}, [](GraphMath &g, ValueRange x) { return g.sqrt(x[0]); }, {0, 1})[0]));
}

TEST_CASE_METHOD(Fixture, "tangents share among ties", "[gradient]") {
  CHECK(tangent({{1, 3, 3, 2, 3}},
                [](GraphMath &g, ValueRange x) { return g.reduceMax(x[0], {0}); },
                {7, 1, 2, 9, 6}) == Numbers{3});
  CHECK(tangent({{2, 0, 3, 0}}, [](GraphMath &g, ValueRange x) { return g.cumprod(x[0], 0); },
                {1, 1, 1, 1}) == Numbers{1, 2, 6, 0});
}

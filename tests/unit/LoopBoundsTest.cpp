// How error bounds go through loops and branches.
#include "ir/reference/ErrorBounds.h"
#include "tests/unit/InterpreterHarness.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;
using namespace keratin::tests;

// The bounds of the first result of @main.
static BoundedTensor boundsOf(const std::string &module, const std::vector<HostTensor> &arguments) {
  mlir::MLIRContext mlir;
  mlir.loadDialect<KeratinDialect>();
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(module, &mlir);
  REQUIRE(parsed);
  EvaluationContext context;
  auto bounds = interpretWithBounds(*parsed->getOps<mlir::func::FuncOp>().begin(), arguments,
                                    context, {/*rewritten=*/true});
  INFO(context.error);
  REQUIRE(succeeded(bounds));
  return bounds->front();
}

TEST_CASE("each step of a loop adds its error") {
  const std::string module = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %zero = keratin.constant dense<0.0> : tensor<f32>
      %y:2 = keratin.scan length = <4> reverse init(%zero) over(%x) with()
          : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
      ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
        %n = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
        keratin.yield %n, %n : tensor<f32>, tensor<f32>
      }
      return %y#1 : tensor<4xf32>
    })";
  BoundedTensor y = boundsOf(module, {floats({1, 1, 1, 1})});
  CHECK(y.value.floats == std::vector<double>{4, 3, 2, 1});
  double before = 0;
  for (int i = 3; i >= 0; --i) {
    double width = y.upper.floats[i] - y.lower.floats[i];
    CHECK(width > before);
    CHECK(width < 1e-5);
    before = width;
  }
}

// sin(x) > 0 is not certain near pi.
static const std::string branches = R"(
  func.func @main(%x: tensor<f32>, %i: tensor<i64>) -> tensor<3xf32> {
    %zero = keratin.constant dense<0.0> : tensor<f32>
    %s = keratin.sin %x : (tensor<f32>) -> tensor<f32>
    %p = keratin.compare gt %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %y = keratin.if %p with(%i) : (tensor<i1>, tensor<i64>) -> tensor<3xf32> {
    ^bb0(%a: tensor<i64>):
      %0 = keratin.constant dense<[1.0, 2.0, 6.0]> : tensor<3xf32>
      keratin.yield %0 : tensor<3xf32>
    } else {
    ^bb0(%a: tensor<i64>):
      %0 = keratin.constant dense<[1.0, 3.0, 5.0]> : tensor<3xf32>
      %1 = keratin.gather %0, %a : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
      %2 = keratin.broadcast %1 dims = [] : (tensor<f32>) -> tensor<3xf32>
      keratin.yield %0 : tensor<3xf32>
    }
    return %y : tensor<3xf32>
  })";

TEST_CASE("a branch that is certain has the bounds of its results") {
  BoundedTensor y = boundsOf(branches, {floats({1}, {}), ints(KERATIN_DTYPE_INT64, {9}, {})});
  CHECK(y.lower.floats == std::vector<double>{1, 2, 6});
  CHECK(y.upper.floats == std::vector<double>{1, 2, 6});
}

TEST_CASE("a branch that is not certain may give what either gives") {
  const double pi = 3.14159265358979;
  BoundedTensor y = boundsOf(branches, {floats({pi}, {}), ints(KERATIN_DTYPE_INT64, {0}, {})});
  CHECK(y.value.floats[1] == 2);
  CHECK(y.lower.floats == std::vector<double>{1, 2, 5});
  CHECK(y.upper.floats == std::vector<double>{1, 3, 6});
  // The other branch fails for this index; it is not known that the call does.
  y = boundsOf(branches, {floats({pi}, {}), ints(KERATIN_DTYPE_INT64, {9}, {})});
  CHECK(!isBounded(y, 0));
  CHECK(!isBounded(y, 1));
}

// Steps of 0.1 until the sum is 0.3, which the third step may reach or not; or 0.25, which it
// passes. Then as many halves.
static std::string stepsUntil(const std::string &limit) {
  return R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %zero = keratin.constant dense<0.0> : tensor<f32>
    %one = keratin.constant dense<1.0> : tensor<f32>
    %true = keratin.constant dense<true> : tensor<i1>
    %s:3 = keratin.while length = <d0> init(%true, %zero) with(%x) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
    ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %sum: tensor<f32>, %e: tensor<f32>):
      %limit = keratin.constant dense<)" +
         limit + R"(> : tensor<f32>
      %n = keratin.add %sum, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %again = keratin.compare lt %n, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      keratin.yield %again, %n : tensor<i1>, tensor<f32>
    }
    %y = keratin.scan length = <d0> init(%one) over() with() : (tensor<f32>) -> tensor<f32> {
    ^bb0(%t: tensor<i64>, %h: tensor<f32>):
      %half = keratin.constant dense<0.5> : tensor<f32>
      %n = keratin.mul %h, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %n : tensor<f32>
    }
    return %y : tensor<f32>
  })";
}

TEST_CASE("nothing is known behind a loop whose number of steps errors may change") {
  BoundedTensor known = boundsOf(stepsUntil("0.25"), {floats({0.1f}, {})});
  CHECK(known.value.floats == std::vector<double>{0.125});
  CHECK(isBounded(known, 0));
  CHECK(!isBounded(boundsOf(stepsUntil("0.3"), {floats({0.1f}, {})}), 0));
}

// Which values a gradient can reach: the None entries of K::gradients.
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;

// The loss is the function's result; the answer has one letter an argument, '+' if it is reached.
using Bodies = DifferentiablePaths::Bodies;
static std::string reached(const char *text, Bodies bodies = Bodies::Closed) {
  mlir::MLIRContext context;
  context.loadDialect<KeratinDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  DifferentiablePaths paths(function.front().getTerminator()->getOperand(0), bodies);
  std::string answer;
  for (mlir::Value argument : function.getArguments())
    answer += paths.reaches(argument) ? '+' : '-';
  return answer;
}

TEST_CASE("gradients flow along differentiable operands only", "[gradient]") {
  CHECK(reached(R"(
    func.func @f(%used: tensor<f32>, %unused: tensor<f32>, %stopped: tensor<f32>,
                 %rounded: tensor<f32>, %both: tensor<f32>) -> tensor<f32> {
      %0 = keratin.stop_gradient %stopped : (tensor<f32>) -> tensor<f32>
      %1 = keratin.floor %rounded : (tensor<f32>) -> tensor<f32>
      %2 = keratin.floor %both : (tensor<f32>) -> tensor<f32>
      %3 = keratin.mul %used, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %4 = keratin.mul %3, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %5 = keratin.mul %4, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %6 = keratin.mul %5, %both : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %6 : tensor<f32>
    })") == "+---+");
}

TEST_CASE("integers, conditions, casts and control dependencies end a path", "[gradient]") {
  CHECK(reached(R"(
    func.func @f(%i: tensor<i32>, %c: tensor<i1>, %cast: tensor<f32>, %after: tensor<f32>,
                 %a: tensor<f32>) -> tensor<f32> {
      %0 = keratin.cast %i : (tensor<i32>) -> tensor<f32>
      %1 = keratin.select %c, %0, %a : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = keratin.cast %cast : (tensor<f32>) -> tensor<i32>
      %3 = keratin.cast %2 : (tensor<i32>) -> tensor<f32>
      %4 = keratin.add %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %5 = keratin.depend %4, %after : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %5 : tensor<f32>
    })") == "----+");
}

TEST_CASE("nothing is reached from a loss of integers", "[gradient]") {
  CHECK(reached("func.func @f(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }") == "-");
  CHECK(reached("func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }") == "+");
}

TEST_CASE("a gradient reaches what its loss reaches", "[gradient]") {
  CHECK(reached(R"(
    func.func @f(%x: tensor<f32>, %w: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
      %y = keratin.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %g : tensor<f32>
    })") == "++-");
}

TEST_CASE("a path leads through a body, if it is looked into", "[gradient]") {
  // The second state is made of an element and a capture, the first of another capture.
  const char *text = R"(
    func.func @f(%h: tensor<f32>, %s: tensor<f32>, %x: tensor<3xf32>, %unused: tensor<3xf32>,
                 %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %y:2 = keratin.scan length = <3> init(%h, %s) over(%x, %unused) with(%a, %b)
          : (tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      ^bb0(%t: tensor<i64>, %p: tensor<f32>, %q: tensor<f32>, %e: tensor<f32>, %u: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
        %0 = keratin.mul %e, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
        keratin.yield %d, %0 : tensor<f32>, tensor<f32>
      }
      return %y#1 : tensor<f32>
    })";
  CHECK(reached(text, Bodies::Closed) == "++++++");
  CHECK(reached(text, Bodies::Open) == "-++-+-");
}

// The arithmetic and the bytes of ops, as numbers and as formulas.
#include "ir/interfaces/OpCost.h"
#include "passes/memory/KernelCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin;

namespace {

class Function {
public:
  // The body of a function, whose arguments are %x : 4x8, %n : d0 x 8, %w : 8x3, all of float32.
  explicit Function(const std::string &body) {
    context.loadDialect<ir::KeratinDialect, mlir::func::FuncDialect>();
    context.disableMultithreading();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "!n = tensor<?x8xf32, #keratin.dims<d0, 8>>\n"
        "func.func @f(%x: tensor<4x8xf32>, %n: !n, %w: tensor<8x3xf32>) {\n" +
            body + "\nreturn }",
        &context);
    REQUIRE(module);
  }
  mlir::Operation &last() {
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return *std::next(function.getBody().front().rbegin());
  }
  std::string operations() {
    auto count = ir::operationCount(&last());
    return count ? count->str() : "none";
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_CASE("elementwise ops count their scalar operations") {
  CHECK(Function("%0 = keratin.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>").operations() ==
        "32");
  CHECK(Function("%0 = keratin.add %n, %n : (!n, !n) -> !n").operations() == "8*d0");
  CHECK(Function("%0 = keratin.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf64>").operations() ==
        "32");
}

TEST_CASE("reductions count combinations") {
  CHECK(Function("%0 = keratin.reduce_sum %n axes = [1] : (!n) -> "
                 "tensor<?xf32, #keratin.dims<d0>>")
            .operations() == "8*d0");
}

TEST_CASE("contractions count products and sums") {
  CHECK(Function("%0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : "
                 "(tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>")
            .operations() == std::to_string(2 * 4 * 3 * 8));
  CHECK(Function("%0 = keratin.dot_general %n, %w batch = [] x [] contract = [1] x [0] : "
                 "(!n, tensor<8x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>")
            .operations() == "48*d0");
}

TEST_CASE("scans count their recurrence") {
  CHECK(Function("%0 = keratin.linear_recurrence %x, %x {axis = 0 : i64} : "
                 "(tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>")
            .operations() == "64");
}

TEST_CASE("loops count their steps, and branches the one that does more") {
  const std::string loop =
      "%0 = keratin.scan length = <d0> init() over(%n) with(%x) : (!n, tensor<4x8xf32>) -> "
      "tensor<?x4x8xf32, #keratin.dims<d0, 4, 8>> {\n"
      "^bb0(%t: tensor<i64>, %e: tensor<8xf32>, %c: tensor<4x8xf32>):\n"
      "  %1 = keratin.tanh %e : (tensor<8xf32>) -> tensor<8xf32>\n"
      "  %2 = keratin.exp %c : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
      "  keratin.yield %2 : tensor<4x8xf32>\n}";
  CHECK(Function(loop).operations() == "40*d0");
  CHECK(Function("%p = keratin.constant dense<true> : tensor<i1>\n"
                 "%0 = keratin.if %p with(%x) : (tensor<i1>, tensor<4x8xf32>) -> "
                 "tensor<4x8xf32> {\n"
                 "^bb0(%a: tensor<4x8xf32>):\n"
                 "  %1 = keratin.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
                 "  keratin.yield %1 : tensor<4x8xf32>\n"
                 "} else {\n"
                 "^bb0(%a: tensor<4x8xf32>):\n"
                 "  keratin.yield %a : tensor<4x8xf32>\n}")
            .operations() == "32");
}

TEST_CASE("moving elements is no arithmetic") {
  CHECK(Function("%0 = keratin.transpose %x permutation = [1, 0] : "
                 "(tensor<4x8xf32>) -> tensor<8x4xf32>")
            .operations() == "0");
}

TEST_CASE("kernels count their bodies, and each operand that they read") {
  Function function("%0 = keratin.kernel (%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> "
                    "tensor<4x8xf32> {\n"
                    "^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):\n"
                    "  %1 = keratin.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
                    "  %2 = keratin.mul %1, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> "
                    "tensor<4x8xf32>\n"
                    "  keratin.yield %2 : tensor<4x8xf32>\n}");
  passes::KernelCost cost = passes::costOf(&function.last());
  CHECK(cost.operations == ir::DimExpr(64));
  CHECK(cost.bytesRead == ir::DimExpr(256));
  CHECK(cost.bytesWritten == ir::DimExpr(128));
}

TEST_CASE("each pass of a kernel over an input counts") {
  Function softmax("%0 = keratin.kernel (%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
                   "^bb0(%a: tensor<4x8xf32>):\n"
                   "  %1 = keratin.reduce_max %a axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>\n"
                   "  %2 = keratin.broadcast %1 dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>\n"
                   "  %3 = keratin.sub %a, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> "
                   "tensor<4x8xf32>\n"
                   "  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>\n"
                   "  %5 = keratin.broadcast %4 dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>\n"
                   "  %6 = keratin.div %3, %5 : (tensor<4x8xf32>, tensor<4x8xf32>) -> "
                   "tensor<4x8xf32>\n"
                   "  keratin.yield %6 : tensor<4x8xf32>\n}");
  CHECK(passes::costOf(&softmax.last()).bytesRead == ir::DimExpr(3 * 128));
}

TEST_CASE("a kernel that takes rows reads no others") {
  Function rows("%0 = keratin.kernel (%x) : (tensor<4x8xf32>) -> tensor<1x8xf32> {\n"
                "^bb0(%a: tensor<4x8xf32>):\n"
                "  %1 = keratin.slice %a starts = <2, 0> strides = [1, 1] : (tensor<4x8xf32>) -> "
                "tensor<1x8xf32>\n"
                "  keratin.yield %1 : tensor<1x8xf32>\n}");
  CHECK(passes::costOf(&rows.last()).bytesRead == ir::DimExpr(32));
}

TEST_CASE("what cannot be counted is not a number") {
  CHECK(Function("%0 = keratin.iota {axis = 0 : i64} : tensor<4611686018427387904xi8>\n"
                 "%1 = keratin.linear_recurrence %0, %0 {axis = 0 : i64} : "
                 "(tensor<4611686018427387904xi8>, tensor<4611686018427387904xi8>) -> "
                 "tensor<4611686018427387904xi8>")
            .operations() == "none");
}

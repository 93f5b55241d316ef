// Jacobians by diagonals: entries against differences, how many rules it takes, and where there are
// none.
#include "passes/sparsity/Diagonals.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/sparsity/Dependencies.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace keratin::passes;
using keratin::ir::HostTensor;

namespace {

constexpr int64_t kAnyRules = 1000;

// A function of %x, six numbers, that returns %y.
class Function {
public:
  Function(const std::string &y, const std::string &body) {
    context.loadDialect<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
    context.disableMultithreading();
    module =
        mlir::parseSourceString<mlir::ModuleOp>("func.func @main(%x: tensor<6xf64>) -> " + y +
                                                    " {\n" + body + "\nreturn %y : " + y + "\n}\n",
                                                &context);
    REQUIRE(module);
    auto found = structureOf(get(), 0, 0, "test");
    REQUIRE(mlir::succeeded(found));
    pattern = *found;
  }

  mlir::func::FuncOp get() { return *(*module).getOps<mlir::func::FuncOp>().begin(); }
  bool hasDiagonals(int64_t mostRules = kAnyRules) {
    return buildDiagonals(get(), 0, 0, pattern, mostRules).has_value();
  }

  // Each entry of the pattern is its diagonal's, and there are so many numbers in all.
  void check(int64_t numbers) {
    std::vector<HostTensor> at{
        *keratin::ir::makeHostTensor(KERATIN_DTYPE_FLOAT64, std::vector<int64_t>{6})};
    for (size_t i = 0; i < 6; ++i)
      at[0].floats[i] = 0.4 + 0.1 * double(i * i % 5);
    std::vector<std::vector<double>> expected;
    constexpr double step = 1e-6;
    for (size_t j = 0; j < 6; ++j) {
      std::vector<HostTensor> above = at, below = at;
      above[0].floats[j] += step;
      below[0].floats[j] -= step;
      const HostTensor high = value(above), low = value(below);
      expected.emplace_back();
      for (int64_t i = 0; i < high.size(); ++i)
        expected.back().push_back((high.floats[i] - low.floats[i]) / (2 * step));
    }
    auto diagonals = buildDiagonals(get(), 0, 0, pattern, kAnyRules);
    REQUIRE(diagonals);
    get().front().getTerminator()->setOperands(diagonals->elements);
    get().setType(
        mlir::FunctionType::get(&context, get().getArgumentTypes(), diagonals->elements.getType()));
    const HostTensor elements = value(at);
    CHECK(elements.size() == numbers);
    REQUIRE(int64_t(diagonals->places.size()) == pattern.entries());
    size_t entry = 0;
    for (int64_t i = 0; i < pattern.rows; ++i)
      for (uint32_t j : pattern.row(i)) {
        INFO(i << ", " << j);
        CHECK(elements.floats[diagonals->places[entry++]] ==
              Approx(expected[j][i]).epsilon(1e-7).margin(1e-8));
      }
  }

private:
  HostTensor value(const std::vector<HostTensor> &arguments) {
    keratin::ir::EvaluationContext evaluation;
    auto results = keratin::ir::interpret(get(), arguments, evaluation);
    INFO(evaluation.error);
    REQUIRE(llvm::succeeded(results));
    return results->front();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SparsityPattern pattern;
};

const std::string kUnary = " : (tensor<6xf64>) -> tensor<6xf64>";
const std::string kBinary = " : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>";
const std::string kReversed = "%r = keratin.reverse %x axes = [0]" + kUnary + "\n";

} // namespace

TEST_CASE("operands by the same elements have one diagonal", "[sparsity]") {
  Function("tensor<6xf64>", "%a = keratin.sin %x" + kUnary + "\n%b = keratin.mul %a, %x" + kBinary +
                                "\n%y = keratin.exp %b" + kUnary)
      .check(6);
}

TEST_CASE("those by others have their own", "[sparsity]") {
  Function("tensor<6xf64>",
           kReversed + "%a = keratin.sin %r" + kUnary + "\n%y = keratin.mul %a, %x" + kBinary)
      .check(12);
}

TEST_CASE("a mask leaves room for others", "[sparsity]") {
  Function("tensor<6xf64>", kReversed + R"(
    %m = keratin.constant dense<[1.0, 0.0, 2.0, 0.0, 0.0, 0.0]> : tensor<6xf64>
    %n = keratin.constant dense<[0.0, 3.0, 0.0, 1.0, 0.0, 0.0]> : tensor<6xf64>
    %a = keratin.mul %m, %x)" + kBinary +
                                "\n%b = keratin.mul %n, %r" + kBinary +
                                "\n%s = keratin.add %a, %b" + kBinary + "\n%y = keratin.sin %s" +
                                kUnary)
      .check(6);
}

TEST_CASE("what is moved into the result is not moved", "[sparsity]") {
  // Two parts of six numbers, no third of twelve.
  Function("tensor<4x3xf64>", kReversed + R"(
    %a = keratin.sin %r)" + kUnary +
                                  R"(
    %c = keratin.concatenate %a, %x {axis = 0 : i64} : (tensor<6xf64>, tensor<6xf64>) -> tensor<12xf64>
    %y = keratin.reshape %c : (tensor<12xf64>) -> tensor<4x3xf64>)")
      .check(12);
  // A sum of padded parts, as gradients of slices are.
  Function("tensor<6xf64>", R"(
    %a = keratin.slice %x starts = <0> strides = [1] : (tensor<6xf64>) -> tensor<2xf64>
    %b = keratin.slice %x starts = <2> strides = [1] : (tensor<6xf64>) -> tensor<4xf64>
    %c = keratin.cos %a : (tensor<2xf64>) -> tensor<2xf64>
    %d = keratin.sin %b : (tensor<4xf64>) -> tensor<4xf64>
    %e = keratin.pad %c low = <0> interior = [0] : (tensor<2xf64>) -> tensor<6xf64>
    %f = keratin.pad %d low = <2> interior = [0] : (tensor<4xf64>) -> tensor<6xf64>
    %y = keratin.add %e, %f)" + kBinary)
      .check(6);
}

TEST_CASE("zeros around what is padded are left out", "[sparsity]") {
  // Where two overlap, as on the main diagonal here, they are added up.
  const std::string slices = R"(
    %a = keratin.slice %x starts = <0> strides = [1] : (tensor<6xf64>) -> tensor<4xf64>
    %b = keratin.slice %x starts = <2> strides = [1] : (tensor<6xf64>) -> tensor<4xf64>
    %c = keratin.mul %a, %b : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %d = keratin.pad %c low = <0> interior = [0] : (tensor<4xf64>) -> tensor<6xf64>
)";
  const std::string shifted = R"(
    %e = keratin.pad %c low = <2> interior = [0] : (tensor<4xf64>) -> tensor<6xf64>
    %y = keratin.add %d, %e)" +
                              kBinary;
  Function("tensor<6xf64>", slices + "%y = keratin.add %x, %d" + kBinary).check(6 + 4);
  Function("tensor<6xf64>", slices + shifted).check(6 + 4 + 4);
}

TEST_CASE("an infinite derivative stays out of what has no path", "[sparsity]") {
  // sqrt at zero, in elements that x does not reach.
  Function("tensor<6xf64>", R"(
    %m = keratin.constant dense<[1.0, 0.0, 2.0, 0.0, 1.0, 0.0]> : tensor<6xf64>
    %n = keratin.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<6xf64>
    %a = keratin.mul %m, %x)" + kBinary +
                                "\n%s = keratin.sqrt %a" + kUnary + "\n%b = keratin.mul %n, %x" +
                                kBinary + "\n%y = keratin.add %s, %b" + kBinary)
      .check(6);
}

TEST_CASE("where there are no diagonals", "[sparsity]") {
  Function sum("tensor<f64>",
               "%y = keratin.reduce_sum %x axes = [0] : (tensor<6xf64>) -> tensor<f64>");
  CHECK(!sum.hasDiagonals());
  Function running("tensor<6xf64>", "%y = keratin.cumsum %x {axis = 0 : i64}" + kUnary);
  CHECK(!running.hasDiagonals());
  // Elements 0 to 2 twice, in two diagonals.
  const std::string twice = R"(
    %a = keratin.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
    %b = keratin.constant dense<[0, 1, 2, 4, 5, 3]> : tensor<6xi32>
    %g = keratin.gather %x, %a : (tensor<6xf64>, tensor<6xi32>) -> tensor<6xf64>
    %h = keratin.gather %x, %b : (tensor<6xf64>, tensor<6xi32>) -> tensor<6xf64>
    %y = keratin.mul %g, %h)" +
                            kBinary;
  CHECK(!Function("tensor<6xf64>", twice).hasDiagonals());
}

TEST_CASE("no more rules than allowed", "[sparsity]") {
  Function function("tensor<6xf64>",
                    "%a = keratin.sin %x" + kUnary + "\n%y = keratin.exp %a" + kUnary);
  CHECK(!function.hasDiagonals(1));
  CHECK(function.hasDiagonals(2));
}

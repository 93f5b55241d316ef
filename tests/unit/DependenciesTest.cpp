// Structures of Jacobians: op by op, and against the interpreter.
#include "passes/sparsity/Dependencies.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::passes;
using keratin::ir::HostTensor;

namespace {

class Function {
public:
  // A function of %x and %w that returns %y.
  Function(const std::string &x, const std::string &w, const std::string &y,
           const std::string &body) {
    context.loadDialect<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
    context.disableMultithreading();
    const std::string text = "func.func @main(%x: " + x + ", %w: " + w + ") -> " + y + " {\n" +
                             body + "\nreturn %y : " + y + "\n}\n";
    INFO(text);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
  }

  mlir::func::FuncOp get() { return *(*module).getOps<mlir::func::FuncOp>().begin(); }

  // Rows of "x" and ".".
  std::string structure() {
    auto pattern = structureOf(get(), 0, 0, "test");
    REQUIRE(mlir::succeeded(pattern));
    std::string text;
    for (int64_t i = 0; i < pattern->rows; ++i) {
      std::string row(pattern->columns, '.');
      for (uint32_t j : pattern->row(i))
        row[j] = 'x';
      text += (i ? " " : "") + row;
    }
    return text;
  }

  // What is said of a structure with so many members of sets.
  std::string refusal(int64_t mostMembers) {
    std::string text;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      text += diagnostic.str();
      return mlir::success();
    });
    REQUIRE(mlir::failed(structureOf(get(), 0, 0, "test", mostMembers)));
    return text;
  }

  // The entries that change when an element of x does.
  std::string found(unsigned seed) {
    std::vector<HostTensor> arguments;
    for (mlir::Type type : get().getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      arguments.push_back(*keratin::ir::makeHostTensor(
          keratin::ir::dtypeOf(tensor.getElementType()), tensor.getShape().vec()));
      for (double &number : arguments.back().floats)
        number = 0.3 + (seed = seed * 1664525 + 1013904223) % 1000 * 1e-3;
    }
    const HostTensor before = at(arguments);
    std::vector<std::string> rows(before.size(), std::string(arguments[0].size(), '.'));
    for (int64_t j = 0; j < arguments[0].size(); ++j) {
      std::vector<HostTensor> moved = arguments;
      moved[0].floats[j] += 0.01;
      const HostTensor after = at(moved);
      for (int64_t i = 0; i < before.size(); ++i)
        if (before.floats[i] != after.floats[i])
          rows[i][j] = 'x';
    }
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i)
      text += (i ? " " : "") + rows[i];
    return text;
  }

private:
  HostTensor at(const std::vector<HostTensor> &arguments) {
    keratin::ir::EvaluationContext evaluation;
    auto results = keratin::ir::interpret(get(), arguments, evaluation);
    INFO(evaluation.error);
    REQUIRE(llvm::succeeded(results));
    return results->front();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

// What is found by changing elements is the structure, exactly.
void checkExact(const std::string &x, const std::string &w, const std::string &y,
                const std::string &body) {
  INFO(body);
  Function function(x, w, y, body);
  const std::string structure = function.structure();
  std::string found = function.found(1), again = function.found(2);
  for (size_t i = 0; i < found.size(); ++i)
    if (again[i] == 'x')
      found[i] = 'x';
  CHECK(structure == found);
}

} // namespace

TEST_CASE("ops whose structure is exact", "[sparsity]") {
  const std::string f5 = "tensor<5xf32>", f34 = "tensor<3x4xf32>", f2 = "tensor<2xf32>";
  checkExact(f5, f5, f5,
             "%a = keratin.sin %x : (tensor<5xf32>) -> tensor<5xf32>\n"
             "%y = keratin.mul %a, %w : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>");
  checkExact(f5, f5, f5, R"(
    %m = keratin.constant dense<[1.0, 0.0, 2.0, 0.0, 0.0]> : tensor<5xf32>
    %a = keratin.mul %m, %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %r = keratin.reverse %x axes = [0] : (tensor<5xf32>) -> tensor<5xf32>
    %y = keratin.add %a, %r : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>)");
  checkExact(f5, f5, f5, R"(
    %c = keratin.constant dense<[true, false, true, false, false]> : tensor<5xi1>
    %r = keratin.reverse %x axes = [0] : (tensor<5xf32>) -> tensor<5xf32>
    %y = keratin.select %c, %x, %r : (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>)");
  checkExact(
      f34, f2, "tensor<4x3xf32>",
      "%y = keratin.transpose %x permutation = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>");
  checkExact(f34, f2, "tensor<2x2xf32>",
             "%y = keratin.slice %x starts = <1, 0> strides = [1, 2] : "
             "(tensor<3x4xf32>) -> tensor<2x2xf32>");
  checkExact(f5, f2, "tensor<12xf32>",
             "%y = keratin.pad %x low = <2> interior = [1] : (tensor<5xf32>) -> "
             "tensor<12xf32>");
  checkExact(f5, f2, "tensor<7xf32>",
             "%y = keratin.concatenate %w, %x {axis = 0} : (tensor<2xf32>, tensor<5xf32>) -> "
             "tensor<7xf32>");
  checkExact(f34, f2, "tensor<2x4xf32>", R"(
    %i = keratin.constant dense<[2, 0]> : tensor<2xi32>
    %y = keratin.gather %x, %i : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>)");
  checkExact(f5, f2, "tensor<3xf32>", R"(
    %i = keratin.constant dense<[2, 0, 0, 1, 2]> : tensor<5xi32>
    %y = keratin.scatter_add %i, %x : (tensor<5xi32>, tensor<5xf32>) -> tensor<3xf32>)");
  checkExact(f34, f2, "tensor<4xf32>",
             "%y = keratin.reduce_sum %x axes = [0] : (tensor<3x4xf32>) -> tensor<4xf32>");
  checkExact(f34, f2, "tensor<3xf32>",
             "%y = keratin.reduce_prod %x axes = [1] : (tensor<3x4xf32>) -> tensor<3xf32>");
}

TEST_CASE("contractions have the structure of their factors", "[sparsity]") {
  checkExact("tensor<3x4xf32>", "tensor<4x2xf32>", "tensor<3x2xf32>",
             "%y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : "
             "(tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>");
  checkExact("tensor<2x3x2xf32>", "tensor<2x4x3xf32>", "tensor<2x4x2xf32>",
             "%y = keratin.dot_general %w, %x batch = [0] x [0] contract = [2] x [1] : "
             "(tensor<2x4x3xf32>, tensor<2x3x2xf32>) -> tensor<2x4x2xf32>");
  checkExact("tensor<3x3xf32>", "tensor<2xf32>", "tensor<3x3xf32>",
             "%y = keratin.dot_general %x, %x batch = [] x [] contract = [1] x [0] : "
             "(tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>");
  // A constant band.
  checkExact("tensor<4x2xf32>", "tensor<2xf32>", "tensor<3x2xf32>", R"(
    %m = keratin.constant dense<[[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]]> : tensor<3x4xf32>
    %y = keratin.dot_general %m, %x batch = [] x [] contract = [1] x [0] :
        (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>)");
  checkExact("tensor<4x2xf32>", "tensor<3xf32>", "tensor<3x2xf32>", R"(
    %r = keratin.constant dense<[0, 1, 2]> : tensor<3xi64>
    %c = keratin.constant dense<[1, 0, 3]> : tensor<3xi64>
    %y = keratin.sparse_dot %r, %c, %w, %x :
        (tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>)");
  checkExact("tensor<3xf32>", "tensor<4x2xf32>", "tensor<3x2xf32>", R"(
    %r = keratin.constant dense<[0, 2, 2]> : tensor<3xi64>
    %c = keratin.constant dense<[1, 0, 3]> : tensor<3xi64>
    %y = keratin.sparse_dot %r, %c, %x, %w :
        (tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>)");
}

TEST_CASE("windows have the structure of what they cover", "[sparsity]") {
  const std::string image = "tensor<1x7x2xf32>", filter = "tensor<3x2x2xf32>";
  const std::string convolution =
      R"(dims = "b0c,0cf->b0f" strides = [2] low = <1> x_dilation = [1] dilation = [1] reversed = [true] : )";
  checkExact(image, filter, "tensor<1x4x2xf32>",
             "%y = keratin.convolution %x, %w " + convolution +
                 "(tensor<1x7x2xf32>, tensor<3x2x2xf32>) -> tensor<1x4x2xf32>");
  checkExact(image, "tensor<2xf32>", "tensor<1x4x1xf32>",
             R"(
    %f = keratin.constant dense<[[[1.0], [0.0]], [[0.0], [0.0]], [[0.0], [2.0]]]> : tensor<3x2x1xf32>
    %y = keratin.convolution %x, %f )" +
                 convolution + "(tensor<1x7x2xf32>, tensor<3x2x1xf32>) -> tensor<1x4x1xf32>");
  checkExact("tensor<7xf32>", "tensor<2xf32>", "tensor<4xf32>",
             "%y = keratin.window_sum %x window = [3] strides = [2] low = <1> "
             "x_dilation = [1] : "
             "(tensor<7xf32>) -> tensor<4xf32>");
  Function most("tensor<5xf32>", "tensor<2xf32>", "tensor<2xf32>",
                "%y = keratin.window_max %x window = [3] strides = [2] low = <0> : "
                "(tensor<5xf32>) -> tensor<2xf32>");
  CHECK(most.structure() == "xxx.. ..xxx");
  Function scattered("tensor<2xf32>", "tensor<5xf32>", "tensor<5xf32>",
                     "%y = keratin.window_scatter %w, %x window = [3] strides = [2] low = <0> : "
                     "(tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>");
  CHECK(scattered.structure() == "x. x. xx .x .x");
  Function picked("tensor<5xf32>", "tensor<5xf32>", "tensor<2xf32>",
                  "%y = keratin.window_pick %w, %x window = [3] strides = [2] low = <0> : "
                  "(tensor<5xf32>, tensor<5xf32>) -> tensor<2xf32>");
  CHECK(picked.structure() == "xxx.. ..xxx");
}

TEST_CASE("what depends on arguments may be anywhere", "[sparsity]") {
  Function gathered(
      "tensor<3x2xf32>", "tensor<2xi32>", "tensor<2x2xf32>",
      "%y = keratin.gather %x, %w : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>");
  CHECK(gathered.structure() == "x.x.x. .x.x.x x.x.x. .x.x.x");
  Function scattered(
      "tensor<2x2xf32>", "tensor<2xi32>", "tensor<2x2xf32>",
      "%y = keratin.scatter_add %w, %x : (tensor<2xi32>, tensor<2x2xf32>) -> tensor<2x2xf32>");
  CHECK(scattered.structure() == "x.x. .x.x x.x. .x.x");
  Function sliced(
      "tensor<4xf32>", "tensor<i32>", "tensor<2xf32>",
      "%y = keratin.dynamic_slice %x, %w : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>");
  CHECK(sliced.structure() == "xxxx xxxx");
  Function running("tensor<2x2xf32>", "tensor<f32>", "tensor<2x2xf32>",
                   "%y = keratin.cumsum %x {axis = 1} : (tensor<2x2xf32>) -> tensor<2x2xf32>");
  CHECK(running.structure() == "xx.. xx.. ..xx ..xx");
}

TEST_CASE("no path, no entry", "[sparsity]") {
  Function stopped("tensor<2xf32>", "tensor<2xf32>", "tensor<2xf32>", R"(
    %s = keratin.stop_gradient %x : (tensor<2xf32>) -> tensor<2xf32>
    %y = keratin.add %s, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)");
  CHECK(stopped.structure() == ".. ..");
  Function empty("tensor<0xf32>", "tensor<2xf32>", "tensor<2xf32>", R"(
    %s = keratin.reduce_sum %x axes = [0] : (tensor<0xf32>) -> tensor<f32>
    %b = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<2xf32>
    %y = keratin.add %b, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)");
  CHECK(empty.structure() == " ");
}

TEST_CASE("sets that are too many to hold are refused", "[sparsity]") {
  Function sums("tensor<8x4xf32>", "tensor<f32>", "tensor<8xf32>",
                "%y = keratin.reduce_sum %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>");
  CHECK(sums.refusal(16) ==
        "test: the structure has too many entries to hold; needed a sparser function, or its dense "
        "derivative");
  CHECK(sums.structure().substr(0, 6) == "xxxx..");
}

#include "codegen/cpu/MathForm.h"
#include "ir/dialect/Keratin.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <string>

using namespace keratin;
using namespace mlir;

// A function of kernels that compute tanh of tanh, each so often as `depths` says.
static std::string functionOf(const std::vector<int> &depths) {
  std::string text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n", last = "%x";
  for (size_t kernel = 0; kernel < depths.size(); ++kernel) {
    std::string result = "%y" + std::to_string(kernel), value = "%a";
    text += result + " = keratin.kernel (" + last +
            ") : (tensor<4xf32>) -> tensor<4xf32> {\n^bb0(%a: tensor<4xf32>):\n";
    for (int i = 0; i < depths[kernel]; ++i) {
      std::string next = "%t" + std::to_string(i);
      text += next + " = keratin.tanh " + value + " : (tensor<4xf32>) -> tensor<4xf32>\n";
      value = next;
    }
    text += "keratin.yield " + value + " : tensor<4xf32>\n}\n";
    last = result;
  }
  return text + "return " + last + " : tensor<4xf32>\n}\n";
}

static bool callsMath(const std::vector<int> &depths) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::KeratinDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(functionOf(depths), &context);
  REQUIRE(module);
  return codegen::callsMath(*module->getOps<func::FuncOp>().begin());
}

TEST_CASE("math functions are called where there is much to write out") {
  std::vector<int> different;
  for (int depth = 1; depth <= 30; ++depth)
    different.push_back(depth);
  CHECK(callsMath(different));
  CHECK_FALSE(callsMath({1, 2, 3}));
  // Kernels that are alike are compiled once.
  CHECK_FALSE(callsMath(std::vector<int>(500, 1)));
}

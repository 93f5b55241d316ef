#include "codegen/cpu/MathForm.h"
#include "codegen/elements/VectorMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"
#include "tests/support/JitHarness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

// What is done on vectors of float32 by a machine with AVX-512, but for constants and for what is
// done of large arguments only.
static int64_t emitted(llvm::function_ref<void(const codegen::VectorMath &, Value)> emit) {
  const codegen::MachineTarget machine = codegen::machineByName("x86-64-v4");
  tests::JitHarness harness(machine);
  OpBuilder b(harness.context());
  const Location loc = b.getUnknownLoc();
  Block block;
  Value x = block.addArgument(VectorType::get(16, b.getF32Type()), loc);
  b.setInsertionPointToEnd(&block);
  emit(codegen::VectorMath(b, loc, machine), x);
  const int64_t count =
      llvm::count_if(block, [](Operation &op) { return !matchPattern(&op, m_Constant()); });
  block.dropAllDefinedValueUses();
  return count;
}

TEST_CASE("records count the instructions of math functions") {
  using codegen::VectorMath;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::KeratinDialect>();
  OpBuilder b(&context);
  const std::pair<const char *, Value (VectorMath::*)(Value) const> functions[] = {
      {"atan", &VectorMath::atan},
      {"bessel_i0e", &VectorMath::besselI0e},
      {"bessel_i1e", &VectorMath::besselI1e},
      {"cos", &VectorMath::cos},
      {"digamma", &VectorMath::digamma},
      {"erf", &VectorMath::erf},
      {"erfc", &VectorMath::erfc},
      {"erfinv", &VectorMath::erfinv},
      {"exp", &VectorMath::exp},
      {"expm1", &VectorMath::expm1},
      {"lgamma", &VectorMath::lgamma},
      {"log", &VectorMath::log},
      {"log1p", &VectorMath::log1p},
      {"logistic", &VectorMath::sigmoid},
      {"sin", &VectorMath::sin},
      {"softplus", &VectorMath::softplus},
      {"tan", &VectorMath::tan},
      {"tanh", &VectorMath::tanh}};
  auto recorded = [&](StringRef name) {
    OperationState state(b.getUnknownLoc(), ("keratin." + name).str());
    Operation *op = Operation::create(state);
    const int64_t count = ir::instructionsOf(op);
    op->destroy();
    return count;
  };
  auto isNear = [&](StringRef name, int64_t count) {
    INFO(name.str() << " is " << count << " instructions");
    CHECK(recorded(name) >= count - 3);
    CHECK(recorded(name) <= count + 3);
  };
  for (auto [name, function] : functions)
    isNear(name, emitted([function = function](const VectorMath &math, Value x) {
             (math.*function)(x);
           }));
  isNear("pow", emitted([](const VectorMath &math, Value x) { math.pow(x, x); }));
}

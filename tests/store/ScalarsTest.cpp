// Functions that differ in scalars only have one code.
#include "compiler/store/FunctionStore.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "tests/store/GraphText.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomGraph.h"
#include "tests/support/RandomTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace keratin;
using namespace keratin::tests;
using compiler::CompiledFunction;
using compiler::CompileOptions;
using compiler::CompileReport;
using compiler::FunctionStore;
using Source = compiler::CompileReport::Source;

namespace {

// y = tanh(x * a + b) of so many elements of a dtype.
struct Affine {
  std::string a = "1.3", b = "0.7", type = "f32";
  int elements = 101;

  std::string text() const {
    const std::string scalar = "tensor<" + type + ">",
                      vector = "tensor<" + std::to_string(elements) + "x" + type + ">",
                      spread = " dims = [] : (" + scalar + ") -> " + vector,
                      binary = " : (" + vector + ", " + vector + ") -> " + vector;
    return "func.func @f(%x: " + vector + ") -> " + vector + " {\n  %a = keratin.constant dense<" +
           a + "> : " + scalar + "\n  %b = keratin.constant dense<" + b + "> : " + scalar +
           "\n  %as = keratin.broadcast %a" + spread + "\n  %bs = keratin.broadcast %b" + spread +
           "\n  %0 = keratin.mul %x, %as" + binary + "\n  %1 = keratin.add %0, %bs" + binary +
           "\n  %2 = keratin.tanh %1 : (" + vector + ") -> " + vector +
           "\n  return %2 : " + vector + "\n}\n";
  }
};

std::vector<ir::HostTensor> argumentsOf(mlir::func::FuncOp function) {
  std::vector<ir::HostTensor> arguments;
  const std::map<int64_t, int64_t> sizes = randomSymbols(1, /*withZero=*/false);
  for (mlir::Type type : function.getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    std::vector<int64_t> dims;
    for (const ir::DimExpr &dim : ir::getShape(tensor))
      dims.push_back(
          *dim.evaluate([&](int64_t symbol) { return std::optional(sizes.at(symbol)); }));
    arguments.push_back(
        *randomTensor(ir::dtypeOf(tensor.getElementType()), dims, arguments.size() + 1));
  }
  return arguments;
}

struct Outcome {
  Source source;
  bool isRight; // the bits of code that has the numbers in it
};

Outcome outcomeOf(mlir::func::FuncOp function, CompileOptions options = {}) {
  CompiledRunner reused(function, options);
  options.reuse = false;
  CompiledRunner own(function, options);
  INFO(reused.error << own.error);
  REQUIRE(reused.report());
  REQUIRE(own.report());
  const std::vector<ir::HostTensor> arguments = argumentsOf(function);
  auto results = reused.run(arguments), expected = own.run(arguments);
  REQUIRE(results);
  REQUIRE(expected);
  bool isRight = results->size() == expected->size();
  for (size_t i = 0; i < results->size() && isRight; ++i)
    isRight = areIdentical((*results)[i], (*expected)[i]);
  return {reused.report()->source, isRight};
}

Outcome outcomeOf(const std::string &text, const CompileOptions &options = {}) {
  GraphText graph(text);
  return outcomeOf(*graph.module->getOps<mlir::func::FuncOp>().begin(), options);
}

// Which of functions that come one after the other found code.
std::vector<bool> foundOf(const std::vector<Affine> &functions) {
  FunctionStore::ofProcess().clear();
  std::vector<bool> found;
  for (const Affine &function : functions) {
    Outcome outcome = outcomeOf(function.text());
    INFO(function.a << " " << function.b << " " << function.type);
    CHECK(outcome.isRight);
    found.push_back(outcome.source == Source::Process);
  }
  return found;
}

using Found = std::vector<bool>;

} // namespace

TEST_CASE("Code takes scalars from memory when a second function comes") {
  CHECK(foundOf({{.a = "1.3"}, {.a = "1.4"}, {.a = "1.5"}, {.a = "1.6", .b = "-3.0e-5"}}) ==
        Found{false, false, true, true});
}

TEST_CASE("The first function keeps its code, and each one finds what it had") {
  CHECK(foundOf({{.a = "1.3"}, {.a = "1.3"}, {.a = "1.4"}, {.a = "1.4"}, {.a = "1.3"}}) ==
        Found{false, true, false, true, true});
}

TEST_CASE("Numbers that machines compute with in other ways stay in the code") {
  // Each of these is something else.
  CHECK(foundOf({{.a = "1.3"},
                 {.a = "1.4"},
                 {.a = "0.0"},
                 {.a = "1.0"},
                 {.a = "-1.0"},
                 {.a = "2.0"},
                 {.a = "0.5"},
                 {.a = "0x7F800000"},
                 {.a = "0x7FC00000"},
                 {.a = "1.7"}}) ==
        Found{false, false, false, false, false, false, false, false, false, true});
}

TEST_CASE("Extreme numbers are as others") {
  CHECK(foundOf({{.a = "1.3"},
                 {.a = "1.4"},
                 {.a = "0x7F7FFFFF"},
                 {.a = "0x00000003"},
                 {.a = "-1.4e-45", .b = "0xFF7FFFFF"},
                 {.a = "0x3F800001"}}) == Found{false, false, true, true, false, true});
}

TEST_CASE("Scalars that are equal are one") {
  CHECK(foundOf({{.a = "1.3", .b = "1.3"},
                 {.a = "1.4", .b = "1.4"},
                 {.a = "1.5", .b = "1.5"},
                 {.a = "1.5", .b = "1.6"}}) == Found{false, false, true, false});
}

TEST_CASE("Scalars of all floating dtypes are open") {
  for (const char *type : {"f16", "bf16", "f64"})
    CHECK(foundOf({{.a = "1.3", .type = type},
                   {.a = "1.4", .type = type},
                   {.a = "1.5", .type = type}}) == Found{false, false, true});
}

TEST_CASE("Functions with other names and lines share code, too") {
  FunctionStore::ofProcess().clear();
  auto compiled = [](const Scaled &graph) { return GraphText(graph.text()).compile(); };
  auto first = compiled({.factor = "1.3", .elements = 51});
  auto second = compiled({.factor = "1.4", .elements = 51});
  auto third =
      compiled({.function = "g", .input = "z", .factor = "1.6", .elements = 51, .line = 99});
  REQUIRE(third);
  CHECK(third->report().source == Source::Process);
  CHECK(third->descriptor().entry == second->descriptor().entry);
  CHECK(third->descriptor().name == std::string("g"));
  CHECK(third->descriptor().inputs[0].name == std::string("z"));
  CHECK(third->descriptor().inputs[0].location == std::string("a.cc:99"));
  CHECK(third->report().kernels == 1);
}

TEST_CASE("Functions for a device have its code in common, and scalars of their own") {
  FunctionStore::ofProcess().clear();
  CompileOptions options;
  options.target = "cuda";
  auto compiled = [&](const std::string &factor) {
    return GraphText(Scaled{.factor = factor, .elements = 53}.text()).compile(options);
  };
  auto first = compiled("1.3"), second = compiled("1.4"), third = compiled("1.6");
  REQUIRE(third);
  CHECK(third->report().source == Source::Process);
  CHECK(third->descriptor().entry == second->descriptor().entry);
  auto images = [](const CompiledFunction &function) {
    std::vector<std::string> result;
    const keratin_device_code_t &code = *function.descriptor().device_code;
    for (const keratin_image_t &image : llvm::ArrayRef(code.images, size_t(code.num_images)))
      result.emplace_back(static_cast<const char *>(image.data), size_t(image.bytes));
    return result;
  };
  CHECK(images(*third) == images(*second));
  CHECK(images(*second) != images(*first));
  REQUIRE(third->descriptor().num_constants == 1);
  float factor;
  std::memcpy(&factor, third->descriptor().constants[0].data, sizeof(factor));
  CHECK(factor == 1.6f);
}

TEST_CASE("Code of full effort for any scalar serves who asks for quick code") {
  FunctionStore::ofProcess().clear();
  CompileOptions quick;
  quick.effort = codegen::Effort::Quick;
  auto compiled = [](const std::string &factor, const CompileOptions &options) {
    return GraphText(Scaled{.factor = factor, .elements = 54}.text()).compile(options);
  };
  auto first = compiled("1.3", quick), second = compiled("1.4", quick);
  REQUIRE(second);
  CHECK(second->report().source == Source::Compiler);
  auto full = compiled("1.5", {});
  REQUIRE(full);
  CHECK(full->report().source == Source::Compiler);
  auto other = compiled("1.6", quick);
  REQUIRE(other);
  CHECK(other->report().source == Source::Process);
  CHECK(other->descriptor().entry == full->descriptor().entry);
  CHECK(other->descriptor().entry != second->descriptor().entry);
}

// One step of gradient descent on a mean of squares, with so much of the gradient.
static std::string stepOf(const std::string &rate) {
  return R"mlir(
    func.func @step(%x: tensor<16x8xf32> {keratin.kind = "input", keratin.name = "x"},
                    %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"})
        -> (tensor<f32> {keratin.kind = "output"},
            tensor<8x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
      %p = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
      %s = keratin.mul %p, %p : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
      %l = keratin.reduce_sum %s axes = [0, 1] : (tensor<16x4xf32>) -> tensor<f32>
      %g = keratin.gradients %l wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      %r = keratin.constant dense<)mlir" +
         rate + R"mlir(> : tensor<f32>
      %rs = keratin.broadcast %r dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %d = keratin.mul %g, %rs : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      %n = keratin.sub %w, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      return %l, %n : tensor<f32>, tensor<8x4xf32>
    }
  )mlir";
}

TEST_CASE("A step with another rate of learning has the code of others") {
  FunctionStore::ofProcess().clear();
  int found = 0;
  for (const char *rate : {"0.1", "0.01", "1.0e-3", "3.0e-4"}) {
    Outcome outcome = outcomeOf(stepOf(rate));
    CHECK(outcome.isRight);
    found += outcome.source == Source::Process;
  }
  CHECK(found == 2);
}

static std::string loopOf(const std::string &decay) {
  return R"mlir(
    func.func @loop(%h: tensor<4xf32>, %b: tensor<5x4xf32>) -> tensor<4xf32> {
      %l = keratin.scan length = #keratin.dims<5> init(%h) over(%b) with() : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<4xf32> {
      ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
        %a = keratin.constant dense<)mlir" +
         decay + R"mlir(> : tensor<f32>
        %as = keratin.broadcast %a dims = [] : (tensor<f32>) -> tensor<4xf32>
        %0 = keratin.mul %s, %as : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        keratin.yield %1 : tensor<4xf32>
      }
      return %l : tensor<4xf32>
    }
  )mlir";
}

TEST_CASE("Scalars of loops are open") {
  FunctionStore::ofProcess().clear();
  for (const char *decay : {"0.9", "0.99", "0.999"}) {
    Outcome outcome = outcomeOf(loopOf(decay));
    CHECK(outcome.isRight);
    CHECK((outcome.source == Source::Process) == (decay == std::string("0.999")));
  }
}

TEST_CASE("Code that checks its numbers has them in it") {
  FunctionStore::ofProcess().clear();
  CompileOptions options;
  options.checkNumbers = true;
  for (const char *a : {"1.3", "1.4", "1.5"})
    CHECK(outcomeOf(Affine{.a = a}.text(), options).source == Source::Compiler);
}

// All floating scalars, a little larger.
static void scaleScalars(mlir::func::FuncOp function, double factor) {
  function.walk([&](ir::ConstantOp constant) {
    auto elements = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
    if (!elements.isSplat() || !mlir::isa<mlir::FloatType>(elements.getElementType()))
      return;
    auto value = elements.getSplatValue<llvm::APFloat>();
    llvm::APFloat by(factor);
    bool loses;
    by.convert(value.getSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    if (value.getExactLog2Abs() == INT_MIN)
      value.multiply(by, llvm::APFloat::rmNearestTiesToEven);
    constant.setValueAttr(mlir::DenseElementsAttr::get(elements.getType(), value));
  });
}

TEST_CASE("Random graphs with other scalars compute what they would with these in their code") {
  auto context = GraphText("").context.release();
  int found = 0, all = 0;
  for (uint64_t seed = 500'000; seed < 500'016; ++seed, ++all) {
    RandomFunction random = makeRandomFunction(context, {seed}, /*ops=*/25);
    FunctionStore::ofProcess().clear();
    Outcome outcome;
    for (double factor : {1.0625, 1.0078125, 1.0}) {
      mlir::OwningOpRef<mlir::ModuleOp> copy = random.module->clone();
      auto function = *copy->getOps<mlir::func::FuncOp>().begin();
      scaleScalars(function, factor);
      outcome = outcomeOf(function);
      INFO("graph " << seed << ", scalars times " << factor);
      CHECK(outcome.isRight);
    }
    found += outcome.source == Source::Process;
  }
  CHECK(2 * found > all);
}

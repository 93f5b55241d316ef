// Ranks in a mesh: along one axis each has some rows of a batch and adds up gradients, along the
// other some columns and rows of weights and adds up products. Against the whole on one rank.
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/RankRuns.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

namespace {

constexpr int64_t hidden = 6, lines = 2;

// A step of a perceptron whose weights a line along "model" has among itself, so many hidden units
// each; each of so many ranks makes the loss.
std::string perceptron(int64_t units, int64_t ranks) {
  const std::string h = std::to_string(units), share = std::to_string(1.0 / double(ranks));
  const std::string x = "tensor<?x4xf32, #keratin.dims<d0, 4>>",
                    y = "tensor<?x3xf32, #keratin.dims<d0, 3>>",
                    a = "tensor<?x" + h + "xf32, #keratin.dims<d0, " + h + ">>",
                    w = "tensor<4x" + h + "xf32>", v = "tensor<" + h + "x3xf32>";
  return "func.func @step(%x: " + x +
         " {keratin.sharded = 0 : i64, keratin.mesh_axis = \"data\"}, %w: " + w + ", %v: " + v +
         ") -> (tensor<f32>, " + y + ", " + w + ", " + v + ") {\n" +
         "  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (" + x + ", " +
         w + ") -> " + a + "\n  %a = keratin.tanh %h : (" + a + ") -> " + a +
         "\n  %own = keratin.dot_general %a, %v batch = [] x [] contract = [1] x [0] : (" + a +
         ", " + v + ") -> " + y + "\n  %y = keratin.all_reduce sum %own along \"model\" : " + y +
         "\n  %squares = keratin.mul %y, %y : (" + y + ", " + y + ") -> " + y +
         "\n  %loss = keratin.reduce_sum %squares axes = [0, 1] : (" + y + ") -> tensor<f32>\n" +
         "  %share = keratin.constant dense<" + share + "> : tensor<f32>\n" +
         "  %part = keratin.mul %loss, %share : (tensor<f32>, tensor<f32>) -> tensor<f32>\n" +
         "  %dw, %dv = keratin.gradients %part wrt %w, %v : (tensor<f32>, " + w + ", " + v +
         ") -> (" + w + ", " + v + ")\n" + "  return %loss, %y, %dw, %dv : tensor<f32>, " + y +
         ", " + w + ", " + v + "\n}";
}

class Parsed {
public:
  explicit Parsed(const std::string &text) {
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    context.disableMultithreading();
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
  }
  func::FuncOp function() { return *module->getOps<func::FuncOp>().begin(); }
  // As it is interpreted, of one rank or of several.
  void expand(bool shards) {
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(passes::createDifferentiate());
    if (shards)
      manager.addNestedPass<func::FuncOp>(passes::createShard());
    REQUIRE(succeeded(manager.run(*module)));
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

Tensors computeWhole(const Tensors &arguments) {
  Parsed whole(perceptron(hidden, 1));
  whole.expand(/*shards=*/false);
  EvaluationContext evaluation;
  auto results = interpret(whole.function(), arguments, evaluation);
  INFO(evaluation.error);
  REQUIRE(succeeded(results));
  return *results;
}

// Of whole tensors what the rank of a mesh of "data" and "model" has: of those with a dimension.
struct Place {
  int64_t data, model;

  HostTensor rows(const HostTensor &whole, const std::vector<int64_t> &sizes) const {
    const int64_t begin = data == 0 ? 0 : sizes[0];
    return partOf(whole, 0, begin, begin + sizes[size_t(data)]);
  }
  HostTensor units(const HostTensor &whole, unsigned dimension) const {
    constexpr int64_t own = hidden / lines;
    return partOf(whole, dimension, model * own, (model + 1) * own);
  }
};

void check(const RankRun &run, const Tensors &whole, const std::vector<int64_t> &sizes,
           double bound) {
  REQUIRE(run.error == "");
  for (int64_t rank = 0; rank < 2 * lines; ++rank) {
    INFO("rank " << rank);
    const Place place{rank / lines, rank % lines};
    const Tensors expected = {whole[0], place.rows(whole[1], sizes), place.units(whole[2], 1),
                              place.units(whole[3], 0)};
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO("result " << i);
      CHECK(largestDifference(run.results[size_t(rank)][i], expected[i]) <= bound);
    }
    // Those of a line along "data" have added up the same.
    for (size_t i : {0, 2, 3})
      CHECK(areIdentical(run.results[size_t(rank)][i], run.results[size_t(place.model)][i]));
  }
}

} // namespace

TEST_CASE("rows along one axis of a mesh, and weights along the other") {
  const Mesh mesh = {{"data", 2}, {"model", int32_t(lines)}};
  for (const std::vector<int64_t> &sizes :
       std::vector<std::vector<int64_t>>{{3, 3}, {4, 1}, {0, 2}}) {
    INFO(sizes[0] << " and " << sizes[1] << " rows");
    const Tensors arguments = {*randomTensor(KERATIN_DTYPE_FLOAT32, {sizes[0] + sizes[1], 4}, 3),
                               *randomTensor(KERATIN_DTYPE_FLOAT32, {4, hidden}, 4),
                               *randomTensor(KERATIN_DTYPE_FLOAT32, {hidden, 3}, 5)};
    const Tensors whole = computeWhole(arguments);
    std::vector<Tensors> own;
    for (int64_t rank = 0; rank < 2 * lines; ++rank) {
      const Place place{rank / lines, rank % lines};
      own.push_back({place.rows(arguments[0], sizes), place.units(arguments[1], 1),
                     place.units(arguments[2], 0)});
    }
    Parsed ranks(perceptron(hidden / lines, lines)), sharded(perceptron(hidden / lines, lines));
    sharded.expand(/*shards=*/true);
    check(interpretOnRanks(sharded.function(), own, mesh), whole, sizes, 1e-12);
    check(runOnRanks(ranks.function(), own, mesh), whole, sizes, 1e-4);
  }
}

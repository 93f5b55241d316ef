// Steps of which each rank has a part of the optimizer's states, against the same steps with all of
// them on all ranks, bit by bit: what the reference interpreter makes of --keratin-shard, and
// compiled code on ranks that are threads.
#include "ir/reference/HostConversions.h"
#include "ir/shapes/EvenParts.h"
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

class Step {
public:
  explicit Step(const std::string &text) {
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    context.disableMultithreading();
    inParts = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(inParts);
    whole = cast<ModuleOp>(inParts.get()->clone());
    for (unsigned i = 0; i < functionOf(*whole).getNumArguments(); ++i) {
      auto sharded = functionOf(*whole).getArgAttrOfType<IntegerAttr>(i, "keratin.sharded");
      dimensions.push_back(sharded ? std::optional(unsigned(sharded.getInt())) : std::nullopt);
      isState.push_back(functionOf(*whole).getArgAttr(i, "keratin.in_parts") != nullptr);
      functionOf(*whole).removeArgAttr(i, "keratin.in_parts");
    }
  }

  void check(const std::vector<int64_t> &sizes) {
    INFO(sizes.size() << " ranks");
    std::vector<Tensors> arguments = partsOf(drawArguments(sizes), dimensions, sizes);
    for (size_t rank = 0; rank < sizes.size(); ++rank) {
      Tensors &own = arguments[rank]; // of which the last are the rank and the number of them
      own[own.size() - 2].ints = {int64_t(rank)};
      own[own.size() - 1].ints = {int64_t(sizes.size())};
    }
    std::vector<Tensors> ofParts = arguments;
    for (size_t rank = 0; rank < sizes.size(); ++rank)
      for (size_t i = 0; i < isState.size(); ++i)
        if (isState[i])
          ofParts[rank][i] = elementsOf(arguments[rank][i], rank, sizes.size());
    compare(interpreted(*inParts, ofParts), interpreted(*whole, arguments), sizes.size());
    compare(runOnRanks(functionOf(*inParts), ofParts), runOnRanks(functionOf(*whole), arguments),
            sizes.size());
  }

private:
  static func::FuncOp functionOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

  Tensors drawArguments(const std::vector<int64_t> &sizes) {
    int64_t rows = 0;
    for (int64_t size : sizes)
      rows += size;
    Tensors made;
    for (Type type : functionOf(*whole).getArgumentTypes()) {
      std::vector<int64_t> dims;
      for (const DimExpr &size : getShape(cast<RankedTensorType>(type)))
        dims.push_back(*size.evaluate([&](int64_t) { return std::optional<int64_t>(rows); }));
      made.push_back(*randomTensor(dtypeOf(cast<RankedTensorType>(type).getElementType()), dims,
                                   made.size() + 23));
      for (double &element : made.back().floats) // the mean of squares is none less than 0
        element = isState[made.size() - 1] ? std::abs(element) : element;
    }
    return made;
  }

  // In one line, with padding where a rank has less.
  static HostTensor elementsOf(const HostTensor &state, size_t rank, size_t ranks) {
    EvenParts parts{int64_t(rank), int64_t(ranks)};
    HostTensor own = *makeHostTensor(state.dtype, {parts.length(state.size())->constantValue()});
    const int64_t begin = parts.begin(state.size())->constantValue();
    for (int64_t i = 0; i < own.size() && begin + i < state.size(); ++i)
      own.floats[i] = state.floats[begin + i];
    return own;
  }

  RankRun interpreted(ModuleOp module, const std::vector<Tensors> &arguments) {
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone());
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(passes::createShard());
    REQUIRE(succeeded(manager.run(*copy)));
    return interpretOnRanks(functionOf(*copy), arguments);
  }

  void compare(const RankRun &run, const RankRun &expected, size_t ranks) {
    CHECK(run.error == "");
    REQUIRE(expected.error == "");
    for (size_t rank = 0; rank < ranks; ++rank) {
      REQUIRE(run.results[rank].size() == expected.results[rank].size());
      for (size_t i = 0; i < expected.results[rank].size(); ++i) {
        INFO("result " << i << " of rank " << rank);
        HostTensor wanted = expected.results[rank][i], found = run.results[rank][i];
        auto variable = functionOf(*whole).getResultAttrOfType<IntegerAttr>(i, "keratin.variable");
        if (variable && isState[size_t(variable.getInt()) + 1]) { // behind the one input
          wanted = elementsOf(wanted, rank, ranks);
          clearPadding(found, expected.results[rank][i].size(), rank, ranks);
        }
        if (addsInOrder)
          CHECK(areIdentical(found, wanted));
        else
          CHECK(largestDifference(found, wanted) <= 2e-5);
      }
    }
  }

  static void clearPadding(HostTensor &part, int64_t count, size_t rank, size_t ranks) {
    const int64_t begin = EvenParts{int64_t(rank), int64_t(ranks)}.begin(count)->constantValue();
    for (int64_t i = 0; i < part.size(); ++i)
      if (begin + i >= count)
        part.floats[i] = 0;
  }

  // NCCL adds in an order of its own.
  const bool addsInOrder = deviceOfRank(0).empty();
  MLIRContext context;
  OwningOpRef<ModuleOp> inParts, whole;
  SmallVector<std::optional<unsigned>> dimensions;
  SmallVector<bool> isState;
};

// More ranks than one of the variables has elements, and a rank without rows among them.
void checkAll(const std::string &text) {
  Step step(text);
  for (const std::vector<int64_t> &sizes :
       std::vector<std::vector<int64_t>>{{6}, {4, 4}, {3, 0, 5}, {1, 2, 1, 2}})
    step.check(sizes);
}

} // namespace

TEST_CASE("momentum of a vector") {
  checkAll(R"(
func.func @f(%x: tensor<?x7xf32, #keratin.dims<d0, 7>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %w: tensor<7xf32> {keratin.kind = "variable"},
    %m: tensor<7xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64},
    %ranks: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<7xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<7xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %rate0 = keratin.constant dense<0.1> : tensor<f32>
  %rate = keratin.broadcast %rate0 dims = [] : (tensor<f32>) -> tensor<7xf32>
  %g = keratin.reduce_sum %x axes = [0] : (tensor<?x7xf32, #keratin.dims<d0, 7>>) -> tensor<7xf32>
  %s = keratin.mul %g, %rate : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %d = keratin.mul %m, %rate : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %nm = keratin.add %d, %s : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %nw = keratin.sub %w, %nm : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  return %nw, %nm : tensor<7xf32>, tensor<7xf32>
})");
}

TEST_CASE("Adam of a matrix and a vector, a norm of the gradient, and what reads the state") {
  checkAll(R"(
func.func @f(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %w: tensor<4x3xf32> {keratin.kind = "variable"}, %b: tensor<3xf32> {keratin.kind = "variable"},
    %mw: tensor<4x3xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %vw: tensor<4x3xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %mb: tensor<3xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64},
    %ranks: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<3xf32> {keratin.kind = "output"},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 1 : i64},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 2 : i64}, tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 3 : i64},
        tensor<3xf32> {keratin.kind = "update", keratin.variable = 4 : i64}) {
  %p = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %dy = keratin.tanh %p : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %gw = keratin.dot_general %x, %dy batch = [] x [] contract = [0] x [0]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<4x3xf32>
  %gb = keratin.reduce_sum %dy axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %rate0 = keratin.constant dense<0.1> : tensor<f32>
  %rate = keratin.broadcast %rate0 dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %small = keratin.mul %gw, %rate : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %nmw = keratin.add %mw, %small : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %square = keratin.mul %gw, %gw : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %nvw = keratin.add %vw, %square : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %one0 = keratin.constant dense<1.0> : tensor<f32>
  %one = keratin.broadcast %one0 dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %more = keratin.add %nvw, %one : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %root = keratin.sqrt %more : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %step = keratin.div %nmw, %root : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %nw = keratin.sub %w, %step : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %sb = keratin.mul %gb, %gb : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %norm = keratin.reduce_sum %sb axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %nmb = keratin.add %mb, %gb : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %nb = keratin.sub %b, %nmb : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %norm, %nmb, %nw, %nb, %nmw, %nvw, %nmb : tensor<f32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
})");
}

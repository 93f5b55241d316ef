// Functions of variables of which each rank has a part, against the same with whole ones: what the
// reference interpreter makes of --keratin-shard (exactly so, but for the order of sums), and
// compiled code on ranks that are threads.
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

// The last two arguments say where a rank's part begins, or of equal parts the rank's number, and
// its size.
class Split {
public:
  explicit Split(const std::string &text) {
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    context.disableMultithreading();
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    for (unsigned i = 0; i < functionOf(*module).getNumArguments(); ++i) {
      auto sharded = functionOf(*module).getArgAttrOfType<IntegerAttr>(i, "keratin.sharded");
      if (auto part = functionOf(*module).getArgAttrOfType<DimsAttr>(i, "keratin.own_part"))
        areEqual = part.getDims()[1].isConstant();
      dimensions.push_back(sharded ? std::optional(unsigned(sharded.getInt())) : std::nullopt);
    }
  }

  void check(const std::vector<int64_t> &sizes) {
    INFO(sizes.size() << " ranks");
    Tensors arguments;
    for (Type type : functionOf(*module).getArgumentTypes())
      arguments.push_back(*randomTensor(dtypeOf(cast<RankedTensorType>(type).getElementType()),
                                        getStaticShape(type), arguments.size() + 31));
    std::vector<Tensors> parts = partsOf(arguments, dimensions, sizes);
    for (int64_t rank = 0, begin = 0; rank < int64_t(sizes.size()); begin += sizes[rank++]) {
      parts[rank][dimensions.size() - 2].ints = {areEqual ? rank : begin};
      parts[rank][dimensions.size() - 1].ints = {sizes[rank]};
    }
    Tensors expected = interpretWhole(arguments);
    compare(interpretParts(parts), expected, sizes, 1e-12);
    compare(runOnRanks(functionOf(*module), parts), expected, sizes, 2e-5);
  }

private:
  static func::FuncOp functionOf(ModuleOp of) { return *of.getOps<func::FuncOp>().begin(); }

  static std::vector<int64_t> getStaticShape(Type type) {
    return cast<RankedTensorType>(type).getShape().vec();
  }

  void run(ModuleOp work, bool shards) {
    PassManager manager(&context);
    passes::DifferentiateOptions options;
    options.maxOps = 100000;
    manager.addNestedPass<func::FuncOp>(passes::createDifferentiate(options));
    if (shards)
      manager.addNestedPass<func::FuncOp>(passes::createShard());
    REQUIRE(succeeded(manager.run(work)));
  }

  Tensors interpretWhole(Tensors arguments) {
    OwningOpRef<ModuleOp> whole = cast<ModuleOp>(module->clone());
    run(*whole, /*shards=*/false);
    for (size_t i = arguments.size() - 2; i < arguments.size(); ++i)
      arguments[i].ints = {0};
    EvaluationContext evaluation;
    auto results = interpret(functionOf(*whole), arguments, evaluation);
    INFO(evaluation.error);
    REQUIRE(succeeded(results));
    return *results;
  }

  RankRun interpretParts(const std::vector<Tensors> &parts) {
    OwningOpRef<ModuleOp> work = cast<ModuleOp>(module->clone());
    run(*work, /*shards=*/true);
    return interpretOnRanks(functionOf(*work), parts);
  }

  void compare(const RankRun &run, const Tensors &expected, const std::vector<int64_t> &sizes,
               double bound) {
    CHECK(run.error == "");
    for (size_t rank = 0, begin = 0; rank < run.results.size(); begin += size_t(sizes[rank++])) {
      REQUIRE(run.results[rank].size() == expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        INFO("result " << i << " of rank " << rank);
        auto variable = functionOf(*module).getResultAttrOfType<IntegerAttr>(i, "keratin.variable");
        auto own = variable ? dimensions[size_t(variable.getInt()) + 2] : std::nullopt;
        const HostTensor &found = run.results[rank][i];
        CHECK(largestDifference(found, own ? partOf(expected[i], *own, int64_t(begin),
                                                    int64_t(begin) + sizes[rank])
                                           : expected[i]) <= bound);
        if (!own)
          CHECK(areIdentical(found, run.results[0][i]));
      }
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<std::optional<unsigned>> dimensions;
  bool areEqual = false;
};

// Of a function whose parts are of 4; with equal ones, too.
void checkParts(std::string text, const std::vector<std::vector<int64_t>> &sizes) {
  Split split(text);
  for (const std::vector<int64_t> &each : sizes)
    split.check(each);
  const std::string any = "<d1, d2>", equal = "<2*d1, 2>";
  for (size_t at; (at = text.find(any)) != std::string::npos;)
    text.replace(at, any.size(), equal);
  Split(text).check({2, 2});
}

} // namespace

TEST_CASE("a perceptron by columns, then by rows, in a step") {
  checkParts(R"(
func.func @f(%x: tensor<5x6xf32> {keratin.kind = "input"}, %t: tensor<5x3xf32> {keratin.kind = "input"},
    %w: tensor<6x4xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %b: tensor<4xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %c: tensor<4xf32> {keratin.kind = "variable"},
    %v: tensor<4x3xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %e: tensor<3xf32> {keratin.kind = "variable"},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<5x6xf32> {keratin.kind = "output"},
        tensor<6x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 1 : i64},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 3 : i64}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 4 : i64}) {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %bb = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
  %hb = keratin.add %h, %bb : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %cc = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
  %hc = keratin.mul %hb, %cc : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %a = keratin.tanh %hc : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %y = keratin.dot_general %a, %v batch = [] x [] contract = [1] x [0] : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  %ee = keratin.broadcast %e dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %ye = keratin.add %y, %ee : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %d = keratin.sub %ye, %t : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %dd = keratin.mul %d, %d : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %loss = keratin.reduce_sum %dd axes = [0, 1] : (tensor<5x3xf32>) -> tensor<f32>
  %gx, %gw, %gb, %gv, %ge = keratin.gradients %loss wrt %x, %w, %b, %v, %e
      : (tensor<f32>, tensor<5x6xf32>, tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<3xf32>)
        -> (tensor<5x6xf32>, tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<3xf32>)
  %rate0 = keratin.constant dense<0.1> : tensor<f32>
  %rate = keratin.broadcast %rate0 dims = [] : (tensor<f32>) -> tensor<6x4xf32>
  %sw = keratin.mul %rate, %gw : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %nw = keratin.sub %w, %sw : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %nb = keratin.sub %b, %gb : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nv = keratin.sub %v, %gv : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %ne = keratin.sub %e, %ge : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %loss, %gx, %nw, %nb, %nv, %ne : tensor<f32>, tensor<5x6xf32>, tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<3xf32>
})",
             {{4}, {2, 2}, {1, 3}, {2, 0, 2}});
}

TEST_CASE("a table by columns, heads apart, and a softmax over what ranks have parts of") {
  checkParts(R"(
func.func @f(%ids: tensor<5xi32> {keratin.kind = "input"}, %t: tensor<5x4x2xf32> {keratin.kind = "input"},
    %table: tensor<7x4xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %k: tensor<4x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<5xf32> {keratin.kind = "output"},
        tensor<7x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<4x2xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %zero = keratin.constant dense<0> : tensor<i32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<i32>) -> tensor<5xi32>
  %safe = keratin.mul %ids, %zeros : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %r = keratin.gather %table, %safe : (tensor<7x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  %exp = keratin.exp %r : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %sum = keratin.reduce_sum %exp axes = [1] : (tensor<5x4xf32>) -> tensor<5xf32>
  %sums = keratin.broadcast %sum dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
  %p = keratin.div %exp, %sums : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %flat = keratin.reshape %k : (tensor<4x2xf32>) -> tensor<8xf32>
  %apart = keratin.reshape %flat : (tensor<8xf32>) -> tensor<4x2xf32>
  %q = keratin.broadcast %p dims = [0, 1] : (tensor<5x4xf32>) -> tensor<5x4x2xf32>
  %kk = keratin.broadcast %apart dims = [1, 2] : (tensor<4x2xf32>) -> tensor<5x4x2xf32>
  %qk = keratin.mul %q, %kk : (tensor<5x4x2xf32>, tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %d = keratin.sub %qk, %t : (tensor<5x4x2xf32>, tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %dd = keratin.mul %d, %d : (tensor<5x4x2xf32>, tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %loss = keratin.reduce_sum %dd axes = [0, 1, 2] : (tensor<5x4x2xf32>) -> tensor<f32>
  %largest = keratin.reduce_max %r axes = [1] : (tensor<5x4xf32>) -> tensor<5xf32>
  %gt, %gk = keratin.gradients %loss wrt %table, %k : (tensor<f32>, tensor<7x4xf32>, tensor<4x2xf32>) -> (tensor<7x4xf32>, tensor<4x2xf32>)
  %nt = keratin.sub %table, %gt : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %nk = keratin.sub %k, %gk : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %loss, %largest, %nt, %nk : tensor<f32>, tensor<5xf32>, tensor<7x4xf32>, tensor<4x2xf32>
})",
             {{4}, {2, 2}, {1, 3}, {1, 2, 1}});
}

// Which may be rows that a rank has, or has not, or has none of.
TEST_CASE("a table by rows") {
  checkParts(R"(
func.func @f(%numbers: tensor<6xi32> {keratin.kind = "input"}, %t: tensor<6x32xf32> {keratin.kind = "input"},
    %table: tensor<4x32xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %m: tensor<4x32xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<6x32xf32> {keratin.kind = "output"},
        tensor<4x32xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<4x32xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %four = keratin.constant dense<4> : tensor<i32>
  %fours = keratin.broadcast %four dims = [] : (tensor<i32>) -> tensor<6xi32>
  %ids = keratin.mod %numbers, %fours : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %r = keratin.gather %table, %ids : (tensor<4x32xf32>, tensor<6xi32>) -> tensor<6x32xf32>
  %a = keratin.tanh %r : (tensor<6x32xf32>) -> tensor<6x32xf32>
  %d = keratin.sub %a, %t : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  %dd = keratin.mul %d, %d : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  %loss = keratin.reduce_sum %dd axes = [0, 1] : (tensor<6x32xf32>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %table : (tensor<f32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %sum = keratin.add %m, %g : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %one = keratin.constant dense<1> : tensor<i32>
  %ones = keratin.broadcast %one dims = [] : (tensor<i32>) -> tensor<6xi32>
  %counts = keratin.scatter_add %ids, %ones : (tensor<6xi32>, tensor<6xi32>) -> tensor<4xi32>
  %zero = keratin.constant dense<0> : tensor<i32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<i32>) -> tensor<4xi32>
  %are = keratin.compare gt %counts, %zeros : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %named = keratin.broadcast %are dims = [0] : (tensor<4xi1>) -> tensor<4x32xi1>
  %nm = keratin.select %named, %sum, %m : (tensor<4x32xi1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %moved = keratin.sub %table, %nm : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %nt = keratin.select %named, %moved, %table : (tensor<4x32xi1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return %loss, %r, %nt, %nm : tensor<f32>, tensor<6x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
})",
             {{4}, {2, 2}, {1, 3}, {2, 0, 2}});
}

TEST_CASE("filters by output channels, then by input channels") {
  checkParts(R"(
func.func @f(%x: tensor<2x6x3xf32> {keratin.kind = "input"}, %t: tensor<2x3x5xf32> {keratin.kind = "input"},
    %w: tensor<3x3x4xf32> {keratin.kind = "variable", keratin.sharded = 2 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %v: tensor<3x4x5xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<2x6x3xf32> {keratin.kind = "output"},
        tensor<3x3x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<3x4x5xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %h = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <1> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
  %p = keratin.window_max %h window = [1, 2, 1] strides = [1, 2, 1] low = <0, 0, 0> : (tensor<2x6x4xf32>) -> tensor<2x3x4xf32>
  %s = keratin.window_sum %p window = [1, 2, 1] strides = [1, 1, 1] low = <0, 0, 0> x_dilation = [1, 1, 1] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = keratin.convolution %s, %v dims = "b0c,0cf->b0f" strides = [1] low = <1> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  %d = keratin.sub %y, %t : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %a = keratin.tanh %d : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %loss = keratin.reduce_sum %a axes = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<f32>
  %gx, %gw, %gv = keratin.gradients %loss wrt %x, %w, %v
      : (tensor<f32>, tensor<2x6x3xf32>, tensor<3x3x4xf32>, tensor<3x4x5xf32>) -> (tensor<2x6x3xf32>, tensor<3x3x4xf32>, tensor<3x4x5xf32>)
  %nw = keratin.sub %w, %gw : (tensor<3x3x4xf32>, tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
  %nv = keratin.sub %v, %gv : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %loss, %gx, %nw, %nv : tensor<f32>, tensor<2x6x3xf32>, tensor<3x3x4xf32>, tensor<3x4x5xf32>
})",
             {{4}, {2, 2}, {1, 3}, {1, 2, 1}});
}

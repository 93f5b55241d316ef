// Functions of which each rank computes a part, against the whole: what the reference interpreter
// makes of all of the arguments, what it makes of the parts with --keratin-shard (exactly so, but
// for the order of sums), and compiled code on ranks that are threads.
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/runtime/comm/Ranks.h"
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

class Sharded {
public:
  // The function's arguments that are sharded say along which dimension.
  explicit Sharded(const std::string &text) {
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    context.disableMultithreading();
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    function = *module->getOps<func::FuncOp>().begin();
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto dimension = function.getArgAttrOfType<IntegerAttr>(i, "keratin.sharded");
      dimensions.push_back(dimension ? std::optional(unsigned(dimension.getInt())) : std::nullopt);
    }
  }

  // Sizes of the ranks' parts. Integers are drawn below `most`.
  void check(const std::vector<int64_t> &sizes, int64_t most = 5, double bound = 2e-5) {
    int64_t whole = 0;
    for (int64_t size : sizes)
      whole += size;
    INFO("parts: " << llvm::join(
             llvm::map_range(sizes, [](int64_t n) { return std::to_string(n); }), ", "));
    Tensors arguments;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.push_back(argument(i, whole, most));
    std::vector<Tensors> parts = partsOf(arguments, dimensions, sizes);
    Tensors expected = interpretWhole(arguments);
    compare(interpretParts(parts), expected, sizes, 1e-12);
    compare(runOnRanks(function, parts), expected, sizes, bound);
  }

private:
  HostTensor argument(unsigned number, int64_t whole, int64_t most) {
    Shape shape = getShape(function.getArgument(number));
    std::vector<int64_t> dims;
    for (const DimExpr &size : shape)
      dims.push_back(*size.evaluate([&](int64_t) { return std::optional<int64_t>(whole); }));
    HostTensor made =
        *randomTensor(dtypeOf(getElementType(function.getArgument(number))), dims, number + 17);
    if (made.dtype != KERATIN_DTYPE_BOOL)
      for (int64_t &element : made.ints)
        element = (element + 16) % most;
    return made;
  }

  func::FuncOp cloneWithoutParts(ModuleOp into) {
    auto copy = cast<func::FuncOp>(function->clone());
    into.push_back(copy);
    for (unsigned i = 0; i < copy.getNumArguments(); ++i)
      copy.removeArgAttr(i, "keratin.sharded");
    return copy;
  }

  void differentiate(ModuleOp work, bool shards) {
    PassManager manager(&context);
    passes::DifferentiateOptions options;
    options.maxOps = 100000;
    manager.addNestedPass<func::FuncOp>(passes::createDifferentiate(options));
    if (shards)
      manager.addNestedPass<func::FuncOp>(passes::createShard());
    REQUIRE(succeeded(manager.run(work)));
  }

  Tensors interpretWhole(const Tensors &arguments) {
    OwningOpRef<ModuleOp> work = ModuleOp::create(function.getLoc());
    func::FuncOp copy = cloneWithoutParts(*work);
    differentiate(*work, /*shards=*/false);
    EvaluationContext evaluation;
    auto results = interpret(copy, arguments, evaluation);
    INFO(evaluation.error);
    REQUIRE(succeeded(results));
    return *results;
  }

  RankRun interpretParts(const std::vector<Tensors> &parts) {
    OwningOpRef<ModuleOp> work = ModuleOp::create(function.getLoc());
    auto copy = cast<func::FuncOp>(function->clone());
    work->push_back(copy);
    differentiate(*work, /*shards=*/true);
    return interpretOnRanks(copy, parts);
  }

  void compare(const RankRun &run, const Tensors &expected, const std::vector<int64_t> &sizes,
               double bound) {
    CHECK(run.error == "");
    const std::vector<Tensors> &ranks = run.results;
    for (size_t rank = 0, begin = 0; rank < ranks.size(); begin += size_t(sizes[rank++])) {
      INFO("rank " << rank);
      REQUIRE(ranks[rank].size() == expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        INFO("result " << i);
        auto own = resultDimension(unsigned(i));
        HostTensor wanted =
            own ? partOf(expected[i], *own, int64_t(begin), int64_t(begin) + sizes[rank])
                : expected[i];
        CHECK(largestDifference(ranks[rank][i], wanted) <= bound);
        // What all ranks have is the same on all of them, bit by bit.
        if (!own)
          CHECK(areIdentical(ranks[rank][i], ranks[0][i]));
      }
    }
  }

  std::optional<unsigned> resultDimension(unsigned result) {
    auto type = cast<RankedTensorType>(function.getResultTypes()[result]);
    for (auto [number, size] : llvm::enumerate(getShape(type)))
      if (!size.isConstant())
        return unsigned(number);
    return std::nullopt;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SmallVector<std::optional<unsigned>> dimensions;
};

// Of one rank to three, equal and not; one with nothing.
void checkAll(const std::string &text, int64_t most = 5) {
  Sharded sharded(text);
  for (const std::vector<int64_t> &sizes :
       std::vector<std::vector<int64_t>>{{6}, {4, 4}, {1, 6}, {3, 0, 5}})
    sharded.check(sizes, most);
}

} // namespace

TEST_CASE("a mean and a variance over all ranks") {
  checkAll(R"(
func.func @f(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.sharded = 0 : i64})
    -> (tensor<5xf32>, tensor<5xf32>, tensor<?x5xf32, #keratin.dims<d0, 5>>) {
  %n0 = keratin.dim %x {axis = 0 : i64} : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<f32>
  %n = keratin.broadcast %n0 dims = [] : (tensor<f32>) -> tensor<5xf32>
  %s = keratin.reduce_sum %x axes = [0] : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<5xf32>
  %m = keratin.div %s, %n : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %mb = keratin.broadcast %m dims = [1] : (tensor<5xf32>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %d = keratin.sub %x, %mb : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %dd = keratin.mul %d, %d : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %v = keratin.reduce_sum %dd axes = [0] : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<5xf32>
  return %m, %v, %d : tensor<5xf32>, tensor<5xf32>, tensor<?x5xf32, #keratin.dims<d0, 5>>
})");
}

TEST_CASE("a perceptron's loss, its gradients and what becomes of its weights") {
  checkAll(R"(
func.func @f(%x: tensor<?x6xf32, #keratin.dims<d0, 6>> {keratin.sharded = 0 : i64, keratin.kind = "input"},
    %t: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64, keratin.kind = "input"},
    %w: tensor<6x4xf32> {keratin.kind = "variable"}, %b: tensor<4xf32> {keratin.kind = "variable"},
    %v: tensor<4x3xf32> {keratin.kind = "variable"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output"},
        tensor<6x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64},
        tensor<4xf32> {keratin.kind = "update", keratin.variable = 1 : i64},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 2 : i64}) {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0]
      : (tensor<?x6xf32, #keratin.dims<d0, 6>>, tensor<6x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %bb = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %hb = keratin.add %h, %bb : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %a = keratin.tanh %hb : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.dot_general %a, %v batch = [] x [] contract = [1] x [0]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %e = keratin.sub %y, %t : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %ee = keratin.mul %e, %e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %s = keratin.reduce_sum %ee axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<f32>
  %n = keratin.dim %x {axis = 0 : i64} : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<f32>
  %loss = keratin.div %s, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %gw, %gb, %gv = keratin.gradients %loss wrt %w, %b, %v
      : (tensor<f32>, tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>)
  %nw = keratin.sub %w, %gw : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %nb = keratin.sub %b, %gb : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nv = keratin.sub %v, %gv : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %loss, %y, %nw, %nb, %nv : tensor<f32>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<6x4xf32>, tensor<4xf32>, tensor<4x3xf32>
})");
}

TEST_CASE("a convolution's filter") {
  checkAll(R"(
func.func @f(%x: tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>> {keratin.sharded = 0 : i64}, %w: tensor<3x3x2x4xf32>)
    -> (tensor<f32>, tensor<3x3x2x4xf32>) {
  %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = #keratin.dims<1, 1> x_dilation = [1, 1]
      dilation = [1, 1] reversed = [false, false]
      : (tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>>, tensor<3x3x2x4xf32>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %t = keratin.tanh %y : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %m = keratin.window_max %t window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0>
      : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>
  %s = keratin.reduce_sum %m axes = [0, 1, 2, 3] : (tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>) -> tensor<f32>
  %g = keratin.gradients %s wrt %w : (tensor<f32>, tensor<3x3x2x4xf32>) -> tensor<3x3x2x4xf32>
  return %s, %g : tensor<f32>, tensor<3x3x2x4xf32>
})");
}

TEST_CASE("rows of a table, and their gradient") {
  checkAll(R"(
func.func @f(%ids: tensor<?x3xi32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}, %table: tensor<5x4xf32>)
    -> (tensor<f32>, tensor<5x4xf32>) {
  %r = keratin.gather %table, %ids : (tensor<5x4xf32>, tensor<?x3xi32, #keratin.dims<d0, 3>>) -> tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>>
  %e = keratin.exp %r : (tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>>) -> tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>>
  %s = keratin.reduce_sum %e axes = [0, 1, 2] : (tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>>) -> tensor<f32>
  %g = keratin.gradients %s wrt %table : (tensor<f32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %s, %g : tensor<f32>, tensor<5x4xf32>
})");
}

// One after the other in a list, as many of each sample.
TEST_CASE("rows of a rank's own samples, by their numbers") {
  checkAll(R"(
func.func @f(%x: tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>> {keratin.sharded = 0 : i64}, %classes: tensor<?x3xi64, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64},
    %w: tensor<2xf32>) -> (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<2xf32>, tensor<2xf32>) {
  %list = keratin.reshape %x : (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>) -> tensor<?x2xf32, #keratin.dims<5*d0, 2>>
  %wb = keratin.broadcast %w dims = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #keratin.dims<5*d0, 2>>
  %scaled = keratin.mul %list, %wb : (tensor<?x2xf32, #keratin.dims<5*d0, 2>>, tensor<?x2xf32, #keratin.dims<5*d0, 2>>) -> tensor<?x2xf32, #keratin.dims<5*d0, 2>>
  %sample = keratin.iota {axis = 0 : i64} : tensor<?x3xi64, #keratin.dims<d0, 3>>
  %five = keratin.constant dense<5> : tensor<i64>
  %fives = keratin.broadcast %five dims = [] : (tensor<i64>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %first = keratin.mul %sample, %fives : (tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %places = keratin.add %first, %classes : (tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %y = keratin.gather %scaled, %places : (tensor<?x2xf32, #keratin.dims<5*d0, 2>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %z = keratin.tanh %y : (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %dx, %dw = keratin.gradients %z wrt %x, %w : (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<2xf32>)
      -> (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<2xf32>)
  %squares = keratin.mul %dx, %dx : (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>) -> tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>
  %ddw = keratin.gradients %squares wrt %w : (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<2xf32>) -> tensor<2xf32>
  return %z, %dx, %dw, %ddw : tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>, tensor<2xf32>, tensor<2xf32>
})");
}

TEST_CASE("extremes, conditions and counts") {
  checkAll(R"(
func.func @f(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}, %c: tensor<?xi1, #keratin.dims<d0>> {keratin.sharded = 0 : i64})
    -> (tensor<3xf32>, tensor<3xf32>, tensor<i1>, tensor<i1>, tensor<i64>) {
  %a = keratin.reduce_max %x axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %b = keratin.reduce_min %x axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %any = keratin.reduce_any %c axes = [0] : (tensor<?xi1, #keratin.dims<d0>>) -> tensor<i1>
  %all = keratin.reduce_all %c axes = [0] : (tensor<?xi1, #keratin.dims<d0>>) -> tensor<i1>
  %n = keratin.dim %c {axis = 0 : i64} : (tensor<?xi1, #keratin.dims<d0>>) -> tensor<i64>
  return %a, %b, %any, %all, %n : tensor<3xf32>, tensor<3xf32>, tensor<i1>, tensor<i1>, tensor<i64>
})");
}

TEST_CASE("rows of all steps in one product, and apart again") {
  checkAll(R"(
func.func @f(%x: tensor<4x?x3xf32, #keratin.dims<4, d0, 3>> {keratin.sharded = 1 : i64}, %w: tensor<3x2xf32>)
    -> (tensor<4x?x2xf32, #keratin.dims<4, d0, 2>>, tensor<2xf32>) {
  %rows = keratin.reshape %x : (tensor<4x?x3xf32, #keratin.dims<4, d0, 3>>) -> tensor<?x3xf32, #keratin.dims<4*d0, 3>>
  %p = keratin.dot_general %rows, %w batch = [] x [] contract = [1] x [0]
      : (tensor<?x3xf32, #keratin.dims<4*d0, 3>>, tensor<3x2xf32>) -> tensor<?x2xf32, #keratin.dims<4*d0, 2>>
  %s = keratin.reduce_sum %p axes = [0] : (tensor<?x2xf32, #keratin.dims<4*d0, 2>>) -> tensor<2xf32>
  %y = keratin.reshape %p : (tensor<?x2xf32, #keratin.dims<4*d0, 2>>) -> tensor<4x?x2xf32, #keratin.dims<4, d0, 2>>
  return %y, %s : tensor<4x?x2xf32, #keratin.dims<4, d0, 2>>, tensor<2xf32>
})");
}

TEST_CASE("a recurrence over a batch, and the gradient that its steps add up") {
  checkAll(R"(
func.func @f(%x: tensor<4x?x3xf32, #keratin.dims<4, d0, 3>> {keratin.sharded = 1 : i64}, %w: tensor<3x3xf32>)
    -> (tensor<f32>, tensor<3x3xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %h0 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %h = keratin.scan length = #keratin.dims<4> init(%h0) over(%x) with(%w)
      : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<4x?x3xf32, #keratin.dims<4, d0, 3>>, tensor<3x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>> {
  ^bb0(%t: tensor<i64>, %s: tensor<?x3xf32, #keratin.dims<d0, 3>>, %e: tensor<?x3xf32, #keratin.dims<d0, 3>>, %v: tensor<3x3xf32>):
    %p = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0]
        : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    %q = keratin.add %p, %e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    %n = keratin.tanh %q : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    keratin.yield %n : tensor<?x3xf32, #keratin.dims<d0, 3>>
  }
  %loss = keratin.reduce_sum %h axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %loss, %g : tensor<f32>, tensor<3x3xf32>
})");
}

TEST_CASE("a step that needs what all ranks have in it") {
  checkAll(R"(
func.func @f(%x: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.sharded = 1 : i64}) -> tensor<f32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %y = keratin.scan length = #keratin.dims<4> init(%zero) over(%x) with()
      : (tensor<f32>, tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<?xf32, #keratin.dims<d0>>):
    %p = keratin.reduce_sum %e axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    %q = keratin.add %p, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %n = keratin.tanh %q : (tensor<f32>) -> tensor<f32>
    keratin.yield %n : tensor<f32>
  }
  return %y : tensor<f32>
})");
}

TEST_CASE("random bits are those of one process, and so are masks") {
  checkAll(R"(
func.func @f(%x: tensor<?x37xf32, #keratin.dims<d0, 37>> {keratin.sharded = 0 : i64}, %draw: tensor<i64>)
    -> (tensor<?x37xui32, #keratin.dims<d0, 37>>, tensor<?x37xf32, #keratin.dims<d0, 37>>, tensor<f32>) {
  %bits = keratin.random_bits %draw {seed = 77 : i64} : (tensor<i64>) -> tensor<?x37xui32, #keratin.dims<d0, 37>>
  %other = keratin.random_bits %draw {seed = 5 : i64} : (tensor<i64>) -> tensor<?x37xui32, #keratin.dims<d0, 37>>
  %half0 = keratin.constant dense<2147483648> : tensor<ui32>
  %half = keratin.broadcast %half0 dims = [] : (tensor<ui32>) -> tensor<?x37xui32, #keratin.dims<d0, 37>>
  %keep = keratin.compare lt %other, %half : (tensor<?x37xui32, #keratin.dims<d0, 37>>, tensor<?x37xui32, #keratin.dims<d0, 37>>) -> tensor<?x37xi1, #keratin.dims<d0, 37>>
  %zero0 = keratin.constant dense<0.0> : tensor<f32>
  %zero = keratin.broadcast %zero0 dims = [] : (tensor<f32>) -> tensor<?x37xf32, #keratin.dims<d0, 37>>
  %y = keratin.select %keep, %x, %zero : (tensor<?x37xi1, #keratin.dims<d0, 37>>, tensor<?x37xf32, #keratin.dims<d0, 37>>, tensor<?x37xf32, #keratin.dims<d0, 37>>) -> tensor<?x37xf32, #keratin.dims<d0, 37>>
  %s = keratin.reduce_sum %y axes = [0, 1] : (tensor<?x37xf32, #keratin.dims<d0, 37>>) -> tensor<f32>
  return %bits, %y, %s : tensor<?x37xui32, #keratin.dims<d0, 37>>, tensor<?x37xf32, #keratin.dims<d0, 37>>, tensor<f32>
})");
}

TEST_CASE("an index outside on one rank fails the call on all, and nothing is updated") {
  const char *text = R"(
func.func @f(%ids: tensor<?xi32, #keratin.dims<d0>> {keratin.sharded = 0 : i64, keratin.kind = "input"}, %table: tensor<5x4xf32> {keratin.kind = "variable"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<5x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %r = keratin.gather %table, %ids : (tensor<5x4xf32>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %s = keratin.reduce_sum %r axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.broadcast %s dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
  %n = keratin.add %table, %b : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %s, %n : tensor<4xf32>, tensor<5x4xf32>
})";
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  std::vector<std::unique_ptr<CompiledRunner>> runners;
  for (int rank = 0; rank < 3; ++rank)
    runners.push_back(std::make_unique<CompiledRunner>(function, compiler::CompileOptions(),
                                                       deviceOfRank(size_t(rank))));
  HostTensor table = *randomTensor(KERATIN_DTYPE_FLOAT32, {5, 4}, 3);
  std::vector<std::string> errors = onRanks<std::string>(3, [&](keratin_group_t *group, int rank) {
    HostTensor ids = *makeHostTensor(KERATIN_DTYPE_INT32, {2});
    ids.ints = {1, rank == 1 ? 7 : 2};
    runners[rank]->callWith(group);
    bool isRefused = !runners[rank]->run(Tensors{ids, table});
    std::string first = isRefused ? runners[rank]->error : "no error";
    // The ranks are in step: the next call is right.
    runners[rank]->error.clear();
    ids.ints = {0, 0};
    if (!runners[rank]->run(Tensors{ids, table}))
      first += "; then " + runners[rank]->error;
    return first;
  });
  using Catch::Matchers::Contains;
  CHECK_THAT(errors[1], Contains("gather") && !Contains("then"));
  for (int rank : {0, 2}) {
    CHECK_THAT(errors[rank], Contains("rank 1 has failed: ") && Contains("gather"));
    CHECK_THAT(errors[rank], !Contains("then"));
  }
}

TEST_CASE("what needs the elements of other ranks") {
  checkAll(R"(
func.func @f(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}, %v: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.sharded = 1 : i64})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<4x?xf32, #keratin.dims<4, d0>>, tensor<3xf32>, tensor<f32>, tensor<f32>,
        tensor<?x3xf32, #keratin.dims<d0, 3>>) attributes {keratin.gathers_parts} {
  %running = keratin.cumsum %x {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %backwards = keratin.reverse %v axes = [1] : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4x?xf32, #keratin.dims<4, d0>>
  %products = keratin.reduce_prod %x axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %similar = keratin.dot_general %x, %x batch = [] x [] contract = [1] x [1]
      : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>>
  %tanh = keratin.tanh %similar : (tensor<?x?xf32, #keratin.dims<d0, d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>>
  %s = keratin.reduce_sum %tanh axes = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d0>>) -> tensor<f32>
  %padded = keratin.pad %x low = #keratin.dims<1, 0> interior = [0, 0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0 + 2, 3>>
  %exp = keratin.exp %padded : (tensor<?x3xf32, #keratin.dims<d0 + 2, 3>>) -> tensor<?x3xf32, #keratin.dims<d0 + 2, 3>>
  %p = keratin.reduce_sum %exp axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0 + 2, 3>>) -> tensor<f32>
  %g = keratin.gradients %s wrt %x : (tensor<f32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %running, %backwards, %products, %s, %p, %g
      : tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<4x?xf32, #keratin.dims<4, d0>>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<?x3xf32, #keratin.dims<d0, 3>>
})");
}

TEST_CASE("elements in another order than that of ranks") {
  checkAll(R"(
func.func @f(%x: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.sharded = 1 : i64}) -> tensor<f32> attributes {keratin.gathers_parts} {
  %rows = keratin.reshape %x : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<?xf32, #keratin.dims<4*d0>>
  %running = keratin.cumsum %rows {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<4*d0>>) -> tensor<?xf32, #keratin.dims<4*d0>>
  %squares = keratin.mul %running, %rows : (tensor<?xf32, #keratin.dims<4*d0>>, tensor<?xf32, #keratin.dims<4*d0>>) -> tensor<?xf32, #keratin.dims<4*d0>>
  %y = keratin.reduce_sum %squares axes = [0] : (tensor<?xf32, #keratin.dims<4*d0>>) -> tensor<f32>
  return %y : tensor<f32>
})");
}

TEST_CASE("a loop along what each rank has a part of") {
  checkAll(R"(
func.func @f(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}) -> tensor<3xf32> attributes {keratin.gathers_parts} {
  %zero = keratin.constant dense<0.0> : tensor<3xf32>
  %y = keratin.scan length = #keratin.dims<d0> init(%zero) over(%x) with() : (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32> {
  ^bb0(%t: tensor<i64>, %state: tensor<3xf32>, %row: tensor<3xf32>):
    %next = keratin.add %state, %row : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %bounded = keratin.tanh %next : (tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %bounded : tensor<3xf32>
  }
  return %y : tensor<3xf32>
})");
}

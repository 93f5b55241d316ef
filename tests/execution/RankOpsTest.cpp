// What the ranks of a job do together, on ranks that are threads, whose parts have different
// lengths: interpreted, and compiled over memory that they share.
#include "ir/reference/HostConversions.h"
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
using Catch::Matchers::Contains;

namespace {

// Rows of two; the call finds out how many there are in all.
const std::string rows = "tensor<?x2xf32, #keratin.dims<d0, 2>>";
const std::string all = "tensor<?x2xf32, #keratin.dims<d1, 2>>";

class Program {
public:
  // Of a value of type `rows` each; `body` has %x, and d1 for the rows of all ranks.
  Program(const std::string &body, const std::string &results, const std::string &types) {
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    context.disableMultithreading();
    module = parseSourceString<ModuleOp>("func.func @f(%x: " + rows + ") -> (" + types + R"() {
  %own = keratin.dim %x {axis = 0 : i64} : ()" +
                                             rows + R"() -> tensor<i64>
  %count = keratin.all_reduce sum %own : tensor<i64>
  keratin.define_size 1 %count : tensor<i64>
)" + body + "  return " + results + " : " + types +
                                             "\n}",
                                         &context);
    REQUIRE(module);
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(passes::createDifferentiate());
    REQUIRE(succeeded(manager.run(*module)));
  }

  func::FuncOp function() { return *module->getOps<func::FuncOp>().begin(); }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// What each rank has of x.
struct Parts {
  explicit Parts(const std::vector<int64_t> &lengths) : lengths(lengths) {
    int64_t total = 0;
    for (int64_t length : lengths)
      total += length;
    whole = *randomTensor(KERATIN_DTYPE_FLOAT32, {total, 2}, 5);
    int64_t begin = 0;
    for (int64_t length : lengths) {
      own.push_back({partOf(whole, 0, begin, begin + length)});
      begin += length;
    }
  }
  std::vector<int64_t> lengths;
  HostTensor whole;
  std::vector<Tensors> own;
};

HostTensor scaled(HostTensor tensor, double factor) {
  for (double &element : tensor.floats)
    element *= factor;
  return tensor;
}

using Expected = std::function<HostTensor(const Parts &, size_t rank)>;

void check(const std::string &body, const std::string &type, const Expected &expected) {
  Program program(body, "%y", type);
  for (const std::vector<int64_t> &lengths :
       {std::vector<int64_t>{3}, {2, 5}, {4, 0, 1}, {0, 0}, {1, 1, 1}}) {
    Parts parts(lengths);
    for (bool isCompiled : {false, true}) {
      RankRun run = isCompiled ? runOnRanks(program.function(), parts.own)
                               : interpretOnRanks(program.function(), parts.own);
      REQUIRE(run.error == "");
      for (size_t rank = 0; rank < lengths.size(); ++rank) {
        INFO((isCompiled ? "compiled" : "interpreted")
             << ", rank " << rank << " of " << lengths.size());
        HostTensor wanted = expected(parts, rank);
        REQUIRE(run.results[rank][0].dims == wanted.dims);
        CHECK(largestDifference(run.results[rank][0], wanted) <= 1e-5);
      }
    }
  }
}

} // namespace

// The rank's own of them, in the opposite order.
TEST_CASE("all ranks get the rows of all") {
  check("  %all = keratin.all_gather %x : " + rows + " -> " + all + R"(
  %back = keratin.reverse %all axes = [0] : ()" +
            all + ") -> " + all + R"(
  %y = keratin.reduce_scatter max %back : )" +
            all + " -> " + rows + "\n",
        rows, [](const Parts &parts, size_t rank) {
          int64_t end = parts.whole.dims[0];
          for (size_t before = 0; before < rank; ++before)
            end -= parts.lengths[before];
          HostTensor own = partOf(parts.whole, 0, end - parts.lengths[rank], end);
          for (int64_t row = 0; row < own.dims[0] / 2; ++row)
            std::swap_ranges(own.floats.begin() + 2 * row, own.floats.begin() + 2 * row + 2,
                             own.floats.end() - 2 * row - 2);
          return own;
        });
}

TEST_CASE("each rank gets its rows of a sum, and of the largest") {
  for (std::string reduction : {"sum", "max", "min"})
    check("  %all = keratin.all_gather %x : " + rows + " -> " + all +
              "\n  %y = keratin.reduce_scatter " + reduction + " %all : " + all + " -> " + rows +
              "\n",
          rows, [&](const Parts &parts, size_t rank) {
            double ranks = reduction == "sum" ? double(parts.own.size()) : 1;
            return scaled(parts.own[rank][0], ranks);
          });
}

// Of the sum of what all ranks have made of it: each has all rows.
TEST_CASE("gradients come back from all ranks") {
  check("  %all = keratin.all_gather %x : " + rows + " -> " + all + R"(
  %squares = keratin.mul %all, %all : ()" +
            all + ", " + all + ") -> " + all + R"(
  %loss = keratin.reduce_sum %squares axes = [0, 1] : ()" +
            all + R"() -> tensor<f32>
  %y = keratin.gradients %loss wrt %x : (tensor<f32>, )" +
            rows + ") -> " + rows + "\n",
        rows, [](const Parts &parts, size_t rank) {
          return scaled(parts.own[rank][0], 2 * double(parts.own.size()));
        });
}

TEST_CASE("other rows than all ranks have are told to all of them") {
  Program program("  %y = keratin.all_gather %x : " + rows + " -> " + rows + "\n", "%y", rows);
  Parts parts({2, 3});
  CHECK_THAT(interpretOnRanks(program.function(), parts.own).error,
             Contains("all_gather: the ranks do not want the same"));
  CHECK_THAT(runOnRanks(program.function(), parts.own).error,
             Contains("has room for 4 elements; all ranks together send 10"));
}

TEST_CASE("one rank alone has all rows") {
  Program program("  %y = keratin.all_gather %x : " + rows + " -> tensor<3x2xf32>\n", "%y",
                  "tensor<3x2xf32>");
  CompiledRunner runner(program.function());
  CHECK(runner.run(Parts({3}).own[0]));
  CHECK(!runner.run(Parts({2}).own[0]));
  CHECK_THAT(runner.error, Contains("4 elements to send and 6 to receive; of one rank they must be "
                                    "as many"));
}

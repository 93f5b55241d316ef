// What the ranks of a job do together, on ranks that are threads, whose parts have different
// lengths: interpreted, and compiled over memory that they share.
#include "ir/dialect/RankNumbers.h"
#include "ir/interfaces/OpProperties.h"
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

  // All that ranks do together, they do along the axis, and know their places there.
  void setAxis(StringRef axis) {
    module->walk([&](Operation *op) {
      if (isCollective(op) || isRankNumber(op))
        op->setAttr("mesh_axis", StringAttr::get(&context, axis));
    });
  }

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

using Lengths = std::vector<std::vector<int64_t>>;

// On ranks of which each has what one of a job has, by its place along the axis "line", if any.
void checkOnRanks(func::FuncOp function, const Parts &parts, const std::vector<size_t> &places,
                  const Mesh &mesh, const Expected &expected) {
  std::vector<Tensors> own;
  for (size_t place : places)
    own.push_back(parts.own[place]);
  for (bool isCompiled : {false, true}) {
    RankRun run =
        isCompiled ? runOnRanks(function, own, mesh) : interpretOnRanks(function, own, mesh);
    REQUIRE(run.error == "");
    for (size_t rank = 0; rank < places.size(); ++rank) {
      INFO((isCompiled ? "compiled" : "interpreted")
           << ", rank " << rank << " of " << places.size() << ", axes " << mesh.size());
      HostTensor wanted = expected(parts, places[rank]);
      REQUIRE(run.results[rank][0].dims == wanted.dims);
      CHECK(largestDifference(run.results[rank][0], wanted) <= 1e-5);
    }
  }
}

// As a job, and as each line of a mesh of two, whose ranks follow one another or do not.
void check(const std::string &body, const std::string &type, const Expected &expected,
           const Lengths &jobs = {{3}, {2, 5}, {4, 0, 1}, {0, 0}, {1, 1, 1}}) {
  Program program(body, "%y", type), alongLine(body, "%y", type);
  alongLine.setAxis("line");
  for (const std::vector<int64_t> &lengths : jobs) {
    const Parts parts(lengths);
    std::vector<size_t> all, behind, between;
    for (size_t place = 0; place < lengths.size(); ++place) {
      all.push_back(place);
      between.insert(between.end(), 2, place);
    }
    behind = all;
    behind.insert(behind.end(), all.begin(), all.end());
    checkOnRanks(program.function(), parts, all, {}, expected);
    const auto count = int32_t(lengths.size());
    checkOnRanks(alongLine.function(), parts, behind, {{"other", 2}, {"line", count}}, expected);
    checkOnRanks(alongLine.function(), parts, between, {{"line", count}, {"other", 2}}, expected);
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

TEST_CASE("each rank gets its rows of a sum, of a mean and of the largest") {
  for (std::string reduction : {"sum", "max", "min", "mean"})
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

// y, and with the op's gradient that of the sum of y * y over all ranks.
static void checkMoved(const std::string &op, const Expected &expected, const Expected &gradient,
                       const Lengths &jobs) {
  check("  %y = keratin." + op + " : " + rows + "\n", rows, expected, jobs);
  check("  %m = keratin." + op + " : " + rows + R"(
  %squares = keratin.mul %m, %m : ()" +
            rows + ", " + rows + ") -> " + rows + R"(
  %loss = keratin.reduce_sum %squares axes = [0, 1] : ()" +
            rows + R"() -> tensor<f32>
  %y = keratin.gradients %loss wrt %x : (tensor<f32>, )" +
            rows + ") -> " + rows + "\n",
        rows, gradient, jobs);
}

TEST_CASE("all ranks get what one has, which gets what comes back") {
  for (size_t root : {0, 1})
    checkMoved(
        "broadcast_from %x root = " + std::to_string(root),
        [=](const Parts &parts, size_t) { return parts.own[root][0]; },
        [=](const Parts &parts, size_t rank) {
          return scaled(parts.own[rank][0], rank == root ? 2 * double(parts.own.size()) : 0);
        },
        {{2, 2}, {3, 3, 3}, {0, 0}});
}

TEST_CASE("each rank gets its part of all, and gives it back") {
  checkMoved(
      "all_to_all %x",
      [](const Parts &parts, size_t rank) {
        HostTensor wanted = parts.own[rank][0];
        const size_t length = wanted.floats.size() / parts.own.size();
        for (size_t from = 0; from < parts.own.size(); ++from)
          std::copy_n(parts.own[from][0].floats.begin() + rank * length, length,
                      wanted.floats.begin() + from * length);
        return wanted;
      },
      [](const Parts &parts, size_t rank) { return scaled(parts.own[rank][0], 2); },
      {{3}, {2, 2}, {3, 3, 3}, {0, 0}});
}

// Rank 0 gets nothing; of more than three nobody else has to do with it.
TEST_CASE("ranks get what others have, or zeros") {
  const std::vector<std::optional<size_t>> from = {std::nullopt, 0, 1, std::nullopt};
  const std::vector<bool> sends = {true, true, false, false};
  checkMoved(
      "permute %x pairs = [1, 2, 0, 1]",
      [=](const Parts &parts, size_t rank) {
        return scaled(parts.own[from[rank].value_or(0)][0], from[rank] ? 1 : 0);
      },
      [=](const Parts &parts, size_t rank) {
        return scaled(parts.own[rank][0], sends[rank] ? 2 : 0);
      },
      {{2, 2, 2}, {1, 1, 1, 1}, {0, 0, 0}});
}

TEST_CASE("means of all ranks, and their gradients") {
  check("  %y = keratin.all_reduce mean %x : " + rows + "\n", rows,
        [](const Parts &parts, size_t) {
          HostTensor sum = parts.own[0][0];
          for (size_t rank = 1; rank < parts.own.size(); ++rank)
            for (size_t i = 0; i < sum.floats.size(); ++i)
              sum.floats[i] += parts.own[rank][0].floats[i];
          return scaled(sum, 1 / double(parts.own.size()));
        },
        {{3}, {2, 2}, {3, 3, 3}, {0, 0}});
  for (const std::string &op :
       {"all_reduce mean %x : " + rows, "reduce_scatter mean %x : " + rows + " -> " + rows})
    check(
        "  %m = keratin." + op + R"(
  %loss = keratin.reduce_sum %m axes = [0, 1] : ()" +
            rows + R"() -> tensor<f32>
  %y = keratin.gradients %loss wrt %x : (tensor<f32>, )" +
            rows + ") -> " + rows + "\n",
        rows,
        [](const Parts &parts, size_t rank) {
          HostTensor ones = parts.own[rank][0];
          std::fill(ones.floats.begin(), ones.floats.end(), 1);
          return ones;
        },
        op[0] == 'a' ? Lengths{{3}, {2, 2}, {0, 0}} : Lengths{{3}});
}

// x and a number that each rank has by itself.
static void checkNumber(const std::string &op, int64_t (*number)(const Parts &, size_t rank)) {
  check("  %own_number = keratin." + op + R"( : tensor<i64>
  %number = keratin.cast %own_number : (tensor<i64>) -> tensor<f32>
  %numbers = keratin.broadcast %number dims = [] : (tensor<f32>) -> )" +
            rows + "\n  %y = keratin.add %x, %numbers : (" + rows + ", " + rows + ") -> " + rows +
            "\n",
        rows, [=](const Parts &parts, size_t rank) {
          HostTensor wanted = parts.own[rank][0];
          for (double &element : wanted.floats)
            element += double(number(parts, rank));
          return wanted;
        });
}

TEST_CASE("each rank knows which it is, and how many there are") {
  checkNumber("rank", [](const Parts &, size_t rank) { return int64_t(rank); });
  checkNumber("rank_count", [](const Parts &parts, size_t) { return int64_t(parts.own.size()); });
}

TEST_CASE("ranks that there are not are told to all") {
  for (const auto &[op, compiled] : std::vector<std::pair<std::string, std::string>>{
           {"broadcast_from %x root = 2", "from rank 2; there are ranks 0 to 1"},
           {"permute %x pairs = [0, 3]", "there are ranks 0 to 1, and -1 for none"}}) {
    Program program("  %y = keratin." + op + " : " + rows + "\n", "%y", rows);
    Parts parts({2, 2});
    CHECK_THAT(interpretOnRanks(program.function(), parts.own).error, Contains("there is no rank"));
    CHECK_THAT(runOnRanks(program.function(), parts.own).error, Contains(compiled));
    CompiledRunner alone(program.function());
    CHECK(!alone.run(Parts({2}).own[0]));
    CHECK_THAT(alone.error, Contains("there is no rank"));
    CHECK_THAT(alone.error, Contains("; of one it is 0"));
  }
}

TEST_CASE("an axis that the mesh has not is told to all ranks") {
  Program program("  %y = keratin.all_reduce sum %x along \"rows\" : " + rows + "\n", "%y", rows);
  Parts parts({1, 1});
  const Mesh mesh = {{"line", 2}};
  CHECK_THAT(interpretOnRanks(program.function(), parts.own, mesh).error,
             Contains("all_reduce: the ranks do not want the same"));
  CHECK_THAT(runOnRanks(program.function(), parts.own, mesh).error,
             Contains("has what ranks do along the axis 'rows' of a mesh; the axes of the 2 ranks "
                      "are 'line'"));
}

TEST_CASE("there is no place along an axis that the mesh has not") {
  for (const std::string op : {"rank", "rank_count"}) {
    Program program("  %r = keratin." + op + " along \"rows\" : tensor<i64>\n", "%r",
                    "tensor<i64>");
    Parts parts({1, 1});
    const Mesh mesh = {{"line", 2}};
    CHECK_THAT(interpretOnRanks(program.function(), parts.own, mesh).error,
               Contains(op + ": the mesh has no axis 'rows'"));
    CHECK_THAT(runOnRanks(program.function(), parts.own, mesh).error,
               Contains("has what ranks do along the axis 'rows' of a mesh"));
  }
}

TEST_CASE("what are no equal parts is told to all ranks") {
  Program program("  %y = keratin.all_to_all %x : " + rows + "\n", "%y", rows);
  Parts parts({1, 1, 1});
  CHECK_THAT(interpretOnRanks(program.function(), parts.own).error,
             Contains("all_to_all: 2 elements are not 3 equal parts"));
  CHECK_THAT(runOnRanks(program.function(), parts.own).error,
             Contains("2 elements are not 3 equal parts"));
}

TEST_CASE("other rows than all ranks have are told to all of them") {
  Program program("  %y = keratin.all_gather %x : " + rows + " -> " + rows + "\n", "%y", rows);
  Parts parts({2, 3});
  CHECK_THAT(interpretOnRanks(program.function(), parts.own).error,
             Contains("all_gather: the ranks do not want the same"));
  CHECK_THAT(runOnRanks(program.function(), parts.own).error,
             Contains("has room for 4 elements; all ranks together send 10"));
}

TEST_CASE(
    "ranges of sums hold for shares of 16 bits in whatever order, and of other ranks' rows too") {
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
func.func @f(%x: tensor<5xf16>) -> (tensor<5xf16>, tensor<5xf16>, tensor<10xf16>) {
  %sum = keratin.all_reduce sum %x : tensor<5xf16>
  %most = keratin.all_reduce max %x : tensor<5xf16>
  %all = keratin.all_gather %x : tensor<5xf16> -> tensor<10xf16>
  return %sum, %most, %all : tensor<5xf16>, tensor<5xf16>, tensor<10xf16>
})",
                                            &context);
  REQUIRE(module);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto halves = [](std::vector<double> values) {
    HostTensor made = *makeHostTensor(KERATIN_DTYPE_FLOAT16, {int64_t(values.size())});
    made.floats = std::move(values);
    return made;
  };
  // In 16 bits 1024.3 is 1024 and 0.1 is 0.09998; 60000 twice is infinite.
  const std::vector<Tensors> own = {{halves({0.1, 1024.3, 60000, infinity, NAN})},
                                    {halves({0.2, -1024, 60000, 1, 1})}};
  const RankBounds bounds =
      boundsOnRanks(*module->getOps<func::FuncOp>().begin(), own, {.rewritten = true});
  REQUIRE(bounds.error == "");
  for (const std::vector<BoundedTensor> &results : bounds.results) {
    const BoundedTensor &sum = results[0], &most = results[1], &all = results[2];
    CHECK((sum.lower.floats[0] < 0.2998 && sum.upper.floats[0] > 0.3));
    CHECK((sum.lower.floats[1] < 0 && sum.upper.floats[1] > 0.3));
    CHECK(sum.upper.floats[1] - sum.lower.floats[1] < 10);
    CHECK(!isBounded(sum, 2));
    CHECK((sum.lower.floats[3] == infinity && sum.upper.floats[3] == infinity));
    for (const BoundedTensor *reduced : {&sum, &most})
      CHECK((std::isnan(reduced->lower.floats[4]) && std::isnan(reduced->upper.floats[4])));
    CHECK((most.lower.floats[1] == 1024 && most.upper.floats[1] == 1024.3));
    CHECK((all.lower.floats[1] == 1024 && all.upper.floats[1] == 1024.3));
    CHECK((all.lower.floats[6] == -1024 && all.upper.floats[6] == -1024));
  }
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

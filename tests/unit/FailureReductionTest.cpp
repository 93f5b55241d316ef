// What becomes of a function in which keratin-fuzz has found a failure.
#include "tests/support/FailureReduction.h"

#include "compiler/numerics/FunctionReducer.h"
#include "ir/dialect/Keratin.h"
#include "tests/support/RandomGraph.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

struct Context {
  Context() { context.loadDialect<ir::KeratinDialect, func::FuncDialect>(); }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

template <typename Op> bool has(func::FuncOp function) {
  return function->walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

std::vector<std::string> opsOf(func::FuncOp function) {
  std::vector<std::string> names;
  for (Operation &op : function.getBody().front().without_terminator())
    names.push_back(op.getName().stripDialect().str());
  return names;
}

constexpr char text[] = R"(
  !x = tensor<?xf32, #keratin.dims<d0>>
  func.func @main(%x: !x {keratin.kind = "input"}) -> (!x, !x, !x) {
    %0 = keratin.tanh %x : (!x) -> !x
    %1 = keratin.log %0 : (!x) -> !x
    %2 = keratin.neg %1 : (!x) -> !x
    return %1, %2, %0 : !x, !x, !x
  })";

} // namespace

TEST_CASE("a smaller function that fails in another way is not taken") {
  Context c;
  auto module = parseSourceString<ModuleOp>(text, &c.context);
  REQUIRE(module);
  // The second fault shows wherever the first one does not.
  auto find = [](func::FuncOp function, const std::vector<Symbols> &) -> std::optional<Failure> {
    if (has<ir::LogOp>(function) && !has<ir::TanhOp>(function))
      return failureIn("compiled, a result differs", "no tanh");
    if (has<ir::LogOp>(function))
      return refusalIn("does not compile", "log: 7 kernels; at graph:3");
    return refusalIn("does not compile", "tanh: 3 kernels; at graph:3");
  };
  func::FuncOp function = compiler::functionOf(*module);
  ReducedFailure reduced = reduceFailure(function, {{{0, 4}}}, *find(function, {}), find);
  CHECK(opsOf(compiler::functionOf(*reduced.module)) == std::vector<std::string>{"tanh", "log"});
  CHECK(reduced.failure.text == "does not compile: log: 7 kernels; at graph:3");
}

TEST_CASE("calls and sizes become fewer and smaller, as long as the failure is the same") {
  Context c;
  auto module = parseSourceString<ModuleOp>(text, &c.context);
  REQUIRE(module);
  auto find = [](func::FuncOp, const std::vector<Symbols> &calls) -> std::optional<Failure> {
    for (const Symbols &call : calls)
      if (int64_t size = call.at(0); size > 2)
        return failureIn(size > 3 ? "a result differs" : "passes fail",
                         "size " + std::to_string(size));
    return std::nullopt;
  };
  std::vector<Symbols> calls = {{{0, 1}}, {{0, 3}}, {{0, 7}}, {{0, 9}}};
  ReducedFailure reduced = reduceFailure(compiler::functionOf(*module), calls,
                                         failureIn("a result differs", "size 7"), find);
  CHECK(reduced.calls == std::vector<Symbols>{{{0, 4}}});
  CHECK(reduced.failure.text == "a result differs: size 4");
  CHECK(opsOf(compiler::functionOf(*reduced.module)) == std::vector<std::string>{});
}

TEST_CASE("only valid functions are tried") {
  Context c;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    RandomFunction random = makeRandomFunction(&c.context, {seed, seed + 100}, 30);
    unsigned tried = 0;
    auto find = [&](func::FuncOp function, const std::vector<Symbols> &) {
      ++tried;
      CHECK(succeeded(verify(function->getParentOp())));
      return has<ir::ReduceSumOp>(function) ? std::optional(failureIn("sums")) : std::nullopt;
    };
    if (!find(random.function, {}))
      continue;
    ReducedFailure reduced =
        reduceFailure(random.function, {randomSymbols(seed, false)}, failureIn("sums"), find);
    CHECK(tried > 1);
    CHECK(has<ir::ReduceSumOp>(compiler::functionOf(*reduced.module)));
    CHECK(succeeded(verify(*reduced.module)));
  }
}

TEST_CASE("refusals are alike but for numbers and places") {
  auto kind = [](const char *message) { return refusalIn("compiled code fails", message).kind; };
  const char gather[] = "gather: index 2 is outside the first axis of size 2; at graph:3";
  CHECK(kind(gather) ==
        kind("gather: index -17 is outside the first axis of size 40; at graph:122"));
  CHECK(kind("add: shapes (2, 3) and [4] of %12") == kind("add: shapes () and [1, 5] of %3"));
  CHECK(kind(gather) != kind("scatter: index 2 is outside the first axis of size 2; at graph:3"));
  CHECK(kind(gather) != refusalIn("does not compile", gather).kind);
  CHECK(refusalIn("compiled code fails", gather).text ==
        "compiled code fails: " + std::string(gather));
}

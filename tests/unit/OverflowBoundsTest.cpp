// What overflows in a function as it is written, and need not in another form of it.
#include "ir/reference/ErrorBounds.h"
#include "tests/unit/InterpreterHarness.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace keratin::ir;
using namespace keratin::tests;

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether the values are those that the ops may give of x, whose type is float32.
static std::vector<bool> fit(const std::string &ops, std::vector<double> x,
                             const std::vector<double> &values, bool rewritten = true) {
  const std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  mlir::MLIRContext mlir;
  mlir.loadDialect<KeratinDialect>();
  std::string module = "func.func @main(%x: " + type + ") -> " + type + " {\n";
  std::string last = "%x";
  for (size_t at = 0, number = 0; at < ops.size(); ++number) {
    size_t end = std::min(ops.find(' ', at), ops.size());
    const std::string result = "%" + std::to_string(number);
    module += result + " = keratin." + ops.substr(at, end - at) + " " + last + " : (" + type +
              ") -> " + type + "\n";
    last = result;
    at = end + 1;
  }
  module += "return " + last + " : " + type + "\n}";
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(module, &mlir);
  REQUIRE(parsed);
  EvaluationContext context;
  BoundOptions options;
  options.rewritten = rewritten;
  auto bounds = interpretWithBounds(*parsed->getOps<mlir::func::FuncOp>().begin(),
                                    {floats(std::move(x))}, context, options);
  INFO(context.error);
  REQUIRE(succeeded(bounds));
  std::vector<bool> result;
  for (size_t i = 0; i < values.size(); ++i) {
    HostTensor actual = bounds->front().value;
    actual.floats[i] = values[i];
    // Other elements of the value fit, or are compared on their own.
    auto mismatch = findMismatch(actual, bounds->front());
    result.push_back(!mismatch || mismatch->find("element [" + std::to_string(i) + "]") != 0);
  }
  return result;
}

TEST_CASE("what overflows though it was finite may be finite in another form") {
  using All = std::vector<bool>;
  CHECK(fit("exp log", {1e38}, {1e38}) == All{true});
  CHECK(fit("exp log", {-1e38}, {-1e38}) == All{true});
  // Whatever its neighbours are.
  const std::vector<double> x = {1e38, infinity, 2.0, -1e38, -infinity, std::nan("")};
  CHECK(fit("exp log", x, x) == All{true, true, true, true, true, true});
  // Other elements are as certain as ever.
  CHECK(fit("exp log", x, {infinity, 1e38, 3.0, -infinity, -1e38, 0.0}) ==
        All{true, false, false, true, true, false}); // log(0) may come of any small number
  // A function that nobody rewrites gives what is written.
  CHECK(fit("exp log", x, x, /*rewritten=*/false) == All{false, true, true, true, true, true});
}

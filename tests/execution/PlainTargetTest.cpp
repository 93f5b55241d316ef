// What a call on a device costs in transfers, by the plain target (tests/support/PlainTarget.h),
// which counts them. Whether results are right the sweeps say.
#include "tests/support/PlainTarget.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/CompiledRunner.h"

#include <keratin/device.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

class Compiled {
public:
  explicit Compiled(const char *text, compiler::CompileOptions options = {}) {
    registerPlainTarget();
    compiler::registerDialects(registry);
    context.emplace(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    auto module = parseSourceString<ModuleOp>(text, &*context);
    REQUIRE(module);
    options.target = plainTarget;
    options.verify = true;
    auto result = compiler::compile(*module, options);
    INFO(std::string(result.status().message()));
    REQUIRE(result.ok());
    function = *result;
    keratin_status_t status;
    keratin_executable_create(&function->descriptor(), &executable, &status);
    INFO(status.message);
    REQUIRE(status.code == KERATIN_OK);
    REQUIRE(keratin_session_create_on(keratin_executable_device(executable), &session, nullptr) ==
            KERATIN_OK);
  }
  ~Compiled() {
    for (keratin_variable_t *variable : variables)
      keratin_variable_release(variable);
    keratin_session_destroy(session);
    keratin_executable_destroy(executable);
  }

  void addVariable(std::vector<float> values) {
    const int64_t dims[] = {int64_t(values.size())};
    keratin_variable_t *variable = nullptr;
    REQUIRE(keratin_variable_create(session, KERATIN_DTYPE_FLOAT32, 1, dims, values.data(),
                                    &variable, nullptr) == KERATIN_OK);
    variables.push_back(variable);
  }

  // What a call with these numbers, all of rank 1, asks of the device.
  PlainDeviceCounts call(std::vector<float> x, std::vector<float> &y) {
    const int64_t xDims[] = {int64_t(x.size())}, yDims[] = {int64_t(y.size())};
    keratin_tensor_t input = {x.data(), KERATIN_DTYPE_FLOAT32, 1, xDims, nullptr, nullptr};
    keratin_tensor_t output = {y.data(), KERATIN_DTYPE_FLOAT32, 1, yDims, nullptr, nullptr};
    PlainDeviceCounts before = plainDeviceCounts();
    keratin_status_t status;
    keratin_invoke(executable, variables.data(), int32_t(variables.size()), &input, 1, &output, 1,
                   &status);
    INFO(status.message);
    CHECK(status.code == KERATIN_OK);
    PlainDeviceCounts after = plainDeviceCounts();
    return {.copiesIn = after.copiesIn - before.copiesIn,
            .bytesIn = after.bytesIn - before.bytesIn,
            .copiesOut = after.copiesOut - before.copiesOut,
            .bytesOut = after.bytesOut - before.bytesOut,
            .copiesWithin = after.copiesWithin - before.copiesWithin,
            .launches = after.launches - before.launches,
            .waits = after.waits - before.waits,
            .allocations = after.allocations - before.allocations};
  }

  std::vector<keratin_variable_t *> variables;

private:
  DialectRegistry registry;
  std::optional<MLIRContext> context;
  std::shared_ptr<const compiler::CompiledFunction> function;
  keratin_executable_t *executable = nullptr;
  keratin_session_t *session = nullptr;
};

} // namespace

TEST_CASE("a step sends its input, fetches its output, and leaves variables where they are") {
  Compiled step(R"(
    func.func @step(%x: tensor<8xf32> {keratin.kind = "input", keratin.name = "x"},
                    %w: tensor<8xf32> {keratin.kind = "variable", keratin.name = "w"})
        -> (tensor<8xf32> {keratin.kind = "output"},
            tensor<8xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
      %c = keratin.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
      %0 = keratin.mul %x, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %1 = keratin.cumsum %0 {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
      %y = keratin.add %1, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %n = keratin.sub %w, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %y, %n : tensor<8xf32>, tensor<8xf32>
    })");
  step.addVariable(std::vector<float>(8, 1));
  std::vector<float> y(8);
  for (int repeat = 0; repeat < 3; ++repeat) {
    PlainDeviceCounts counts = step.call(std::vector<float>(8, 1), y);
    CHECK(counts.copiesIn == 1);
    CHECK(counts.bytesIn == 32);
    CHECK(counts.copiesOut == 1);
    CHECK(counts.bytesOut == 32);
    CHECK(counts.copiesWithin == 0);
    CHECK(counts.waits == 1);
    if (repeat > 0)
      CHECK(counts.allocations == 0);
    // The variable loses 1, 2, ... at each step.
    CHECK(y[0] == 1 + 1 - float(repeat));
    CHECK(y[7] == 36 + 1 - 8 * float(repeat));
  }
}

TEST_CASE("a loop whose condition is computed sends nothing but that condition to the host") {
  // Doubles x until its sum is 100 at least.
  Compiled loop(R"(
    func.func @loop(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
        -> (tensor<4xf32> {keratin.kind = "output"}) {
      %go = keratin.constant dense<true> : tensor<i1>
      %y:3 = keratin.while init(%go, %x) with() : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>, tensor<i64>) {
      ^bb0(%i: tensor<i64>, %g: tensor<i1>, %a: tensor<4xf32>):
        %b = keratin.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %s = keratin.reduce_sum %b axes = [0] : (tensor<4xf32>) -> tensor<f32>
        %m = keratin.constant dense<100.0> : tensor<f32>
        %t = keratin.compare lt %s, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>
        keratin.yield %t, %b : tensor<i1>, tensor<4xf32>
      }
      return %y#1 : tensor<4xf32>
    })");
  std::vector<float> y(4);
  PlainDeviceCounts counts = loop.call({1, 1, 1, 1}, y);
  CHECK(y == std::vector<float>{32, 32, 32, 32});
  // The output, and the flag before each of five steps and behind the last.
  CHECK(counts.copiesOut == 1 + 6);
  CHECK(counts.bytesOut == 16 + 6);
}

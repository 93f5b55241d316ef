#include "tools/keratin-run/Check.h"

#include "compiler/diagnostics/DiagnosticCollector.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/HostConversions.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

using namespace keratin;
using namespace keratin::tools;
using namespace mlir;

// The compiler rewrites functions: to others that are equal in exact arithmetic, but need not round
// as the function does from which the bounds were derived.
static constexpr double slack = 4;

static bool hasMessages(func::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return ir::isCollective(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

absl::StatusOr<Check> Check::of(func::FuncOp function, codegen::Float32Products float32Products,
                                int32_t ranks) {
  if (ranks > 1 && hasMessages(function))
    return absl::UnimplementedError("--check: not implemented: function '" +
                                    function.getName().str() + "', which says what the " +
                                    std::to_string(ranks) + " ranks do together");
  Check check;
  check.options.hasTf32Products = float32Products == codegen::Float32Products::Tf32;
  check.module = ModuleOp::create(function.getLoc());
  check.module->push_back(function.clone());
  compiler::DiagnosticCollector diagnostics(function.getContext());
  PassManager manager(function.getContext(), ModuleOp::getOperationName());
  compiler::buildPhase(manager.nest<func::FuncOp>(), compiler::PipelinePhase::Gradient);
  if (failed(manager.run(*check.module)))
    return diagnostics.status();
  return check;
}

static absl::StatusOr<ir::HostTensor> hostTensor(const Array &array) {
  auto tensor = ir::fromBytes(array.dtype, array.dims, array.data.data());
  if (!tensor)
    return absl::ResourceExhaustedError("an array is too large for the reference interpreter");
  return *std::move(tensor);
}

absl::Status Check::expect(const Program &program, const std::vector<Array> &inputs) {
  std::vector<ir::HostTensor> arguments;
  auto add = [&arguments](const Array &array) {
    auto tensor = hostTensor(array);
    if (tensor.ok())
      arguments.push_back(*std::move(tensor));
    return tensor.status();
  };
  for (const Array &input : inputs)
    if (absl::Status status = add(input); !status.ok())
      return status;
  for (int32_t i = 0; i < program.signature().num_variables; ++i) {
    if (!program.isVariable(i))
      continue;
    auto value = program.ownVariable(i);
    if (!value.ok())
      return value.status();
    if (absl::Status status = add(*value); !status.ok())
      return status;
  }
  auto function = *module->getOps<func::FuncOp>().begin();
  ir::EvaluationContext context;
  auto results = ir::interpretWithBounds(function, arguments, context, options);
  if (failed(results))
    return absl::InvalidArgumentError("the reference interpreter refuses the call: " +
                                      context.error);
  expected = std::move(*results);
  const keratin_function_desc_t &signature = program.signature();
  if (expected.size() != size_t(signature.num_outputs) + size_t(signature.num_updates))
    return absl::InvalidArgumentError("the model to check against has other results");
  return absl::OkStatus();
}

absl::Status Check::compare(const Program &program, const std::vector<Array> &outputs) const {
  const keratin_function_desc_t &signature = program.signature();
  std::string report;
  auto compareOne = [&](const std::string &what, const Array &array,
                        const ir::BoundedTensor &bounds) {
    auto actual = hostTensor(array);
    if (!actual.ok())
      return actual.status();
    if (auto mismatch = ir::findMismatch(*actual, bounds, slack))
      report += (report.empty() ? "" : "\n") + what + ": " + *mismatch;
    return absl::OkStatus();
  };
  for (int32_t i = 0; i < signature.num_outputs; ++i)
    if (absl::Status status = compareOne(std::string("output '") + signature.outputs[i].name + "'",
                                         outputs[i], expected[i]);
        !status.ok())
      return status;
  for (int32_t i = 0; i < signature.num_updates; ++i) {
    int32_t variable = signature.updates[i].variable;
    auto value = program.ownVariable(variable);
    if (!value.ok())
      return value.status();
    if (absl::Status status =
            compareOne(std::string("variable '") + signature.variables[variable].name + "'", *value,
                       expected[size_t(signature.num_outputs) + size_t(i)]);
        !status.ok())
      return status;
  }
  return report.empty() ? absl::OkStatus() : absl::DataLossError(report);
}

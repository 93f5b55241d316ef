#include "tests/support/CompiledRunner.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"

#include <keratin/runtime.h>

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

CompiledRunner::CompiledRunner(func::FuncOp function, const compiler::CompileOptions &options) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  for (unsigned i = 0; i < copy.getNumArguments(); ++i)
    if (!copy.getArgAttr(i, "keratin.kind"))
      copy.setArgAttr(i, "keratin.kind", builder.getStringAttr("input"));
  for (unsigned i = 0; i < copy.getNumResults(); ++i)
    if (!copy.getResultAttr(i, "keratin.kind"))
      copy.setResultAttr(i, "keratin.kind", builder.getStringAttr("output"));
  auto result = compiler::compile(*module, options);
  if (!result.ok()) {
    error = std::string(result.status().message());
    return;
  }
  compiled = *result;
  keratin_status_t status;
  if (keratin_executable_create(&compiled->descriptor(), &executable, &status) != KERATIN_OK)
    error = status.message;
}

CompiledRunner::~CompiledRunner() { keratin_executable_destroy(executable); }

namespace {
// Behind the elements of an output lie bytes that must stay as they are; before the call the
// elements are the same, so that those nobody writes are seen.
constexpr size_t guardBytes = 128;
constexpr char guard = char(0xA5);

struct Output {
  keratin_dtype_t dtype;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};
} // namespace

namespace {
// The variables of one run.
class Variables {
public:
  Variables() { keratin_session_create(&session, nullptr); }
  ~Variables() {
    for (keratin_variable_t *variable : list)
      keratin_variable_release(variable);
    keratin_session_destroy(session);
  }
  bool add(const ir::HostTensor &initial, keratin_status_t &status) {
    std::vector<char> bytes = ir::toBytes(initial);
    keratin_variable_t *variable = nullptr;
    if (keratin_variable_create(session, initial.dtype, int32_t(initial.dims.size()),
                                initial.dims.data(), bytes.data(), &variable,
                                &status) != KERATIN_OK)
      return false;
    list.push_back(variable);
    return true;
  }
  std::optional<ir::HostTensor> read(size_t number, const ir::HostTensor &like,
                                     keratin_status_t &status) {
    std::vector<char> bytes(keratin_variable_bytes(list[number]));
    if (keratin_variable_read(list[number], bytes.data(), bytes.size(), &status) != KERATIN_OK)
      return std::nullopt;
    return ir::fromBytes(like.dtype, like.dims, bytes.data());
  }
  std::vector<keratin_variable_t *> list;

private:
  keratin_session_t *session = nullptr;
};
} // namespace

std::optional<std::vector<ir::HostTensor>> CompiledRunner::run(ArrayRef<ir::HostTensor> arguments) {
  if (!executable)
    return std::nullopt;
  std::vector<std::vector<char>> bytes;
  std::vector<keratin_tensor_t> inputs;
  const keratin_function_desc_t &descriptor = compiled->descriptor();
  keratin_status_t status;
  Variables variables;
  ArrayRef<ir::HostTensor> initial = arguments.take_back(descriptor.num_variables);
  for (const ir::HostTensor &argument : initial)
    if (!variables.add(argument, status)) {
      error = status.message;
      return std::nullopt;
    }
  for (const ir::HostTensor &argument : arguments.drop_back(descriptor.num_variables)) {
    auto raw = ir::toBytes(argument);
    bytes.emplace_back(raw.begin(), raw.end());
    inputs.push_back({bytes.back().data(), argument.dtype, int32_t(argument.dims.size()),
                      argument.dims.data(), nullptr});
  }
  std::vector<Output> outputs;
  auto allocate = [](void *user, int32_t, int32_t dtype, int32_t rank, const int64_t *dims,
                     size_t size) -> void * {
    auto &list = *static_cast<std::vector<Output> *>(user);
    list.push_back({keratin_dtype_t(dtype), std::vector<int64_t>(dims, dims + rank),
                    std::vector<char>(size + guardBytes, guard)});
    return list.back().bytes.data();
  };
  outputs.reserve(descriptor.num_outputs);
  if (keratin_invoke_allocating(executable, variables.list.data(), descriptor.num_variables,
                                inputs.data(), inputs.size(), allocate, &outputs,
                                &status) != KERATIN_OK) {
    error = status.message;
    return std::nullopt;
  }
  std::vector<ir::HostTensor> results;
  for (const Output &output : outputs) {
    if (std::any_of(output.bytes.end() - guardBytes, output.bytes.end(),
                    [](char byte) { return byte != guard; })) {
      error = "an output was written past its end";
      return std::nullopt;
    }
    auto tensor = ir::fromBytes(output.dtype, output.dims, output.bytes.data());
    if (!tensor) {
      error = "an output could not be read";
      return std::nullopt;
    }
    results.push_back(std::move(*tensor));
  }
  for (int64_t i = 0; i < descriptor.num_updates; ++i) {
    int32_t number = descriptor.updates[i].variable;
    auto value = variables.read(number, initial[number], status);
    if (!value) {
      error = status.message;
      return std::nullopt;
    }
    results.push_back(std::move(*value));
  }
  return results;
}

double keratin::tests::largestDifference(const ir::HostTensor &actual,
                                         const ir::HostTensor &expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (actual.dtype != expected.dtype || actual.dims != expected.dims ||
      actual.size() != expected.size())
    return infinite;
  double largest = 0;
  if (!actual.isFloat()) {
    for (size_t i = 0; i < actual.ints.size(); ++i)
      if (actual.ints[i] != expected.ints[i])
        return infinite;
    return 0;
  }
  for (size_t i = 0; i < actual.floats.size(); ++i) {
    double x = actual.floats[i], y = expected.floats[i];
    if (std::isnan(x) != std::isnan(y) || std::isinf(x) != std::isinf(y) ||
        (std::isinf(x) && x != y))
      return infinite;
    if (std::isfinite(x))
      largest = std::max(largest, std::abs(x - y) / (1 + std::abs(y)));
  }
  return largest;
}

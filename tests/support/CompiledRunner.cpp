#include "tests/support/CompiledRunner.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/support/GuardedDevice.h"
#include "tests/support/PtxTarget.h"
#include "tests/support/TestEnvironment.h"

#include <keratin/comm.h>
#include <keratin/device.h>

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

std::string keratin::tests::testedMachine() {
  const char *machine = std::getenv("KERATIN_TEST_CPU");
  return machine ? machine : "native";
}

std::string keratin::tests::testedTarget() {
  const char *target = std::getenv("KERATIN_TEST_TARGET");
  return target ? target : "cpu";
}

// What is wrong with the names of a device's kernels: they stand in its code, and are looked for by
// them. "" if nothing is.
static std::string faultOfNames(const keratin_function_desc_t &descriptor) {
  if (!descriptor.device_code)
    return "";
  llvm::StringSet<> names;
  for (int64_t i = 0; i < descriptor.device_code->num_kernels; ++i) {
    StringRef name = descriptor.device_code->kernels[i];
    const bool isName = !name.empty() && !llvm::isDigit(name[0]) && llvm::all_of(name, [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
    });
    if (!isName || !names.insert(name).second)
      return "kernel " + std::to_string(i) + " has no name of its own: '" + name.str() + "'";
  }
  return "";
}

CompiledRunner::CompiledRunner(func::FuncOp function, compiler::CompileOptions options,
                               const std::string &device) {
  if (options.target == "cpu")
    options.target = testedTarget();
  registerPtxTarget();
  if (options.cpu == "native")
    options.cpu = testedMachine();
  guardRuntimeMemory();
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
  placeConstants();
  if (error = faultOfNames(descriptor); !error.empty())
    return;
  if (descriptor.device_code && StringRef(descriptor.device_code->device) == KERATIN_CUDA_DEVICE)
    guardCudaMemory();
  if (compiled->assumesSizes()) {
    options.assumeEqualSizes = false;
    general = std::make_unique<CompiledRunner>(function, options);
    error = general->error;
    if (!error.empty())
      return;
    descriptor.general = &general->descriptor;
  }
  keratin_status_t status;
  const keratin_device_t *found = nullptr;
  if ((!device.empty() && keratin_device_open(device.c_str(), &found, &status) != KERATIN_OK) ||
      keratin_executable_create_on(&descriptor, found, &executable, &status) != KERATIN_OK)
    error = status.message;
}

void CompiledRunner::placeConstants() {
  descriptor = compiled->descriptor();
  for (int32_t i = 0; i < descriptor.num_constants; ++i) {
    keratin_constant_desc_t constant = descriptor.constants[i];
    constants.emplace_back(size_t(constant.bytes), Edge::End, KERATIN_ALIGNMENT);
    if (constant.bytes)
      std::memcpy(constants.back().data(), constant.data, size_t(constant.bytes));
    constantDescriptors.push_back({constants.back().data(), constant.bytes});
  }
  descriptor.constants = constantDescriptors.data();
}

void CompiledRunner::callWith(keratin_group_t *group) {
  keratin_status_t status;
  if (keratin_executable_set_group(executable, group, &status) != KERATIN_OK)
    error = status.message;
}

CompiledRunner::~CompiledRunner() { keratin_executable_destroy(executable); }

namespace {
// The variables of one run.
class Variables {
public:
  explicit Variables(const keratin_device_t *device) {
    keratin_session_create_on(device, &session, nullptr);
  }
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

namespace {
// A tensor in a block of its own on a device.
class DeviceTensor {
public:
  DeviceTensor(const keratin_device_t &device, keratin_dtype_t dtype, std::vector<int64_t> dims)
      : device(device), dtype(dtype), dims(std::move(dims)) {
    bytes = size_t(ir::dtypeBytes(dtype));
    for (int64_t size : this->dims)
      bytes *= size_t(size);
    memory = device.allocate(device.user, bytes, KERATIN_ALIGNMENT);
  }
  ~DeviceTensor() {
    if (memory)
      device.release(device.user, memory, bytes, KERATIN_ALIGNMENT);
  }
  DeviceTensor(const DeviceTensor &) = delete;
  DeviceTensor &operator=(const DeviceTensor &) = delete;

  // The call may change the dims.
  keratin_tensor_t view() {
    return {memory, dtype, int32_t(dims.size()), dims.data(), nullptr, &device};
  }
  bool write(const std::vector<char> &from, keratin_status_t &status) {
    return bytes == 0 || device.copy_in(device.user, nullptr, 0, memory, from.data(), from.size(),
                                        &status) == KERATIN_OK;
  }
  std::optional<std::vector<char>> read(keratin_status_t &status) const {
    std::vector<char> found(bytes);
    if (bytes && device.copy_out(device.user, nullptr, 0, found.data(), memory, bytes, &status) !=
                     KERATIN_OK)
      return std::nullopt;
    return found;
  }
  std::optional<ir::HostTensor> value(keratin_status_t &status) const {
    auto found = read(status);
    return found ? ir::fromBytes(dtype, dims, found->data()) : std::nullopt;
  }

private:
  const keratin_device_t &device;
  keratin_dtype_t dtype;
  std::vector<int64_t> dims;
  size_t bytes;
  void *memory;
};

struct Output {
  keratin_dtype_t dtype;
  std::vector<int64_t> dims;
  GuardedBuffer memory;
};

struct Outputs {
  Edge edge;
  std::vector<Output> list;

  static void *allocate(void *user, int32_t, int32_t dtype, int32_t rank, const int64_t *dims,
                        size_t size) {
    auto &self = *static_cast<Outputs *>(user);
    self.list.push_back({keratin_dtype_t(dtype), std::vector<int64_t>(dims, dims + rank),
                         GuardedBuffer(size, self.edge)});
    return self.list.back().memory.data();
  }

  static void resize(void *user, int32_t output, int32_t rank, const int64_t *dims) {
    static_cast<Outputs *>(user)->list[size_t(output)].dims.assign(dims, dims + rank);
  }
};
} // namespace

std::optional<std::vector<ir::HostTensor>> CompiledRunner::fail(const char *message) {
  error = message;
  return std::nullopt;
}

std::optional<std::vector<ir::HostTensor>>
CompiledRunner::call(ArrayRef<keratin_variable_t *> variables, ArrayRef<ir::HostTensor> arguments,
                     Edge edge) {
  std::vector<std::vector<char>> inputBytes;
  std::vector<GuardedBuffer> inputMemory;
  std::vector<keratin_tensor_t> inputs;
  for (const ir::HostTensor &argument : arguments) {
    inputBytes.push_back(ir::toBytes(argument));
    inputMemory.emplace_back(inputBytes.back().size(), edge);
    std::copy(inputBytes.back().begin(), inputBytes.back().end(),
              static_cast<char *>(inputMemory.back().data()));
    inputs.push_back({inputMemory.back().data(), argument.dtype, int32_t(argument.dims.size()),
                      argument.dims.data(), nullptr, nullptr});
  }
  Outputs outputs{edge, {}};
  keratin_status_t status;
  keratin_status_code_t code = keratin_invoke_allocating(
      executable, variables.data(), int32_t(variables.size()), inputs.data(),
      int32_t(inputs.size()), Outputs::allocate, Outputs::resize, &outputs, &status);
  // Also where the call failed, as one with an index outside does.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputMemory[i].isIntact() || !std::equal(inputBytes[i].begin(), inputBytes[i].end(),
                                                  static_cast<const char *>(inputMemory[i].data())))
      return fail("an input, or the memory beside it, was written");
  for (const Output &output : outputs.list)
    if (!output.memory.isIntact())
      return fail("an output was written beyond its bounds");
  if (code != KERATIN_OK)
    return fail(status.message);
  std::vector<ir::HostTensor> results;
  for (const Output &output : outputs.list) {
    auto tensor =
        ir::fromBytes(output.dtype, output.dims, static_cast<const char *>(output.memory.data()));
    if (!tensor)
      return fail("an output could not be read");
    results.push_back(std::move(*tensor));
  }
  return results;
}

std::optional<std::vector<ir::HostTensor>>
CompiledRunner::callOnDevice(ArrayRef<keratin_variable_t *> variables,
                             ArrayRef<ir::HostTensor> arguments) {
  const keratin_device_t &device = *keratin_executable_device(executable);
  keratin_status_t status;
  std::deque<DeviceTensor> inputMemory, outputMemory;
  std::vector<keratin_tensor_t> inputs, outputs;
  for (const ir::HostTensor &argument : arguments) {
    inputMemory.emplace_back(device, argument.dtype, argument.dims);
    if (!inputMemory.back().write(ir::toBytes(argument), status))
      return fail(status.message);
    inputs.push_back(inputMemory.back().view());
  }
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    std::vector<int64_t> dims(size_t(descriptor.outputs[i].rank));
    if (keratin_executable_output_dims(executable, variables.data(), int32_t(variables.size()),
                                       inputs.data(), int32_t(inputs.size()), i, dims.data(),
                                       &status) != KERATIN_OK)
      return fail(status.message);
    outputMemory.emplace_back(device, keratin_dtype_t(descriptor.outputs[i].dtype), dims);
    outputs.push_back(outputMemory.back().view());
  }
  keratin_status_code_t code =
      keratin_invoke(executable, variables.data(), int32_t(variables.size()), inputs.data(),
                     int32_t(inputs.size()), outputs.data(), int32_t(outputs.size()), &status);
  if (code != KERATIN_OK)
    return fail(status.message);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto found = inputMemory[i].read(status);
    if (!found)
      return fail(status.message);
    if (*found != ir::toBytes(arguments[i]))
      return fail("an input on the device was written");
  }
  std::vector<ir::HostTensor> results;
  for (const DeviceTensor &output : outputMemory) {
    auto tensor = output.value(status);
    if (!tensor)
      return fail("an output on the device could not be read");
    results.push_back(std::move(*tensor));
  }
  return results;
}

std::optional<std::vector<ir::HostTensor>> CompiledRunner::run(ArrayRef<ir::HostTensor> arguments,
                                                               Edge edge) {
  if (!executable)
    return std::nullopt;
  keratin_status_t status;
  const keratin_device_t *device = keratin_executable_device(executable);
  Variables variables(device);
  ArrayRef<ir::HostTensor> initial = arguments.take_back(descriptor.num_variables);
  for (const ir::HostTensor &argument : initial)
    if (!variables.add(argument, status))
      return fail(status.message);
  // An arena of exactly this call's size.
  keratin_executable_trim(executable);
  arguments = arguments.drop_back(descriptor.num_variables);
  auto results = edge == Edge::Start && device != keratin_cpu_device()
                     ? callOnDevice(variables.list, arguments)
                     : call(variables.list, arguments, edge);
  for (int64_t i = 0; results && i < descriptor.num_updates; ++i) {
    int32_t number = descriptor.updates[i].variable;
    auto value = variables.read(number, initial[number], status);
    if (!value)
      return fail(status.message);
    results->push_back(std::move(*value));
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

bool keratin::tests::areIdentical(const ir::HostTensor &a, const ir::HostTensor &b) {
  return a.dims == b.dims && a.ints == b.ints &&
         std::equal(a.floats.begin(), a.floats.end(), b.floats.begin(), b.floats.end(),
                    [](double x, double y) { return std::memcmp(&x, &y, sizeof(double)) == 0; });
}

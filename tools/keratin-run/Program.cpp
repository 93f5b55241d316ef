#include "tools/keratin-run/Program.h"

#include "codegen/Target.h"
#include "compiler/driver/Version.h"
#include "ir/dialect/Signature.h"
#include "runtime/comm/Mesh.h"
#include "runtime/comm/StateRanks.h"
#include "runtime/core/DType.h"
#include "runtime/core/SymbolSource.h"
#include "runtime/files/FileBytes.h"
#include "runtime/object/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace keratin;
using namespace keratin::tools;

absl::Status tools::statusOf(const keratin_status_t &status) {
  std::string message = status.message;
  switch (status.code) {
  case KERATIN_OK:
    return absl::OkStatus();
  case KERATIN_INVALID_ARGUMENT:
    return absl::InvalidArgumentError(message);
  case KERATIN_OUT_OF_RANGE:
  case KERATIN_FAILED_PRECONDITION:
  case KERATIN_NOT_FINITE:
  case KERATIN_SIZES_DIFFER:
    return absl::FailedPreconditionError(message);
  case KERATIN_RESOURCE_EXHAUSTED:
    return absl::ResourceExhaustedError(message);
  case KERATIN_UNIMPLEMENTED:
    return absl::UnimplementedError(message);
  case KERATIN_ABORTED:
    return absl::AbortedError(message);
  case KERATIN_UNAVAILABLE:
    return absl::UnavailableError(message);
  default:
    return absl::InternalError(message);
  }
}

absl::StatusOr<size_t> tools::pickFunction(const std::vector<std::string> &names,
                                           const std::string &name) {
  if (name.empty() && names.size() == 1)
    return 0;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return i;
  std::string list = llvm::join(names, ", ");
  if (name.empty())
    return absl::InvalidArgumentError("the model has several functions: " + list +
                                      "; choose with --function");
  return absl::InvalidArgumentError("there is no function '" + name + "'; there are " + list);
}

keratin_tensor_t tools::viewOf(Array &array) {
  return {array.data.data(), array.dtype, int32_t(array.dims.size()),
          array.dims.data(), nullptr,     nullptr};
}

//===-- Compiled here -------------------------------------------------------------------------===//

struct Program::Compiled {
  std::shared_ptr<const compiler::CompiledFunction> function;
  // For the calls that this does not serve; null: it serves all.
  std::shared_ptr<const compiler::CompiledFunction> general;
  keratin_function_desc_t descriptor = {}; // of both
  std::vector<ir::SavedVariable> saved;
  std::vector<keratin_object_variable_t> variables;
  std::vector<int32_t> used;
  // Names of axes of a mesh, along which ranks have parts; "": along none.
  std::vector<std::string> inputAxes;
  std::vector<std::map<size_t, std::string>> outputAxes; // of dimensions that are in parts
  keratin_object_function_t entry = {};
  keratin_object_variant_t variant = {};
  keratin_object_desc_t object = {};
};

// Of each input; and of each output, which has the size of an input with parts where it has one.
static void readAxes(mlir::func::FuncOp function, std::vector<std::string> &inputs,
                     std::vector<std::map<size_t, std::string>> &outputs) {
  const ir::Signature signature(function);
  std::map<int64_t, std::string> axisOfSize;
  for (unsigned i = 0; i < signature.firstVariable(); ++i) {
    const mlir::StringAttr axis = signature.meshAxis(i);
    inputs.push_back(axis ? axis.str() : "");
    if (std::optional<int64_t> dimension = signature.sharded(i))
      for (int64_t symbol : ir::getShape(function.getArgument(i))[size_t(*dimension)].symbols())
        axisOfSize[symbol] = inputs.back();
  }
  for (mlir::Type type : function.getResultTypes()) {
    std::map<size_t, std::string> &axes = outputs.emplace_back();
    for (auto [dimension, size] :
         llvm::enumerate(ir::getShape(mlir::cast<mlir::RankedTensorType>(type))))
      for (int64_t symbol : size.symbols())
        if (auto found = axisOfSize.find(symbol); found != axisOfSize.end())
          axes[dimension] = found->second;
  }
}

Program::Program() = default;

Program::~Program() = default;

absl::StatusOr<std::unique_ptr<Program>> Program::compile(const ir::SavedGraph &graph,
                                                          size_t function,
                                                          const compiler::CompileOptions &options,
                                                          const std::string &device) {
  const ir::SavedFunction &saved = graph.functions[function];
  auto op =
      *std::next(graph.module.get().getOps<mlir::func::FuncOp>().begin(), ptrdiff_t(function));
  compiler::CompileOptions own = options;
  own.device = keratin_device_find(
      (device.empty() ? codegen::targetFamily(options.target).str() : device).c_str());
  auto compileOnce = [&] {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op.getLoc());
    mlir::func::FuncOp copy = op.clone();
    copy.setName(saved.name); // as messages call it
    module->push_back(copy);
    return compiler::compile(*module, own);
  };
  auto code = compileOnce();
  if (!code.ok())
    return code.status();
  std::unique_ptr<Program> program(new Program());
  program->compiled = std::make_unique<Compiled>();
  Compiled &made = *program->compiled;
  made.function = *std::move(code);
  made.descriptor = made.function->descriptor();
  if (made.function->assumesSizes()) {
    own.assumeEqualSizes = false;
    if (code = compileOnce(); !code.ok())
      return code.status();
    made.general = *std::move(code);
    made.descriptor.general = &made.general->descriptor();
  }
  if (size_t(made.function->descriptor().num_variables) != saved.variables.size())
    return absl::InvalidArgumentError("function '" + saved.name +
                                      "' is given another number of variables than it has");
  made.saved = graph.variables;
  for (const ir::SavedVariable &variable : made.saved)
    made.variables.push_back({{variable.name.c_str(),
                               variable.dtype,
                               int32_t(variable.dims.size()),
                               variable.dims.data(),
                               "",
                               nullptr,
                               {}},
                              variable.bytes.empty() ? nullptr : variable.bytes.data(),
                              {}});
  made.used.assign(saved.variables.begin(), saved.variables.end());
  readAxes(op, made.inputAxes, made.outputAxes);
  made.entry = {&made.descriptor, made.used.data(), {}};
  made.variant = {options.cpu.c_str(), {0, 0}, &made.entry, {}};
  made.object = {KERATIN_OBJECT_MAGIC,
                 KERATIN_OBJECT_ABI_VERSION,
                 "model",
                 compiler::producer,
                 1,
                 int32_t(made.variables.size()),
                 1,
                 0,
                 made.variables.data(),
                 &made.variant,
                 made.entry.descriptor->device_code ? made.entry.descriptor->device_code->device
                                                    : nullptr,
                 {}};
  if (absl::Status status = program->start(made.object, saved.name, device); !status.ok())
    return status;
  return program;
}

//===-- Compiled ahead of time ----------------------------------------------------------------===//

bool tools::isObjectFile(const std::string &path) {
  // A pipe holds a model at most: what is looked at here would be missing there.
  runtime::FileReader file;
  char head[4];
  return file.open(path.c_str()) && file.read(head, sizeof head) == sizeof head &&
         llvm::StringRef(head, sizeof head) == llvm::StringRef("\x7f"
                                                               "ELF");
}

absl::StatusOr<std::unique_ptr<Program>> Program::load(const std::string &path,
                                                       const std::string &function) {
  auto object = compiler::LoadedObject::open(path);
  if (!object.ok())
    return object.status();
  std::unique_ptr<Program> program(new Program());
  program->loaded = *std::move(object);
  if (absl::Status status = program->start(program->loaded->description(), function, "");
      !status.ok())
    return status;
  return program;
}

//===-- Running -------------------------------------------------------------------------------===//

absl::Status Program::start(const keratin_object_desc_t &object, const std::string &function,
                            const std::string &device) {
  keratin_status_t status;
  keratin_state_t *made = nullptr;
  if (keratin_state_create_on(&object, device.empty() ? nullptr : device.c_str(), &made, &status) !=
      KERATIN_OK)
    return statusOf(status);
  state.reset(made);
  described = &object;
  const keratin_object_variant_t *variant = object.variants;
  while (variant->cpu != keratin_state_cpu(made))
    ++variant;
  std::vector<std::string> names;
  for (int32_t i = 0; i < object.num_functions; ++i)
    names.push_back(variant->functions[i].descriptor->name);
  auto found = pickFunction(names, function);
  if (!found.ok())
    return found.status();
  number = int32_t(*found);
  picked = &variant->functions[number];
  return absl::OkStatus();
}

absl::Status Program::loadState(const std::string &path) {
  keratin_status_t status;
  keratin_state_load(state.get(), path.c_str(), &status);
  return statusOf(status);
}

absl::Status Program::saveState(const std::string &path) const {
  keratin_status_t status;
  keratin_state_save(state.get(), path.c_str(), &status);
  return statusOf(status);
}

absl::StatusOr<Array> tools::makeArray(const char *name, int32_t dtype, std::vector<int64_t> dims) {
  int64_t bytes = 0;
  if (!runtime::tensorBytes(dtype, int32_t(dims.size()), dims.data(), bytes) ||
      bytes > maxArrayBytes)
    return absl::ResourceExhaustedError(std::string("'") + name +
                                        "' would be too large to hold in memory");
  return Array{keratin_dtype_t(dtype), std::move(dims), std::vector<char>(size_t(bytes))};
}

absl::StatusOr<Array> Program::variable(int32_t i) const {
  const keratin_tensor_desc_t &tensor = described->variables[i].tensor;
  auto array = makeArray(tensor.name, tensor.dtype, {tensor.dims, tensor.dims + tensor.rank});
  if (!array.ok())
    return array;
  keratin_status_t status;
  if (keratin_state_read(state.get(), i, array->data.data(), array->data.size(), &status) !=
      KERATIN_OK)
    return statusOf(status);
  return array;
}

absl::Status Program::setVariable(int32_t i, Array &value) {
  const keratin_tensor_t view = viewOf(value);
  keratin_status_t status;
  keratin_state_write(state.get(), i, &view, &status);
  return statusOf(status);
}

std::optional<bool> Program::countsDraws(int32_t i) const {
  return compiled ? std::optional<bool>(compiled->saved[size_t(i)].countsDraws) : std::nullopt;
}

static std::vector<keratin_tensor_t> viewsOf(std::vector<Array> &arrays) {
  std::vector<keratin_tensor_t> views;
  for (Array &array : arrays)
    views.push_back(viewOf(array));
  return views;
}

absl::StatusOr<std::vector<Array>> Program::makeOutputs(std::vector<Array> &inputs) const {
  std::vector<keratin_tensor_t> views = viewsOf(inputs);
  std::vector<Array> outputs;
  for (int32_t i = 0; i < signature().num_outputs; ++i) {
    const keratin_tensor_desc_t &tensor = signature().outputs[i];
    std::vector<int64_t> dims(size_t(tensor.rank));
    keratin_status_t status;
    if (keratin_state_output_dims(state.get(), number, views.data(), int32_t(views.size()), i,
                                  dims.data(), &status) != KERATIN_OK)
      return statusOf(status);
    auto array = makeArray(tensor.name, tensor.dtype, std::move(dims));
    if (!array.ok())
      return array.status();
    outputs.push_back(*std::move(array));
  }
  return outputs;
}

absl::Status Program::call(std::vector<Array> &inputs, std::vector<Array> &outputs) const {
  if (signature().computed || ranks() > 1) {
    // Of the sizes that an earlier call computed, or that all ranks' are together.
    auto fresh = makeOutputs(inputs);
    if (!fresh.ok())
      return fresh.status();
    outputs = *std::move(fresh);
  }
  std::vector<keratin_tensor_t> in = viewsOf(inputs), out = viewsOf(outputs);
  keratin_status_t status;
  keratin_state_invoke(state.get(), number, in.data(), int32_t(in.size()), out.data(),
                       int32_t(out.size()), nullptr, 0, &status);
  ranksKnow |= status.code != KERATIN_OK;
  // The dims are the views', and so what the call computed.
  for (int32_t i = 0; signature().computed && i < signature().num_outputs; ++i) {
    Array &output = outputs[size_t(i)];
    int64_t bytes = 0;
    if (runtime::tensorBytes(output.dtype, int32_t(output.dims.size()), output.dims.data(), bytes))
      output.data.resize(size_t(bytes));
  }
  return statusOf(status);
}

absl::Status Program::call(const std::vector<keratin_tensor_t> &inputs,
                           const std::vector<keratin_tensor_t> &outputs) const {
  keratin_status_t status;
  keratin_state_invoke(state.get(), number, inputs.data(), int32_t(inputs.size()), outputs.data(),
                       int32_t(outputs.size()), nullptr, 0, &status);
  return statusOf(status);
}

//===-- Ranks ---------------------------------------------------------------------------------===//

bool Program::hasParts() const {
  return std::any_of(signature().inputs, signature().inputs + signature().num_inputs,
                     [](const keratin_tensor_desc_t &input) { return input.part != 0; });
}

bool Program::isOfRanks() const { return runtime::isOfRanks(signature()) || hasParts(); }

absl::Status Program::join(const std::string &mesh) {
  if (loaded && hasParts() && signature().axes)
    return absl::UnimplementedError(
        std::string("function '") + signature().name +
        "': not implemented: parts of an object's inputs in a mesh, of which it does not say along "
        "which axis they are; needed the model, with --shard");
  keratin_status_t status;
  comm::joinRanks("--mesh", state.get(), nullptr, mesh.empty() ? nullptr : mesh.c_str(), &status);
  ranksKnow = status.code != KERATIN_OK;
  return statusOf(status);
}

keratin_axis_t Program::axisNamed(const std::string &name) const {
  keratin_axis_t axis = {};
  if (state->group && !name.empty())
    (void)comm::meshOf(*state->group).find(name.c_str(), axis); // it has it, as joining has found
  return axis;
}

keratin_axis_t Program::axisOfInput(size_t number) const {
  return compiled ? axisNamed(compiled->inputAxes[number]) : keratin_axis_t{};
}

std::vector<Program::PartAlong> Program::partsOfOutput(size_t number) const {
  const int64_t part = signature().outputs[number].part;
  if (!part)
    return {};
  if (!compiled)
    return {PartAlong{size_t(part - 1), {}}};
  std::vector<PartAlong> parts;
  for (const auto &[dimension, axis] : compiled->outputAxes[number])
    parts.push_back({dimension, axisNamed(axis)});
  return parts;
}

int32_t Program::rank() const { return state->group ? keratin_group_rank(state->group) : 0; }
int32_t Program::ranks() const { return state->group ? keratin_group_size(state->group) : 1; }

absl::Status Program::runOnRanks(const keratin_collective_t &wanted) const {
  if (!state->group)
    return absl::OkStatus();
  keratin_status_t status;
  keratin_group_run(state->group, &wanted, &status);
  ranksKnow = status.code != KERATIN_OK;
  return statusOf(status);
}

void Program::tellRanks(const absl::Status &failure) const {
  if (!ranksKnow)
    keratin_group_fail(state->group, std::string(failure.message()).c_str());
  ranksKnow = true;
}

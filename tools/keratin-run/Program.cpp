#include "tools/keratin-run/Program.h"

#include "codegen/Target.h"
#include "compiler/driver/Version.h"
#include "runtime/comm/Axis.h"
#include "runtime/comm/Mesh.h"
#include "runtime/comm/StateRanks.h"
#include "runtime/core/DType.h"
#include "runtime/core/SymbolSource.h"
#include "runtime/files/FileBytes.h"
#include "runtime/object/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

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
  compiler::RankParts parts;
  keratin_object_function_t entry = {};
  keratin_object_variant_t variant = {};
  keratin_object_desc_t object = {};
};

Program::Program() = default;

Program::~Program() = default;

absl::StatusOr<std::unique_ptr<Program>> Program::compile(const ir::SavedGraph &graph,
                                                          size_t function,
                                                          const compiler::CompileOptions &options,
                                                          const compiler::PartOptions &parts,
                                                          const std::string &device) {
  auto given =
      *std::next(graph.module.get().getOps<mlir::func::FuncOp>().begin(), ptrdiff_t(function));
  mlir::func::FuncOp op = given.clone();
  ir::SavedGraph own; // of the one function
  own.module = mlir::ModuleOp::create(given.getLoc());
  own.module->push_back(op);
  own.functions = {graph.functions[function]};
  own.variables = graph.variables;
  auto divided = compiler::divideVariables(own, parts);
  if (!divided.ok())
    return divided.status();
  const ir::SavedFunction &saved = own.functions.front();
  compiler::CompileOptions compileOptions = options;
  compileOptions.device = keratin_device_find(
      (device.empty() ? codegen::targetFamily(options.target).str() : device).c_str());
  auto compileOnce = [&] {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op.getLoc());
    mlir::func::FuncOp copy = op.clone();
    copy.setName(saved.name); // as messages call it
    module->push_back(copy);
    return compiler::compile(*module, compileOptions);
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
    compileOptions.assumeEqualSizes = false;
    if (code = compileOnce(); !code.ok())
      return code.status();
    made.general = *std::move(code);
    made.descriptor.general = &made.general->descriptor();
  }
  if (size_t(made.descriptor.num_variables) != saved.variables.size())
    return absl::InvalidArgumentError("function '" + saved.name +
                                      "' is given another number of variables than it has");
  made.saved = std::move(own.variables);
  made.parts = *std::move(divided);
  for (const auto &[number, variable] : llvm::enumerate(made.saved))
    made.variables.push_back({{variable.name.c_str(),
                               variable.dtype,
                               int32_t(variable.dims.size()),
                               variable.dims.data(),
                               "",
                               nullptr,
                               {}},
                              variable.bytes.empty() ? nullptr : variable.bytes.data(),
                              made.parts.partOf(number),
                              {}});
  made.used.assign(saved.variables.begin(), saved.variables.end());
  made.entry = {&made.descriptor, made.used.data(), made.function->partAxes(), {}};
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
                 made.parts.numbers(),
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
  keratin_state_save(state.get(), path.empty() ? nullptr : path.c_str(), &status);
  return ofVariables(status);
}

// What all ranks do together fails on all.
absl::Status Program::ofVariables(const keratin_status_t &status) const {
  ranksKnow |= status.code != KERATIN_OK && isDivided();
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
    return ofVariables(status);
  return array;
}

absl::StatusOr<Array> Program::ownVariable(int32_t number) const {
  const int32_t i = picked->variables[number];
  if (isVariable(number))
    return variable(i);
  Array value{KERATIN_DTYPE_INT64, {}, std::vector<char>(sizeof(int64_t))};
  keratin_status_t status;
  keratin_variable_read(state->variables[i], value.data.data(), value.data.size(), &status);
  return status.code == KERATIN_OK ? absl::StatusOr<Array>(std::move(value)) : statusOf(status);
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

bool Program::hasVariableParts() const {
  return std::any_of(object().variables, object().variables + object().num_variables,
                     [](const keratin_object_variable_t &variable) { return variable.part; });
}

bool Program::isDivided() const { return state->isDivided; }

bool Program::isOfRanks() const {
  return runtime::isOfRanks(signature()) || hasParts() || hasVariableParts();
}

absl::Status Program::join(const std::string &mesh) {
  keratin_status_t status;
  comm::joinRanks("--mesh", state.get(), nullptr, mesh.empty() ? nullptr : mesh.c_str(), &status);
  ranksKnow = status.code != KERATIN_OK;
  return statusOf(status);
}

// The mesh has it, as joining has found.
keratin_axis_t Program::axisNamed(const char *name) const {
  keratin_axis_t axis = {};
  if (state->group && name)
    (void)comm::meshOf(*state->group).find(name, axis);
  return axis;
}

keratin_axis_t Program::axisOfInput(size_t number) const {
  return axisNamed(picked->part_axes ? picked->part_axes->inputs[number] : nullptr);
}

std::vector<Program::PartAlong> Program::partsOfOutput(size_t number) const {
  const int64_t part = signature().outputs[number].part;
  if (!part)
    return {};
  const keratin_part_axes_t *axes = picked->part_axes;
  std::vector<PartAlong> parts{
      {size_t(part - 1), axisNamed(axes ? axes->outputs[number] : nullptr)}};
  for (int64_t i = 0; axes && i < axes->num_further; ++i)
    if (const keratin_further_part_t &further = axes->further[i]; further.output == int64_t(number))
      parts.push_back({size_t(further.dimension), axisNamed(further.axis)});
  return parts;
}

int32_t Program::rank() const { return state->group ? keratin_group_rank(state->group) : 0; }
int32_t Program::ranks() const { return state->group ? keratin_group_size(state->group) : 1; }

int64_t Program::rankNumber(const keratin_symbol_desc_t &symbol) const {
  const char *axis = symbol.index ? signature().axes->names[symbol.index - 1] : nullptr;
  const comm::Members members = comm::membersOf(axisNamed(axis), rank(), ranks());
  return symbol.source == KERATIN_SYMBOL_RANKS ? members.count : members.placeOf(rank());
}

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

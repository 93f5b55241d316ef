// Models compiled ahead of time.
#include "keratin/model.h"

#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"
#include "frontend/graph/SourcePlace.h"

#include "compiler/arrays/Weights.h"
#include "compiler/artifact/FunctionText.h"
#include "compiler/artifact/LoadedObject.h"

#include "keratin/object.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

namespace {

struct StateDeleter {
  void operator()(keratin_state_t *state) const { keratin_state_destroy(state); }
};
using State = std::unique_ptr<keratin_state_t, StateDeleter>;

} // namespace

struct Model::Impl {
  std::shared_ptr<const compiler::LoadedObject> object; // outlives the state
  State state;
  std::string name, metadata;
  std::vector<ModelFunction> functions;
  std::vector<const keratin_function_desc_t *> signatures; // of the functions
  std::vector<ModelTensor> variables;

  // For messages.
  std::string subject(const std::string &what) const { return name + ": " + what; }
};

static ModelTensor tensorOf(const keratin_tensor_desc_t &tensor) {
  ModelTensor result{tensor.name, DType(tensor.dtype), {}};
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    result.shape.push_back(tensor.dims[axis] < 0 ? std::optional<int64_t>() : tensor.dims[axis]);
  return result;
}

static ModelFunction functionOf(const keratin_function_desc_t &function) {
  ModelFunction result{function.name, {}, {}, {}};
  for (int32_t i = 0; i < function.num_inputs; ++i)
    result.inputs.push_back(tensorOf(function.inputs[i]));
  for (int32_t i = 0; i < function.num_outputs; ++i)
    result.outputs.push_back(tensorOf(function.outputs[i]));
  for (int32_t i = 0; i < function.num_updates; ++i)
    result.updates.push_back(function.variables[function.updates[i].variable].name);
  return result;
}

Model::Model(const std::string &path, const std::string &device, SourceLocation location)
    : impl(std::make_shared<Impl>()) {
  const std::string who = "Model: '" + path + "': ";
  auto object = withMemory([&] { return compiler::LoadedObject::open(path); });
  if (!object.ok())
    throw ValueError(withPlace(who + std::string(object.status().message()), location));
  impl->object = *std::move(object);
  impl->metadata = impl->object->metadata();
  const keratin_object_desc_t &description = impl->object->description();
  keratin_state_t *state = nullptr;
  keratin_status_t status;
  if (keratin_state_create_on(&description, device.empty() ? nullptr : device.c_str(), &state,
                              &status) != KERATIN_OK) {
    const std::string why = who + status.message;
    if (status.code == KERATIN_RESOURCE_EXHAUSTED)
      throw MemoryError(withPlace(why, location));
    throw ValueError(withPlace(why, location));
  }
  impl->state.reset(state);
  impl->name = description.name;
  const keratin_object_variant_t *variant = description.variants;
  while (variant->cpu != keratin_state_cpu(state))
    ++variant;
  for (int32_t i = 0; i < description.num_functions; ++i) {
    impl->signatures.push_back(variant->functions[i].descriptor);
    impl->functions.push_back(functionOf(*impl->signatures.back()));
  }
  for (int32_t i = 0; i < description.num_variables; ++i)
    impl->variables.push_back(tensorOf(description.variables[i].tensor));
}

const Model::Impl &Model::checked(const char *call) const {
  if (!impl)
    throw ValueError("Model::" + std::string(call) + ": the Model is empty");
  return *impl;
}

const std::string &Model::name() const { return checked("name").name; }
const std::string &Model::metadata() const { return checked("metadata").metadata; }
std::string Model::cpu() const { return keratin_state_cpu(checked("cpu").state.get()); }
std::string Model::device() const {
  const keratin_device_t *device = keratin_state_device(checked("device").state.get());
  return device ? device->name : "cpu";
}
const std::vector<ModelFunction> &Model::functions() const {
  return checked("functions").functions;
}
const std::vector<ModelTensor> &Model::variables() const { return checked("variables").variables; }

//===-- Calls ---------------------------------------------------------------------------------===//

template <typename T> static std::string namesOf(const std::vector<T> &all) {
  std::string text;
  for (const T &each : all)
    text += (text.empty() ? "'" : ", '") + each.name + "'";
  return text.empty() ? "none" : text;
}

static size_t numberOf(const Model::Impl &model, const std::string &function) {
  const std::vector<ModelFunction> &all = model.functions;
  if (function.empty() && all.size() == 1)
    return 0;
  auto found = std::ranges::find(all, function, &ModelFunction::name);
  if (found != all.end())
    return size_t(found - all.begin());
  throw ValueError(model.subject("") +
                   (function.empty() ? "there are several functions"
                                     : "there is no function '" + function + "'") +
                   "; needed the name of one: " + namesOf(all));
}

static void checkInput(const ModelFunction &function, const keratin_function_desc_t &signature,
                       size_t number, const Array &value) {
  const ModelTensor &input = function.inputs[number];
  auto refuse = [&](const std::string &found) {
    const char *line = signature.inputs[number].location; // may be null
    throw ValueError(function.name + ": the value for '" + input.name + "' " +
                     (line && *line ? "(" + std::string(line) + ") " : "") + found);
  };
  if (value.isNone())
    refuse("is None; needed an array");
  bool fits = value.ndim() == int64_t(input.shape.size());
  for (size_t axis = 0; fits && axis < input.shape.size(); ++axis)
    fits = !input.shape[axis] || *input.shape[axis] == value.shape()[axis];
  if (!fits)
    refuse("has shape " + toString(value.shape()) + "; needed " +
           compiler::FunctionText::stated(signature, signature.inputs[number]));
}

// One value for each input.
static std::vector<Array> called(const Model::Impl &model, size_t number,
                                 const std::vector<const Array *> &values) {
  const ModelFunction &function = model.functions[number];
  const keratin_function_desc_t &signature = *model.signatures[number];
  std::vector<Array> converted;
  converted.reserve(values.size()); // their views stay
  std::vector<keratin_tensor_t> inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const ModelTensor &input = function.inputs[i];
    checkInput(function, signature, i, *values[i]);
    const bool isAsNeeded = values[i]->dtype() == input.dtype;
    inputs.push_back(
        viewOf(isAsNeeded ? *values[i] : converted.emplace_back(values[i]->astype(input.dtype))));
  }
  keratin_state_t *state = model.state.get();
  const auto place = int32_t(number), numInputs = int32_t(inputs.size());
  std::vector<Array> results;
  std::vector<std::vector<int64_t>> dims(function.outputs.size());
  std::vector<keratin_tensor_t> outputs;
  keratin_status_t status;
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i].resize(function.outputs[i].shape.size());
    if (keratin_state_output_dims(state, place, inputs.data(), numInputs, int32_t(i),
                                  dims[i].data(), &status) != KERATIN_OK)
      throwFailure(function.name, status);
    results.push_back(Array::empty(function.outputs[i].dtype, dims[i]));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    outputs.push_back(viewOf(results[i]));
    outputs.back().dims = dims[i].data(); // where the call says what it computes
  }
  if (keratin_state_invoke(state, place, inputs.data(), numInputs, outputs.data(),
                           int32_t(outputs.size()), /*workspace=*/nullptr, 0,
                           &status) != KERATIN_OK)
    throwFailure(function.name, status);
  for (size_t i = 0; i < dims.size(); ++i)
    if (signature.outputs[i].capacity)
      results[i].shrink(dims[i].data());
  return results;
}

static Results resultsOf(const ModelFunction &function, std::vector<Array> arrays) {
  auto names = std::make_shared<std::vector<std::string>>();
  for (const ModelTensor &output : function.outputs)
    names->push_back(output.name);
  return {std::move(arrays), std::move(names)};
}

Results Model::call(const std::string &function, const std::vector<Array> &values) const {
  const Impl &model = checked("call");
  const size_t number = numberOf(model, function);
  const ModelFunction &callee = model.functions[number];
  if (values.size() != callee.inputs.size())
    throw ValueError(callee.name + ": " + std::to_string(values.size()) +
                     (values.size() == 1 ? " value" : " values") + "; needed one for each of " +
                     std::to_string(callee.inputs.size()) + " inputs: " + namesOf(callee.inputs));
  std::vector<const Array *> all;
  for (const Array &value : values)
    all.push_back(&value);
  return resultsOf(callee, called(model, number, all));
}

Results Model::call(const std::string &function, const NamedFeeds &values) const {
  const Impl &model = checked("call");
  const size_t number = numberOf(model, function);
  const ModelFunction &callee = model.functions[number];
  std::vector<const Array *> byPlace(callee.inputs.size());
  std::vector<Array> made;
  made.reserve(values.list().size());
  for (const auto &[name, feed] : values.list()) {
    auto found = std::ranges::find(callee.inputs, name, &ModelTensor::name);
    if (found == callee.inputs.end())
      throw ValueError(callee.name + ": no input is named '" + name + "'; there are " +
                       namesOf(callee.inputs));
    const Array *&place = byPlace[size_t(found - callee.inputs.begin())];
    if (place)
      throw ValueError(callee.name + ": '" + name + "' is given twice");
    place = feed.matrix() ? &made.emplace_back(feed.matrix()->toDense()) : &feed.array();
  }
  const Array none;
  std::ranges::replace(byPlace, nullptr, &none);
  return resultsOf(callee, called(model, number, byPlace));
}

//===-- Variables -----------------------------------------------------------------------------===//

// Of variables by their numbers, all of one moment.
static std::vector<Array> valuesOf(const Model::Impl &model, const std::vector<int32_t> &numbers) {
  std::vector<Array> values;
  values.reserve(numbers.size()); // small arrays have their elements in them, so none may move
  std::vector<void *> data;
  std::vector<size_t> bytes;
  for (int32_t number : numbers) {
    const ModelTensor &variable = model.variables[size_t(number)];
    std::vector<int64_t> dims;
    for (std::optional<int64_t> size : variable.shape)
      dims.push_back(*size);
    Array &value = values.emplace_back(Array::empty(variable.dtype, dims));
    data.push_back(value.rawData());
    bytes.push_back(value.bytes());
  }
  keratin_status_t status;
  if (keratin_state_read_several(model.state.get(), numbers.data(), data.data(), bytes.data(),
                                 int32_t(numbers.size()), &status) != KERATIN_OK)
    throwFailure(model.name, status);
  return values;
}

static int32_t variableNamed(const Model::Impl &model, const std::string &name) {
  int32_t number = 0;
  keratin_status_t status;
  if (keratin_state_find_variable(model.state.get(), name.c_str(), &number, &status) != KERATIN_OK)
    throw ValueError(status.message);
  return number;
}

// Precondition: the variables' dtypes and shapes. All at once.
static void write(const Model::Impl &model, const std::vector<std::pair<int32_t, Array>> &values) {
  std::vector<int32_t> numbers;
  std::vector<keratin_tensor_t> views;
  for (const auto &[number, value] : values) {
    numbers.push_back(number);
    views.push_back(viewOf(value));
  }
  keratin_status_t status;
  if (keratin_state_write_several(model.state.get(), numbers.data(), views.data(),
                                  int32_t(views.size()), &status) != KERATIN_OK)
    throwFailure(model.name, status);
}

Array Model::getValue(const std::string &variable) const {
  const Impl &model = checked("getValue");
  return std::move(valuesOf(model, {variableNamed(model, variable)}).front());
}

std::vector<Array> Model::getValues(const std::vector<std::string> &variables) const {
  const Impl &model = checked("getValues");
  std::vector<int32_t> numbers;
  for (const std::string &name : variables)
    numbers.push_back(variableNamed(model, name));
  return valuesOf(model, numbers);
}

void Model::setValues(const std::vector<std::pair<std::string, Array>> &values) {
  const Impl &model = checked("setValues");
  std::vector<std::pair<int32_t, Array>> all;
  for (const auto &[name, value] : values) {
    const int32_t number = variableNamed(model, name);
    const ModelTensor &variable = model.variables[size_t(number)];
    const std::string what = model.subject("the value for '" + name + "' ");
    if (value.isNone())
      throw ValueError(what + "is None; needed an array");
    if (StaticShape(value.shape().begin(), value.shape().end()) != variable.shape)
      throw ValueError(what + "has shape " + toString(value.shape()) + "; needed " +
                       toString(variable.shape));
    all.emplace_back(number, value.astype(variable.dtype));
  }
  write(model, all);
}

// What was wrong with the file.
[[noreturn]] static void throwOf(const Model::Impl &model, const std::string &path,
                                 const absl::Status &status) {
  throwStatus(status.code(), model.subject("'" + path + "': " + std::string(status.message())));
}

static void checkPath(const Model::Impl &model, const std::string &path, compiler::WeightsUse use) {
  if (absl::Status status = compiler::checkWeightsPath(path, use); !status.ok())
    throw ValueError(model.subject(std::string(status.message())));
}

void Model::saveWeights(const std::string &path) const {
  const Impl &model = checked("saveWeights");
  checkPath(model, path, compiler::WeightsUse::Write);
  absl::Status status = withMemory([&] {
    std::vector<int32_t> all(model.variables.size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<Array> values = valuesOf(model, all);
    std::vector<compiler::NamedView> views;
    for (size_t i = 0; i < values.size(); ++i)
      views.push_back({model.variables[i].name,
                       {keratin_dtype_t(values[i].dtype()),
                        values[i].shape(),
                        {static_cast<const char *>(values[i].rawData()), values[i].bytes()}}});
    return compiler::writeWeights(path, views);
  });
  if (!status.ok())
    throwOf(model, path, status);
}

void Model::loadWeights(const std::string &path) {
  const Impl &model = checked("loadWeights");
  checkPath(model, path, compiler::WeightsUse::Read);
  absl::Status status = withMemory([&] {
    std::vector<compiler::WeightSlot> slots;
    for (const ModelTensor &variable : model.variables) {
      slots.push_back({variable.name, keratin_dtype_t(variable.dtype), {}});
      for (std::optional<int64_t> size : variable.shape)
        slots.back().dims.push_back(*size);
      slots.back().isOptional = variable.dtype == DType::Int64 && variable.shape.empty();
    }
    auto arrays = compiler::readWeights(path, slots);
    if (!arrays.ok())
      return arrays.status();
    std::vector<std::pair<int32_t, Array>> values;
    for (size_t i = 0; i < arrays->size(); ++i)
      if (const compiler::Array &array = (*arrays)[i]; array.dtype != KERATIN_DTYPE_INVALID)
        values.emplace_back(int32_t(i),
                            Array::constView(array.data.data(), DType(array.dtype), array.dims));
    write(model, values);
    return absl::OkStatus();
  });
  if (!status.ok())
    throwOf(model, path, status);
}

void Model::saveState(const std::string &path) const {
  const Impl &model = checked("saveState");
  keratin_status_t status;
  const keratin_status_code_t code = keratin_state_save(model.state.get(), path.c_str(), &status);
  if (code == KERATIN_RESOURCE_EXHAUSTED) // what is exhausted is the disk
    throw RuntimeError(model.subject(status.message));
  if (code != KERATIN_OK)
    throwFailure(model.name, status);
}

void Model::loadState(const std::string &path) {
  const Impl &model = checked("loadState");
  keratin_status_t status;
  if (keratin_state_load(model.state.get(), path.c_str(), &status) != KERATIN_OK)
    throwFailure(model.name, status);
}

Model Model::copy() const {
  const Impl &model = checked("copy");
  keratin_state_t *state = nullptr;
  keratin_status_t status;
  if (keratin_state_copy(model.state.get(), &state, &status) != KERATIN_OK)
    throwFailure(model.name, status);
  auto made = std::make_shared<Impl>();
  made->object = model.object;
  made->state.reset(state);
  made->name = model.name;
  made->metadata = model.metadata;
  made->functions = model.functions;
  made->signatures = model.signatures;
  made->variables = model.variables;
  return Model(std::move(made));
}

//===-- Text ----------------------------------------------------------------------------------===//

static std::string described(const std::vector<ModelTensor> &tensors) {
  std::string text;
  for (const ModelTensor &tensor : tensors)
    text += (text.empty() ? "" : ", ") + tensor.name + " " + dtypeName(tensor.dtype) + " " +
            toString(tensor.shape);
  return "(" + text + ")";
}

std::string keratin::toString(const Model &model) {
  std::string text = "model " + model.name() + " for " + model.cpu();
  if (model.device() != "cpu")
    text += " and " + model.device();
  for (const ModelFunction &function : model.functions()) {
    text += "\n  function " + function.name + described(function.inputs) + " -> " +
            described(function.outputs);
    if (!function.updates.empty())
      text += ", updates " + std::to_string(function.updates.size()) + " variables";
  }
  for (const ModelTensor &variable : model.variables())
    text += "\n  variable " + variable.name + " " + dtypeName(variable.dtype) + " " +
            toString(variable.shape);
  return text;
}

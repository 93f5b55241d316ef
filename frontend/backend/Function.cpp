// K::function and what it returns.
#include "keratin/function.h"

#include "frontend/backend/FunctionState.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/InputNames.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/graph/StateParts.h"
#include "frontend/graph/VariableParts.h"
#include "keratin/graph.h"
#include "keratin/io.h"
#include "keratin/variables.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <list>

using namespace keratin;
using namespace keratin::frontend;

const Function::Impl &Function::checked(const char *call) const {
  if (!impl)
    throw ValueError("Function::" + std::string(call) + ": the Function is empty");
  return *impl;
}

const std::vector<Tensor> &Function::inputs() const { return checked("inputs").givenInputs; }
const std::vector<Tensor> &Function::outputs() const { return checked("outputs").givenOutputs; }
const std::string &Function::name() const { return checked("name").name; }
const std::vector<std::string> &Function::inputNames() const {
  return checked("inputNames").inputNames;
}
const std::vector<std::string> &Function::outputNames() const {
  return checked("outputNames").outputNames;
}
double Function::compileMilliseconds() const {
  return checked("compileMilliseconds").program->milliseconds();
}
std::string Function::compileReport() const {
  return checked("compileReport").program->compileReport();
}
int64_t Function::kernelCount() const { return checked("kernelCount").program->kernels(); }
std::string Function::memoryPlan() const { return checked("memoryPlan").program->memoryPlan(); }
int64_t Function::arenaBytes() const { return checked("arenaBytes").program->arenaBytes(); }
int64_t Function::maxLiveBytes() const { return checked("maxLiveBytes").program->maxLiveBytes(); }

static void checkShape(const std::string &function, const InputSpec &spec, const Array &value) {
  bool fits = value.ndim() == int64_t(spec.shape.size());
  for (size_t i = 0; fits && i < spec.shape.size(); ++i)
    fits = !spec.shape[i] || *spec.shape[i] == value.shape()[i];
  if (!fits)
    throw ValueError(function + ": the value for '" + spec.name + "'" + spec.place + " has shape " +
                     toString(value.shape()) + "; needed " + spec.needed);
}

namespace {

// What a caller gave for one input.
struct Given {
  const Array *array;
  const SparseMatrix *matrix; // null for an array
};

} // namespace

// Whether both have elements in the same memory. Of a view with strides nobody needs to know better
// than from its first to its last byte.
static bool overlap(const Array &a, const Array &b) {
  if (a.isNone() || b.isNone() || a.size() == 0 || b.size() == 0)
    return false;
  auto range = [](const Array &array) {
    std::vector<int64_t> strides = array.strides();
    int64_t low = 0, high = 1;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      (strides[axis] < 0 ? low : high) += strides[axis] * (array.shape()[axis] - 1);
    auto begin = uintptr_t(array.origin());
    const auto size = int64_t(dtypeSize(array.dtype()));
    return std::pair(begin + uintptr_t(low * size), begin + uintptr_t(high * size));
  };
  auto [beginA, endA] = range(a);
  auto [beginB, endB] = range(b);
  return beginA < endB && beginB < endA;
}

// Whether the array would be written, or moved, when the outputs are.
static bool isAmong(const std::vector<Array> &outputs, bool haveViews, const Array *value) {
  std::less_equal<const Array *> notBehind;
  if (notBehind(outputs.data(), value) && !notBehind(outputs.data() + outputs.size(), value))
    return true;
  // Without views no two arrays share memory.
  if (!haveViews && !value->isView())
    return false;
  return llvm::any_of(outputs, [&](const Array &output) {
    return (output.isView() || value->isView()) && overlap(output, *value);
  });
}

// Views among the outputs must not share memory with each other, nor with memory that is given back
// when another output changes its size.
static void checkOutputs(const std::string &function, const std::vector<Array> &outputs) {
  llvm::SmallVector<size_t> views; // so far
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto check = [&](size_t j) {
      if (overlap(outputs[i], outputs[j]))
        throw ValueError(function + ": the arrays for outputs " + std::to_string(j) + " and " +
                         std::to_string(i) + " overlap; needed memory for each");
    };
    if (!outputs[i].isView()) {
      llvm::for_each(views, check);
      continue;
    }
    for (size_t j = 0; j < i; ++j)
      check(j);
    views.push_back(i);
  }
}

// "'x', 'y'"
static std::string quoted(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    if (!name.empty())
      text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

// `given` says what input i got; `made` holds what is not taken as it was given. A list, so that
// pointers to its elements stay.
static llvm::SmallVector<const Array *, 8> takeInputs(const Function::Impl &impl, size_t count,
                                                      llvm::function_ref<Given(size_t)> given,
                                                      std::vector<Array> &outputs,
                                                      std::list<Array> &made) {
  if (count != impl.givenInputs.size())
    throw ValueError(impl.name + ": " + std::to_string(count) +
                     (count == 1 ? " value" : " values") + "; needed one for each of " +
                     std::to_string(impl.givenInputs.size()) + " inputs" +
                     (impl.inputNames.empty() ? "" : ": " + quoted(impl.inputNames)));
  bool haveViews = false;
  for (const Array &output : outputs)
    haveViews |= output.isView();
  llvm::SmallVector<const Array *, 8> inputs;
  auto make = [&](Array array) { return &made.emplace_back(std::move(array)); };
  auto take = [&](const Array *value) {
    const InputSpec &spec = impl.specs[inputs.size()];
    if (isAmong(outputs, haveViews, value))
      value = make(*value);
    if (value->isNone()) {
      if (!spec.defaultValue)
        throw ValueError(impl.name + ": the value for '" + spec.name + "'" + spec.place +
                         " is None; needed an array");
      value = &*spec.defaultValue;
    }
    checkShape(impl.name, spec, *value);
    inputs.push_back(value->dtype() == spec.dtype ? value : make(value->astype(spec.dtype)));
  };
  for (size_t i = 0; i < count; ++i) {
    auto [array, matrix] = given(i);
    auto sparse = impl.sparseInputs.find(i);
    if (sparse == impl.sparseInputs.end()) {
      take(matrix ? make(matrix->toDense()) : array);
      continue;
    }
    if (!matrix && array->isNone())
      throw ValueError(impl.name + ": the value for '" + sparse->second.name + "'" +
                       sparse->second.place + " is None; needed a sparse matrix or an array");
    for (Array &part : matrix
                           ? sparseFeed(impl.name, sparse->second, *matrix)
                           : sparseFeed(impl.name, sparse->second, SparseMatrix::fromDense(*array)))
      take(make(std::move(part)));
  }
  if (outputs.size() != impl.outputs.size())
    outputs.resize(impl.outputs.size());
  if (haveViews)
    checkOutputs(impl.name, outputs);
  return inputs;
}

// What is refused before a call, other ranks are told of.
static void prepare(const Function::Impl &impl, llvm::function_ref<void()> check) {
  try {
    check();
  } catch (const std::exception &refused) {
    impl.program->refuse(refused.what());
    throw;
  }
}

static void run(const Function::Impl &impl, size_t count, llvm::function_ref<Given(size_t)> given,
                std::vector<Array> &outputs) {
  llvm::SmallVector<const Array *, 8> inputs;
  std::list<Array> made;
  prepare(impl, [&] { inputs = takeInputs(impl, count, given, outputs, made); });
  impl.program->run(impl.name, impl.handles, inputs.data(), inputs.size(), outputs);
}

void Function::call(const Array *values, size_t count, std::vector<Array> &outputs) const {
  const Impl &function = checked("call");
  prepare(function, [&] {
    if (!values && count)
      throw ValueError(function.name + ": the values are NULL");
  });
  auto given = [&](size_t i) { return Given{&values[i], nullptr}; };
  run(function, count, given, outputs);
}

void Function::refuse(const std::string &reason) const {
  checked("refuse").program->refuse(reason.c_str());
}

Results Function::resultsOf(std::vector<Array> outputs) const {
  return {std::move(outputs),
          std::shared_ptr<const std::vector<std::string>>(impl, &impl->outputNames)};
}

Results Function::callFeeds(const std::vector<Feed> &feeds) const {
  auto given = [&](size_t i) { return Given{&feeds[i].array(), feeds[i].matrix()}; };
  std::vector<Array> outputs;
  run(checked("operator()"), feeds.size(), given, outputs);
  return resultsOf(std::move(outputs));
}

Results Function::callNamed(const NamedFeeds &feeds) const {
  const Impl &function = checked("operator()");
  std::vector<const Feed *> byPlace(function.inputNames.size());
  prepare(function, [&] {
    for (const auto &[name, feed] : feeds.list()) {
      auto found = llvm::find(function.inputNames, name);
      if (found == function.inputNames.end())
        throw ValueError(function.name + ": no input is named '" + name + "'; there are " +
                         (byPlace.empty() ? "none" : quoted(function.inputNames)));
      const Feed *&place = byPlace[size_t(found - function.inputNames.begin())];
      if (place)
        throw ValueError(function.name + ": '" + name + "' is given twice");
      place = &feed;
    }
  });
  const Feed none = None;
  auto given = [&](size_t i) {
    const Feed &feed = byPlace[i] ? *byPlace[i] : none;
    return Given{&feed.array(), feed.matrix()};
  };
  std::vector<Array> outputs;
  run(function, byPlace.size(), given, outputs);
  return resultsOf(std::move(outputs));
}

Results Function::operator()(const std::vector<Array> &values) const {
  (void)checked("operator()");
  std::vector<Array> outputs;
  call(values.data(), values.size(), outputs);
  return resultsOf(std::move(outputs));
}

const std::vector<std::string> &Results::names() const {
  static const std::vector<std::string> none;
  return outputNames ? *outputNames : none;
}

size_t Results::placeOf(const std::string &name) const {
  auto found = llvm::find(names(), name);
  if (found != names().end() && !name.empty() && size_t(found - names().begin()) < size())
    return size_t(found - names().begin());
  std::string known = quoted(names());
  throw ValueError("Results: no output is named '" + name + "'; " +
                   (known.empty() ? "the outputs have no names" : "there are " + known));
}

std::vector<Tensor> Function::variables() const {
  const Impl &function = checked("variables");
  Graph::Lock lock(Graph::get());
  std::vector<Tensor> result;
  for (ir::VariableOp variable : sliceFunction(function).variables)
    if (!Graph::get().variables[variable.getId()].countsDraws)
      result.push_back(tensorOf(variable));
  return result;
}

Update::Update(const Tensor &variable, Operand value, SourceLocation location)
    : op(backend::update(variable, value, location)) {}

InputSpec frontend::specOf(Graph &graph, const Tensor &tensor) {
  InputSpec spec{"",
                 tensor.dtype(),
                 tensor.shape(),
                 std::nullopt,
                 describe(valueOf(tensor)),
                 madeAt(valueOf(tensor))};
  if (auto op = valueOf(tensor).getDefiningOp<ir::PlaceholderOp>())
    spec.defaultValue = graph.placeholders[op.getId()].defaultValue;
  return spec;
}

// Rather than a variable.
static bool isSize(const Shard &shard) { return shard.variable.isEmpty(); }

GraphSlice frontend::sliceFunction(const Function::Impl &impl) {
  SliceRequest request{impl.name, {}, {}, {}};
  for (const Tensor &input : impl.inputs)
    request.inputs.push_back(valueOf(input));
  for (const Tensor &output : impl.outputs)
    request.outputs.push_back(valueOf(output));
  for (const Tensor &update : impl.updates)
    request.updates.push_back(valueOf(update));
  GraphSlice slice = sliceGraph(request);
  slice.lazyUpdates = impl.lazyUpdates;
  slice.productDType = impl.productDType;
  slice.gatherParts = impl.gatherParts;
  slice.localStatistics = impl.localStatistics;
  for (const Shard &shard : impl.shard)
    if (isSize(shard))
      slice.sharded.push_back({Graph::get().namedSymbol(shard.size), axisInJob(shard.mesh)});
  if (impl.isLoaded)
    llvm::sort(slice.ops,
               [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}

void frontend::checkOptions(const Call &call, const FunctionOptions &options) {
  if (options.memoryBudget < 0)
    call.valueError("a memory budget of " + std::to_string(options.memoryBudget) +
                    " bytes; needed at least 0 (no budget)");
  if (!(options.timeLimit >= 0))
    call.valueError("a time limit of " + std::to_string(options.timeLimit) +
                    " seconds; needed at least 0 (no limit)");
}

FunctionModule frontend::moduleOf(Call &call, const Function::Impl &impl) {
  FunctionModule module =
      buildFunctionModule(sliceFunction(impl), impl.name, Literals::AsConstants);
  divideVariables(call, module, impl.shard);
  if (impl.shardStates)
    divideStates(module, axisInJob(llvm::find_if(impl.shard, isSize)->mesh));
  return module;
}

static VariableStorage::Extent extentIn(const FunctionModule &module,
                                        const VariableStorage *storage) {
  auto found = module.divided.find(storage);
  return found == module.divided.end() ? VariableStorage::Extent::whole() : found->second;
}

Placement frontend::placeFunction(const Call &call, const FunctionModule &module,
                                  const FunctionOptions &options) {
  Placement placement = placementOf(call, options);
  for (const auto &[name, storage] : module.variables)
    if (auto conflict = placement.device ? storage->conflictOn(*placement.device, name,
                                                               extentIn(module, storage.get()))
                                         : std::nullopt)
      call.valueError(*conflict);
  return placement;
}

// Nothing moves for a function that cannot be made.
void frontend::compileFunction(Function::Impl &impl, FunctionModule module,
                               const Placement &placement) {
  std::vector<std::pair<ModuleVariable, VariableStorage::Extent>> variables;
  for (const ModuleVariable &variable : module.variables)
    variables.emplace_back(variable, extentIn(module, variable.storage.get()));
  impl.program = Program::compile(std::move(module), placement);
  for (const auto &[variable, extent] : variables) {
    impl.variables.push_back(
        variable.storage->settle(*placement.device, impl.name, variable.name, extent));
    impl.handles.push_back(impl.variables.back().get());
  }
}

// Names those given, and the parts of sparse ones after them.
static void nameInputs(Graph &graph, Function::Impl &impl, llvm::ArrayRef<size_t> firstParts) {
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &input : impl.inputs)
    values.push_back(valueOf(input));
  for (auto [input, name] : llvm::zip(impl.inputs, inputNames(graph, values))) {
    impl.specs.push_back(specOf(graph, input));
    impl.specs.back().name = name;
  }
  for (auto [i, first] : llvm::enumerate(firstParts)) {
    llvm::StringRef name = impl.specs[first].name;
    auto sparse = impl.sparseInputs.find(i);
    if (sparse != impl.sparseInputs.end()) {
      name.consume_back(".rows");
      sparse->second.name = name.str();
    }
    impl.inputNames.push_back(name.str());
  }
}

// All of a function but its code. Under the graph's mutex.
static std::shared_ptr<Function::Impl> implOf(Call &call, const std::vector<Tensor> &inputs,
                                              const std::vector<Output> &outputs,
                                              const std::vector<Update> &updates,
                                              const std::string &name) {
  auto impl = std::make_shared<Function::Impl>();
  impl->name = name.empty() ? call.graph.uniqueName("function") : name;
  impl->givenInputs = inputs;
  llvm::SmallVector<size_t> firstParts; // of each given input, among all
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool isSparse = sparseParts(call.raw(inputs[i])).has_value();
    if (llvm::any_of(llvm::ArrayRef(inputs).take_front(i),
                     [&](const Tensor &earlier) { return backend::is_same(earlier, inputs[i]); }))
      call.valueError("input '" + inputs[i].name() + "' is listed twice");
    if (!isSparse) {
      firstParts.push_back(impl->inputs.size());
      impl->inputs.push_back(inputs[i]);
      continue;
    }
    if (!hasSparseRole(inputs[i], ir::SparseRole::Placeholder))
      call.valueError("input '" + inputs[i].name() + "' is a sparse tensor; needed a placeholder");
    std::vector<Tensor> components = sparseComponents(inputs[i]);
    firstParts.push_back(impl->inputs.size());
    impl->inputs.insert(impl->inputs.end(), components.begin(), components.end());
    impl->sparseInputs[i] = {"", inputs[i].dtype(), inputs[i].shape(), madeAt(valueOf(inputs[i]))};
  }
  nameInputs(call.graph, *impl, firstParts);
  for (const Output &output : outputs) {
    std::optional<SparseParts> parts = sparseParts(call.raw(output.tensor()));
    impl->givenOutputs.push_back(output.tensor());
    impl->outputs.push_back(parts ? call.tensor(toDense(call, *parts)) : output.tensor());
    if (!output.name().empty() && llvm::is_contained(impl->outputNames, output.name()))
      call.valueError("two outputs are named '" + output.name() + "'");
    impl->outputNames.push_back(output.name());
  }
  for (const Update &update : updates)
    if (update.tensor()) {
      call.raw(*update.tensor());
      impl->updates.push_back(*update.tensor());
    }
  return impl;
}

// The dtype of products of float32; "": theirs.
static std::string productDTypeOf(const Call &call, const std::string &precision) {
  if (precision == "mixed_bf16")
    return "bfloat16";
  if (precision == "mixed_f16")
    call.notImplemented("precision 'mixed_f16', in which gradients would need a scale");
  if (precision != "float32")
    call.valueError("precision is '" + precision + "'; needed 'float32' or 'mixed_bf16'");
  return "";
}

void frontend::setOptions(const Call &call, Function::Impl &impl, const FunctionOptions &options) {
  impl.lazyUpdates = options.lazyUpdates;
  impl.productDType = productDTypeOf(call, options.precision);
  if (!options.shard.empty()) { // else those that a loaded function was saved with
    impl.shard = options.shard;
    impl.gatherParts = false;
    impl.localStatistics = false;
    impl.shardStates = false;
  }
  impl.gatherParts |= options.gatherParts;
  impl.localStatistics |= options.localStatistics;
  impl.shardStates |= options.shardStates;
  if (impl.gatherParts && impl.shard.empty())
    call.valueError("gather_parts, and no size is sharded; needed shard");
  const bool hasSizes = llvm::any_of(impl.shard, isSize);
  if (impl.localStatistics && !hasSizes)
    call.valueError("local_statistics, and no size is sharded; needed shard");
  if (impl.shardStates && !hasSizes)
    call.valueError("states are to be in parts, and no size is; needed one that is sharded");
  if (impl.shardStates && options.lazyUpdates)
    call.notImplemented("states in parts with lazy updates");
  auto hasSize = [&](const Tensor &input, const Shard &shard) {
    return llvm::any_of(ir::getShape(valueOf(input)), [&](const DimExpr &size) {
      return size.isSymbol() && call.graph.symbols[size.symbolId()].name == shard.size;
    });
  };
  for (const Shard &shard : options.shard)
    if (isSize(shard) &&
        llvm::none_of(impl.inputs, [&](const Tensor &input) { return hasSize(input, shard); }))
      call.valueError("no input has a dimension of the size '" + shard.size +
                      "', of which each rank is to have a part; needed the name of a K::Dim");
  for (const Tensor &input : impl.inputs) {
    const Shard *other = nullptr;
    for (const Shard &shard : options.shard)
      if (isSize(shard) && hasSize(input, shard)) {
        if (other)
          call.notImplemented("parts of an input along two of its dimensions, '" + other->size +
                              "' and '" + shard.size + "'");
        other = &shard;
      }
  }
  for (const Shard &shard : impl.shard)
    if (std::string axis = axisInJob(shard.mesh); !axis.empty() && !jobAxis(axis))
      call.valueError("'" + (isSize(shard) ? shard.size : shard.variable.name()) +
                      "' is to be sharded, and " + noSuchAxis(axis));
}

static Function makeFunction(const std::vector<Tensor> &inputs, const std::vector<Output> &outputs,
                             const std::vector<Update> &updates, const std::string &name,
                             const FunctionOptions &options, SourceLocation location) {
  std::shared_ptr<Function::Impl> impl;
  FunctionModule module;
  Placement placement;
  {
    Call call("function", location);
    checkOptions(call, options);
    impl = implOf(call, inputs, outputs, updates, name);
    setOptions(call, *impl, options);
    module = moduleOf(call, *impl);
    placement = placeFunction(call, module, options);
  }
  compileFunction(*impl, std::move(module), placement);
  return Function(std::move(impl));
}

Function frontend::functionWithoutCode(const std::vector<Tensor> &inputs,
                                       const std::vector<Output> &outputs,
                                       const std::vector<Update> &updates, const std::string &name,
                                       SourceLocation location) {
  Call call("function", location);
  return Function(implOf(call, inputs, outputs, updates, name));
}

Function backend::function(const TensorList &inputs, const OutputList &outputs,
                           const UpdateList &updates, const std::string &name,
                           const FunctionOptions &options, SourceLocation location) {
  return withMemory([&] {
    return makeFunction(inputs.list(), outputs.list(), updates.list(),
                        name.empty() ? options.name : name, options, location);
  });
}

// K.function, and the objects that it returns.
#include "frontend/python/native/Feeds.h"
#include "frontend/python/native/Interruption.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/SparseMatrices.h"
#include "frontend/python/native/Subjects.h"
#include "keratin/keras_files.h"
#include "keratin/onnx.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

namespace {

struct FunctionObject {
  Function function;
};

std::vector<Array> called(const Function &function, std::vector<Array> &values) {
  std::vector<Array> outputs;
  ReleasedGil release;
  function.call(values.data(), values.size(), outputs);
  return outputs;
}

// What is refused here, before the call, other ranks are told of.
template <typename Prepare> auto prepared(const Function &function, Prepare prepare) {
  try {
    return prepare();
  } catch (const std::exception &refused) {
    const std::string reason = refused.what();
    ReleasedGil release;
    function.refuse(reason);
    throw;
  }
}

std::vector<Array> calledWithFeeds(const Function &function, nb::handle values) {
  const std::vector<Feed> feeds = prepared(function, [&] {
    std::vector<Feed> all;
    for (nb::handle value : values)
      all.push_back(feedOf(value, function.name() + ": a value"));
    return all;
  });
  ReleasedGil release;
  return function(feeds);
}

std::vector<Array> calledByName(const Function &function, nb::dict values) {
  const NamedFeeds feeds =
      prepared(function, [&] { return namedFeedsOf(values, function.name()); });
  ReleasedGil release;
  return function(feeds);
}

std::vector<Array> calledByPlace(const Function &function, nb::handle values) {
  const size_t count = nb::len(values);
  Buffers buffers(count);
  std::vector<Array> arrays;
  arrays.reserve(count);
  const bool areArrays = prepared(function, [&] {
    for (nb::handle value : values) {
      if (std::optional<Array> view = buffers.viewOf(value)) {
        arrays.push_back(std::move(*view));
        continue;
      }
      if (tensorOf(value) || isSparseMatrix(value))
        return false;
      arrays.push_back(
          arrayOf(value, function.name() + ": value " + std::to_string(arrays.size())));
    }
    return true;
  });
  return areArrays ? called(function, arrays) : calledWithFeeds(function, values);
}

// The one argument of a call.
PyObject *valuesOf(const std::string &name, PyObject *arguments, PyObject *keywords) {
  if (keywords && PyDict_GET_SIZE(keywords))
    typeError(name + ": found keywords; needed a list of values, or a dict by name");
  if (PyTuple_GET_SIZE(arguments) != 1)
    typeError(name + ": found " + std::to_string(PyTuple_GET_SIZE(arguments)) +
              " arguments; needed one, a list of values");
  PyObject *values = PyTuple_GET_ITEM(arguments, 0);
  if (!isSequence(values) && !PyDict_Check(values))
    typeError(name + ": found " + described(values) +
              "; needed a list of values, or a dict by name");
  return values;
}

PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
  try {
    const Function &function = nb::inst_ptr<FunctionObject>(self)->function;
    PyObject *values =
        prepared(function, [&] { return valuesOf(function.name(), arguments, keywords); });
    return toPython(PyDict_Check(values) ? calledByName(function, nb::borrow<nb::dict>(values))
                                         : calledByPlace(function, values))
        .release()
        .ptr();
  } catch (...) {
    setError();
    return nullptr;
  }
}

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(call)}, {0, nullptr}};

//===-- Making them ---------------------------------------------------------------------------===//

OutputList outputsOf(nb::handle outputs, const Argument &argument) {
  std::vector<Output> all;
  if (PyDict_Check(outputs.ptr())) {
    for (const auto &[name, tensor] : itemsOf(outputs)) {
      if (!PyUnicode_Check(name.ptr()))
        argument.fail(name, "a name of an output");
      all.emplace_back(textOf(name), fromPython<Tensor>(tensor, argument));
    }
    return all;
  }
  const TensorList tensors = fromPython<TensorList>(outputs, argument);
  for (const Tensor &tensor : tensors.list())
    all.emplace_back(tensor);
  return all;
}

// Update ops, pairs (variable, new value), None.
UpdateList updatesOf(nb::handle updates, const Argument &argument) {
  std::vector<Update> all;
  for (nb::handle update : updates)
    if (update.is_none())
      continue;
    else if (const Tensor *op = tensorOf(update))
      all.emplace_back(*op);
    else if (isSequence(update) && nb::len(update) == 2)
      all.emplace_back(fromPython<Tensor>(nb::object(update[0]), argument),
                       fromPython<Operand>(nb::object(update[1]), argument), argument.place);
    else
      argument.fail(update, "update ops and pairs (variable, new value)");
  return all;
}

// The name of a size; or a list of names, (name, axis of the mesh), (variable, dimension) and
// (variable, dimension, axis); or a dict of names and axes.
std::vector<Shard> shardsOf(nb::handle shards, const Argument &argument) {
  if (PyUnicode_Check(shards.ptr()))
    return {Shard(textOf(shards))};
  if (!nb::isinstance<nb::iterable>(shards))
    argument.fail(shards, "a list of what is sharded");
  std::vector<Shard> all;
  for (nb::handle each : nb::borrow<nb::object>(shards)) {
    nb::object entry = nb::borrow(each);
    if (nb::isinstance<nb::dict>(shards))
      entry = nb::make_tuple(each, shards[each]);
    const bool isTuple = isSequence(entry);
    const size_t length = isTuple ? nb::len(entry) : 1;
    const nb::object first = isTuple && length ? nb::object(entry[0]) : entry;
    const size_t place = tensorOf(first) ? 2 : 1; // of the axis, if there is one
    if (length != place && length != place + 1)
      argument.fail(each, "names of sizes, and tuples (variable, dimension), each with the name of "
                          "an axis of the mesh behind it or without");
    if (const Tensor *variable = tensorOf(first))
      all.emplace_back(*variable, fromPython<int64_t>(nb::object(entry[1]), argument));
    else
      all.emplace_back(fromPython<std::string>(first, argument));
    if (length > place)
      all.back().mesh = Mesh(fromPython<std::string>(nb::object(entry[place]), argument));
  }
  return all;
}

// Of K.function, and of what makes functions of files.
FunctionOptions optionsOf(nb::handle options, const char *function, size_t index,
                          const char *firstNames, SourceLocation place) {
  FunctionOptions result;
  for (const auto &[key, value] : itemsOf(options)) {
    const std::string name = textOf(key);
    const Argument argument{function, index, place, name.c_str()};
    if (name == "device")
      result.device = fromPython<std::string>(value, argument);
    else if (name == "target")
      result.target = fromPython<std::string>(value, argument);
    else if (name == "memory_budget")
      result.memoryBudget = fromPython<int64_t>(value, argument);
    else if (name == "time_limit")
      result.timeLimit = fromPython<double>(value, argument);
    else if (name == "check_numbers")
      result.checkNumbers = fromPython<bool>(value, argument);
    else if (name == "float32_products")
      result.float32Products = fromPython<std::string>(value, argument);
    else if (name == "keep_on_device")
      result.keepOnDevice = fromPython<bool>(value, argument);
    else if (name == "assume_equal_sizes")
      result.assumeEqualSizes = fromPython<bool>(value, argument);
    else if (name == "prepare_weights")
      result.prepareWeights = fromPython<bool>(value, argument);
    else if (name == "lazy_updates")
      result.lazyUpdates = fromPython<bool>(value, argument);
    else if (name == "precision")
      result.precision = fromPython<std::string>(value, argument);
    else if (name == "shard")
      result.shard = shardsOf(value, argument);
    else if (name == "shard_states")
      result.shardStates = fromPython<bool>(value, argument);
    else if (name == "gather_parts")
      result.gatherParts = fromPython<bool>(value, argument);
    else if (name == "local_statistics")
      result.localStatistics = fromPython<bool>(value, argument);
    else if (name == "progress")
      result.progress = progressOf(value, argument);
    else
      valueError(std::string(function) + ": there is no argument '" + name + "'; there are " +
                 firstNames +
                 "device, target, memory_budget, time_limit, check_numbers, float32_products, "
                 "keep_on_device, assume_equal_sizes, prepare_weights, lazy_updates, precision, "
                 "shard, shard_states, gather_parts, local_statistics, progress");
  }
  if (!result.progress)
    result.progress = watchForSignals();
  return result;
}

nb::object wrapped(Function function) { return nb::cast(FunctionObject{std::move(function)}); }

nb::object makeFunction(nb::handle inputs, nb::handle outputs, nb::handle updates,
                        const std::string &name, nb::handle options, SourceLocation place) {
  const TensorList inputList = fromPython<TensorList>(inputs, {"function", 0, place});
  const OutputList outputList = outputsOf(outputs, {"function", 1, place});
  const UpdateList updateList = updatesOf(updates, {"function", 2, place});
  const FunctionOptions functionOptions = optionsOf(options, "function", 4, "name, ", place);
  Function function;
  {
    ReleasedGil release;
    function = K::function(inputList, outputList, updateList, name, functionOptions, place);
  }
  return wrapped(std::move(function));
}

//===-- Keeping them --------------------------------------------------------------------------===//

std::vector<Function> functionsOf(nb::handle functions, const Argument &argument) {
  std::vector<Function> all;
  if (!isSequence(functions))
    argument.fail(functions, "a list of functions that K.function has made");
  for (nb::handle each : functions)
    if (nb::isinstance<FunctionObject>(each))
      all.push_back(nb::cast<FunctionObject &>(each).function);
    else
      argument.fail(each, "functions that K.function has made");
  return all;
}

void save(const std::vector<Function> &functions, const std::string &path, SourceLocation place) {
  ReleasedGil release;
  K::save_functions(functions, path, place);
}

void saveFunctions(nb::handle functions, nb::handle path, SourceLocation place) {
  save(functionsOf(functions, {"save_functions", 0, place}),
       pathOf(path, {"save_functions", 1, place}), place);
}

void saveFunction(nb::handle f, nb::handle path, SourceLocation place) {
  const Argument argument{"save_function", 0, place};
  if (!nb::isinstance<FunctionObject>(f))
    argument.fail(f, "a function that K.function has made");
  save({nb::cast<FunctionObject &>(f).function}, pathOf(path, {"save_function", 1, place}), place);
}

ObjectOptions objectOptionsOf(nb::handle options, SourceLocation place) {
  ObjectOptions result;
  for (const auto &[key, value] : itemsOf(options)) {
    const std::string name = textOf(key);
    const Argument argument{"compile_model", 6, place, name.c_str()};
    if (name == "name")
      result.name = fromPython<std::string>(value, argument);
    else if (name == "target")
      result.target = fromPython<std::string>(value, argument);
    else if (name == "cpu")
      result.cpu = fromPython<std::string>(value, argument);
    else if (name == "header")
      result.header = pathOf(value, argument);
    else if (name == "metadata")
      result.metadata = pathOf(value, argument);
    else if (name == "sysroot")
      result.sysroot = pathOf(value, argument);
    else if (name == "threads")
      result.threads = fromPython<int64_t>(value, argument);
    else if (name == "memory_budget")
      result.memoryBudget = fromPython<int64_t>(value, argument);
    else if (name == "check_numbers")
      result.checkNumbers = fromPython<bool>(value, argument);
    else if (name == "float32_products")
      result.float32Products = fromPython<std::string>(value, argument);
    else if (name == "assume_equal_sizes")
      result.assumeEqualSizes = fromPython<std::string>(value, argument);
    else if (name == "prepare_weights")
      result.prepareWeights = fromPython<bool>(value, argument);
    else if (name == "strip_locations")
      result.stripLocations = fromPython<bool>(value, argument);
    else if (name == "profile")
      result.profile = fromPython<bool>(value, argument);
    else if (name == "shard_states")
      result.shardStates = fromPython<bool>(value, argument);
    else if (name == "mesh")
      result.mesh = meshOf(value, argument);
    else if (name == "progress")
      result.progress = progressOf(value, argument);
    else
      valueError("compile_model: there is no argument '" + name +
                 "'; there are name, target, cpu, header, metadata, sysroot, threads, "
                 "memory_budget, check_numbers, float32_products, assume_equal_sizes, "
                 "prepare_weights, strip_locations, profile, shard_states, mesh, progress");
  }
  if (!result.progress)
    result.progress = watchForSignals();
  return result;
}

void compileModel(nb::handle functions, nb::handle path, nb::handle options, SourceLocation place) {
  const std::vector<Function> all = functionsOf(functions, {"compile_model", 0, place});
  const std::string file = pathOf(path, {"compile_model", 1, place});
  const ObjectOptions given = objectOptionsOf(options, place);
  ReleasedGil release;
  K::compile_model(all, file, given, place);
}

nb::object loadFunctions(nb::handle path, nb::handle options, SourceLocation place) {
  const std::string file = pathOf(path, {"load_functions", 0, place});
  const FunctionOptions given = optionsOf(options, "load_functions", 1, "", place);
  std::vector<Function> functions;
  {
    ReleasedGil release;
    functions = K::load_functions(file, given, place);
  }
  nb::list list;
  for (Function &function : functions)
    list.append(wrapped(std::move(function)));
  return list;
}

nb::object loadFunction(nb::handle path, const std::string &name, nb::handle options,
                        SourceLocation place) {
  const std::string file = pathOf(path, {"load_function", 0, place});
  const FunctionOptions given = optionsOf(options, "load_function", 2, "name, ", place);
  Function function;
  {
    ReleasedGil release;
    function = K::load_function(file, name, given, place);
  }
  return wrapped(std::move(function));
}

nb::object loadOnnx(nb::handle path, bool trainable, nb::handle constants, const std::string &name,
                    nb::handle lengths, nb::handle options, SourceLocation place) {
  const std::string file = pathOf(path, {"load_onnx", 0, place, "path"});
  OnnxOptions given;
  given.trainable = trainable;
  if (PyDict_Check(constants.ptr()))
    for (const auto &[key, value] : itemsOf(constants)) {
      const Argument argument{"load_onnx", 2, place, "constants"};
      if (!PyUnicode_Check(key.ptr()))
        argument.fail(key, "a name of an input");
      const std::string input = textOf(key);
      given.constants.emplace(input, arrayOf(value, "load_onnx: the constant for '" + input + "'"));
    }
  else if (!constants.is_none())
    Argument{"load_onnx", 2, place, "constants"}.fail(constants, "a dict by the names of inputs");
  const Argument argument{"load_onnx", 4, place, "lengths"};
  if (PyDict_Check(lengths.ptr()))
    for (const auto &[key, value] : itemsOf(lengths)) {
      int64_t length = 0;
      if (!PyUnicode_Check(key.ptr()) || !nb::try_cast(value, length, false))
        argument.fail(lengths, "a dict of whole numbers by the names of inputs");
      given.lengths.emplace(textOf(key), length);
    }
  else if (!lengths.is_none())
    argument.fail(lengths, "a dict of whole numbers by the names of inputs");
  given.function =
      optionsOf(options, "load_onnx", 5, "trainable, constants, name, lengths, ", place);
  if (!name.empty())
    given.function.name = name;
  OnnxModel model;
  {
    ReleasedGil release;
    model = K::load_onnx(file, given, place);
  }
  return wrapped(std::move(model.function));
}

nb::object loadKeras(nb::handle path, bool trainable, const std::string &name, nb::handle options,
                     SourceLocation place) {
  const std::string file = pathOf(path, {"load_keras", 0, place, "path"});
  KerasOptions given;
  given.trainable = trainable;
  given.function = optionsOf(options, "load_keras", 3, "trainable, name, ", place);
  if (!name.empty())
    given.function.name = name;
  KerasModel model;
  {
    ReleasedGil release;
    model = layers::load_keras(file, given, place);
  }
  return wrapped(std::move(model.function));
}

void saveOnnx(nb::handle f, nb::handle path, int64_t opset, bool updates, bool places,
              bool externalData, SourceLocation place) {
  const Argument argument{"save_onnx", 0, place};
  if (!nb::isinstance<FunctionObject>(f))
    argument.fail(f, "a function that K.function has made");
  const Function function = nb::cast<FunctionObject &>(f).function;
  const std::string file = pathOf(path, {"save_onnx", 1, place, "path"});
  ReleasedGil release;
  K::save_onnx(function, file, {opset, updates, places, externalData}, place);
}

template <auto ofTensors, auto ofFunction>
void withWeights(const char *name, nb::handle variables, nb::handle path, SourceLocation place) {
  std::string file = pathOf(path, {name, 1, place});
  if (nb::isinstance<FunctionObject>(variables)) {
    const Function function = nb::cast<FunctionObject &>(variables).function;
    ReleasedGil release;
    ofFunction(function, file, place);
  } else {
    const TensorList tensors = fromPython<TensorList>(variables, {name, 0, place});
    ReleasedGil release;
    ofTensors(tensors, file, place);
  }
}

using OfTensors = void(const TensorList &, const std::string &, SourceLocation);
using OfFunction = void(const Function &, const std::string &, SourceLocation);

void saveWeights(nb::handle variables, nb::handle path, SourceLocation place) {
  withWeights<exactly<OfTensors>(&K::save_weights), exactly<OfFunction>(&K::save_weights)>(
      "save_weights", variables, path, place);
}

void loadWeights(nb::handle variables, nb::handle path, SourceLocation place) {
  withWeights<exactly<OfTensors>(&K::load_weights), exactly<OfFunction>(&K::load_weights)>(
      "load_weights", variables, path, place);
}

namespace D = K::distributed;

void saveCheckpoint(nb::handle variables, nb::handle path, SourceLocation place) {
  withWeights<exactly<OfTensors>(&D::saveCheckpoint), exactly<OfFunction>(&D::saveCheckpoint)>(
      "distributed.save_checkpoint", variables, path, place);
}

void loadCheckpoint(nb::handle variables, nb::handle path, SourceLocation place) {
  withWeights<exactly<OfTensors>(&D::loadCheckpoint), exactly<OfFunction>(&D::loadCheckpoint)>(
      "distributed.load_checkpoint", variables, path, place);
}

} // namespace

void keratin::python::registerFunctions(nb::module_ &m) {
  nb::class_<FunctionObject>(m, "Function", nb::dynamic_attr(), nb::is_weak_referenceable(),
                             nb::type_slots(slots),
                             "Code for outputs and updates of a graph: what K.function returns.")
      .def_prop_ro("name", [](const FunctionObject &self) { return self.function.name(); })
      .def_prop_ro("inputs",
                   [](const FunctionObject &self) { return toPython(self.function.inputs()); })
      .def_prop_ro("outputs",
                   [](const FunctionObject &self) { return toPython(self.function.outputs()); })
      .def_prop_ro("input_names",
                   [](const FunctionObject &self) { return self.function.inputNames(); })
      .def_prop_ro("output_names",
                   [](const FunctionObject &self) { return self.function.outputNames(); })
      .def_prop_ro("variables",
                   [](const FunctionObject &self) { return toPython(self.function.variables()); })
      .def_prop_ro("memory_plan",
                   [](const FunctionObject &self) { return self.function.memoryPlan(); })
      .def_prop_ro("compile_report",
                   [](const FunctionObject &self) { return self.function.compileReport(); })
      .def_prop_ro("compile_milliseconds",
                   [](const FunctionObject &self) { return self.function.compileMilliseconds(); })
      .def_prop_ro("kernel_count",
                   [](const FunctionObject &self) { return self.function.kernelCount(); })
      .def_prop_ro("arena_bytes",
                   [](const FunctionObject &self) { return self.function.arenaBytes(); })
      .def_prop_ro("_text", [](const FunctionObject &self) { return toString(self.function); });
  add<&compileModel>(m, "compile_model");
  add<&makeFunction>(m, "function");
  add<&saveFunction>(m, "save_function");
  add<&saveFunctions>(m, "save_functions");
  add<&loadFunctions>(m, "load_functions");
  add<&loadFunction>(m, "load_function");
  add<&loadOnnx>(m, "load_onnx");
  add<&saveOnnx>(m, "save_onnx");
  add<&loadKeras>(m, "load_keras");
  add<&saveWeights>(m, "save_weights");
  add<&saveCheckpoint>(m, "distributed_save_checkpoint");
  add<&loadCheckpoint>(m, "distributed_load_checkpoint");
  add<&loadWeights>(m, "load_weights");
}

#include "frontend/python/native/Models.h"

#include "frontend/python/native/Arguments.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Feeds.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/Results.h"
#include "keratin/model.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace keratin;
using namespace keratin::python;

namespace {

Model load(nb::handle path, const std::string &device) {
  const SourceLocation place = userPlace();
  const std::string file = pathOf(path, {"Model", 0, place, "path"});
  ReleasedGil release;
  return Model(file, device, place);
}

// A list of values by place, or a dict by name.
nb::object call(const Model &model, const std::string &function, nb::handle values) {
  std::vector<Array> outputs;
  if (PyDict_Check(values.ptr())) {
    const NamedFeeds feeds = namedFeedsOf(nb::borrow<nb::dict>(values), function);
    ReleasedGil release;
    outputs = model.call(function, feeds);
  } else if (isSequence(values)) {
    std::vector<Array> arrays;
    for (nb::handle value : values)
      arrays.push_back(arrayOf(value, function + ": value " + std::to_string(arrays.size())));
    ReleasedGil release;
    outputs = model.call(function, arrays);
  } else {
    typeError(function + ": found " + described(values) +
              "; needed a list of values, or a dict by name");
  }
  return toPython(std::move(outputs));
}

nb::object getValue(const Model &model, const std::string &variable) {
  Array value;
  {
    ReleasedGil release;
    value = model.getValue(variable);
  }
  return toPython(std::move(value));
}

nb::object getValues(const Model &model, const std::vector<std::string> &variables) {
  std::vector<Array> values;
  {
    ReleasedGil release;
    values = model.getValues(variables);
  }
  return toPython(std::move(values));
}

void setValues(Model &model, nb::dict values) {
  std::vector<std::pair<std::string, Array>> all;
  for (const auto &[name, value] : itemsOf(values)) {
    if (!PyUnicode_Check(name.ptr()))
      typeError(model.name() + ": " + described(name) + " is no name of a variable");
    std::string text = textOf(name);
    all.emplace_back(text, arrayOf(value, model.name() + ": the value for '" + text + "'"));
  }
  ReleasedGil release;
  model.setValues(all);
}

// With a path, which names the argument of this method.
template <auto method> auto withPath(const char *name) {
  return [name](Model &model, nb::handle path) {
    const std::string file = pathOf(path, {name, 0, userPlace(), "path"});
    ReleasedGil release;
    (model.*method)(file);
  };
}

} // namespace

void keratin::python::registerModels(nb::module_ &module) {
  nb::class_<ModelTensor>(module, "ModelTensor",
                          "An input, an output or a variable of a compiled model.")
      .def_ro("name", &ModelTensor::name)
      .def_prop_ro("dtype", [](const ModelTensor &self) { return nb::str(dtypeName(self.dtype)); })
      .def_prop_ro("shape", [](const ModelTensor &self) { return toPython(self.shape); })
      .def("__repr__", [](const ModelTensor &self) {
        return "<keratin.ModelTensor '" + self.name + "' " + dtypeName(self.dtype) + " " +
               toString(self.shape) + ">";
      });
  nb::class_<ModelFunction>(module, "ModelSignature")
      .def_ro("name", &ModelFunction::name)
      .def_ro("inputs", &ModelFunction::inputs)
      .def_ro("outputs", &ModelFunction::outputs)
      .def_ro("updates", &ModelFunction::updates);
  nb::class_<Model>(module, "LoadedModel")
      .def_static("load", load, nb::arg("path"), nb::arg("device"))
      .def_prop_ro("name", &Model::name)
      .def_prop_ro("metadata", &Model::metadata)
      .def_prop_ro("cpu", &Model::cpu)
      .def_prop_ro("device", &Model::device)
      .def_prop_ro("functions", &Model::functions)
      .def_prop_ro("variables", &Model::variables)
      .def("call", call)
      .def("get_value", getValue)
      .def("get_values", getValues)
      .def("set_values", setValues)
      .def("save_weights", withPath<&Model::saveWeights>("save_weights"))
      .def("load_weights", withPath<&Model::loadWeights>("load_weights"))
      .def("save_state", withPath<&Model::saveState>("save_state"))
      .def("load_state", withPath<&Model::loadState>("load_state"))
      .def("copy", &Model::copy)
      .def("__repr__", [](const Model &self) { return toString(self); });
}

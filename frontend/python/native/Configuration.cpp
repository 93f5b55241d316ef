#include "frontend/python/native/Configuration.h"

#include "frontend/python/native/Python.h"
#include "keratin/config.h"

#include <string>

using namespace keratin;
using namespace keratin::python;

namespace {

// One of the module's variables, and what it was last time (which is kept: another object at its
// address is another object).
struct Setting {
  const char *name;
  void (*set)(nb::handle value);
  PyObject *key = nullptr, *last = nullptr;
};

Setting settings[] = {
    {"_FLOATX", [](nb::handle value) { backend::set_floatx(nb::cast<std::string>(value)); }},
    {"_EPSILON", [](nb::handle value) { backend::set_epsilon(nb::cast<double>(value)); }},
    {"_IMAGE_DATA_FORMAT",
     [](nb::handle value) { backend::set_image_data_format(nb::cast<std::string>(value)); }},
};

PyObject *commonModule() {
  static PyObject *name = PyUnicode_InternFromString("keras.backend.common");
  return PyDict_GetItem(PyImport_GetModuleDict(), name);
}

} // namespace

void keratin::python::followKeras() {
  PyObject *common = commonModule();
  if (!common || !PyModule_Check(common))
    return;
  PyObject *variables = PyModule_GetDict(common);
  for (Setting &setting : settings) {
    if (!setting.key)
      setting.key = PyUnicode_InternFromString(setting.name);
    PyObject *value = PyDict_GetItem(variables, setting.key);
    if (!value || value == setting.last)
      continue;
    setting.set(value);
    Py_XDECREF(setting.last);
    setting.last = Py_NewRef(value);
  }
}

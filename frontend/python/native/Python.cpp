#include "frontend/python/native/Python.h"

#include <map>
#include <string>

using namespace keratin::python;

std::string keratin::python::described(nb::handle object) {
  std::string type = Py_TYPE(object.ptr())->tp_name;
  nb::object text = nb::steal(PyObject_Repr(object.ptr()));
  const char *characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters) {
    PyErr_Clear();
    return "of type " + type;
  }
  std::string shown = characters;
  if (size_t end = shown.find('\n'); end != std::string::npos || shown.size() > 60)
    shown = shown.substr(0, std::min<size_t>(end, 57)) + "...";
  return object.is_none() ? shown : shown + " (" + type + ")";
}

nb::handle keratin::python::numpy(const char *name) {
  // Kept for the life of the process: modules are not unloaded.
  static auto *found = new std::map<std::string, PyObject *>;
  PyObject *&object = (*found)[name];
  if (!object)
    object = nb::module_::import_("numpy").attr(name).inc_ref().ptr();
  return object;
}

#include "frontend/python/native/Python.h"

#include <map>
#include <string>
#include <unistd.h>

using namespace keratin::python;

void keratin::python::sleepUntilExit() {
  for (;;)
    pause();
}

ReleasedGil::~ReleasedGil() {
  runPython([this] { PyEval_RestoreThread(state); });
}

AcquiredGil::AcquiredGil() : state(runPython(PyGILState_Ensure)) {}

AcquiredGil::~AcquiredGil() {
  // Unwound meanwhile.
  if (_Py_IsFinalizing() && _PyThreadState_UncheckedGet() != PyGILState_GetThisThreadState())
    sleepUntilExit();
  PyGILState_Release(state);
}

std::vector<std::pair<nb::object, nb::object>> keratin::python::itemsOf(nb::handle dict) {
  std::vector<std::pair<nb::object, nb::object>> items;
  for (auto [key, value] : nb::borrow<nb::dict>(dict))
    items.emplace_back(nb::borrow(key), nb::borrow(value));
  return items;
}

std::string keratin::python::described(nb::handle object) {
  std::string type = Py_TYPE(object.ptr())->tp_name;
  nb::object text = nb::steal(PyObject_Repr(object.ptr()));
  const char *characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters) {
    PyErr_Clear();
    return "of type " + type;
  }
  std::string shown = characters;
  if (size_t end = shown.find('\n'); end != std::string::npos || shown.size() > 60) {
    end = std::min<size_t>(end, 57);
    // Not within a character.
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80)
      --end;
    shown = shown.substr(0, end) + "...";
  }
  return object.is_none() ? shown : shown + " (" + type + ")";
}

std::string keratin::python::textOf(nb::handle object) {
  nb::object text = nb::steal(PyObject_Str(object.ptr()));
  const char *characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters)
    nb::raise_python_error();
  return characters;
}

nb::handle keratin::python::numpy(const char *name) {
  // Kept for the life of the process: modules are not unloaded.
  static auto *found = new std::map<std::string, PyObject *>;
  PyObject *&object = (*found)[name];
  if (!object)
    object = nb::module_::import_("numpy").attr(name).inc_ref().ptr();
  return object;
}

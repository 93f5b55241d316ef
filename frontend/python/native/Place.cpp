#include "frontend/python/native/Place.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <string>
#include <unordered_set>

namespace nb = nanobind;
using keratin::SourceLocation;

namespace {

// The package `name` or what is in it.
bool isOf(const char *module, const char *name) {
  size_t length = std::strlen(name);
  return std::strncmp(module, name, length) == 0 &&
         (module[length] == '\0' || module[length] == '.');
}

const char *moduleOf(PyFrameObject *frame) {
  nb::object globals = nb::steal(PyFrame_GetGlobals(frame));
  PyObject *name = PyDict_GetItemString(globals.ptr(), "__name__");
  const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text)
    PyErr_Clear();
  return text ? text : "";
}

SourceLocation placeOf(PyFrameObject *frame) {
  // Locations outlive code objects.
  static auto *files = new std::unordered_set<std::string>;
  nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  PyObject *file = reinterpret_cast<PyCodeObject *>(code.ptr())->co_filename;
  const char *text = PyUnicode_AsUTF8(file);
  if (!text) {
    PyErr_Clear();
    return {};
  }
  return {files->emplace(text).first->c_str(), PyFrame_GetLineNumber(frame)};
}

} // namespace

SourceLocation keratin::python::userPlace() {
  nb::object frame =
      nb::steal(reinterpret_cast<PyObject *>(PyThreadState_GetFrame(PyThreadState_Get())));
  SourceLocation fallback;
  while (frame.is_valid()) {
    auto *pointer = reinterpret_cast<PyFrameObject *>(frame.ptr());
    const char *module = moduleOf(pointer);
    if (!isOf(module, "keratin")) {
      if (!isOf(module, "keras"))
        return placeOf(pointer);
      if (!fallback.line)
        fallback = placeOf(pointer);
    }
    frame = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetBack(pointer)));
  }
  return fallback;
}

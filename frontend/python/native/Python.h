// Pieces of Python that several files need.
#ifndef KERATIN_FRONTEND_PYTHON_PYTHON_H
#define KERATIN_FRONTEND_PYTHON_PYTHON_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>

namespace keratin::python {

namespace nb = nanobind;

// A reference for code that lets go of it in any thread, with or without the GIL, and perhaps when
// the interpreter is gone.
inline std::shared_ptr<PyObject> shared(nb::handle object) {
  object.inc_ref();
  return std::shared_ptr<PyObject>(object.ptr(), [](PyObject *object) {
    if (!Py_IsInitialized() || _Py_IsFinalizing())
      return;
    nb::gil_scoped_acquire gil;
    Py_DECREF(object);
  });
}

// "'abc' (str)", for messages; shortened.
std::string described(nb::handle object);

// numpy.asarray and the like, found once.
nb::handle numpy(const char *name);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_PYTHON_H

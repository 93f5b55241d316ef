// Pieces of Python that several files need.
#ifndef KERATIN_FRONTEND_PYTHON_PYTHON_H
#define KERATIN_FRONTEND_PYTHON_PYTHON_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>

namespace keratin::python {

namespace nb = nanobind;

// Lets other threads have the interpreter; takes it for a thread that may not have it. Where the
// interpreter ends meanwhile, Python would unwind the thread, through code that knows nothing of
// it: the thread sleeps until the process is gone.
class ReleasedGil {
public:
  ReleasedGil() : state(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil &) = delete;
  ~ReleasedGil();

private:
  PyThreadState *state;
};

class AcquiredGil {
public:
  AcquiredGil();
  AcquiredGil(const AcquiredGil &) = delete;
  ~AcquiredGil() { PyGILState_Release(state); }

private:
  PyGILState_STATE state;
};

// A reference for code that lets go of it in any thread, with or without the GIL, and perhaps when
// the interpreter is gone.
inline std::shared_ptr<PyObject> shared(nb::handle object) {
  object.inc_ref();
  return std::shared_ptr<PyObject>(object.ptr(), [](PyObject *object) {
    if (!Py_IsInitialized() || _Py_IsFinalizing())
      return;
    AcquiredGil gil;
    Py_DECREF(object);
  });
}

// "'abc' (str)", for messages; shortened.
std::string described(nb::handle object);

// str(object).
std::string textOf(nb::handle object);

// numpy.asarray and the like, found once.
nb::handle numpy(const char *name);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_PYTHON_H

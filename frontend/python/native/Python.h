// Pieces of Python that several files need.
#ifndef KERATIN_FRONTEND_PYTHON_PYTHON_H
#define KERATIN_FRONTEND_PYTHON_PYTHON_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cxxabi.h>
#include <memory>
#include <utility>
#include <vector>

namespace keratin::python {

namespace nb = nanobind;

// Where the interpreter ends while another thread waits for it, Python unwinds that thread, through
// code that knows nothing of it: such a thread sleeps here until the process is gone. Around
// whatever runs code of the user's.
[[noreturn]] void sleepUntilExit();
template <typename Code> auto runPython(Code code) {
  try {
    return code();
  } catch (abi::__forced_unwind &) {
    sleepUntilExit();
  }
}

// Lets other threads have the interpreter; takes it for a thread that may not have it.
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
  ~AcquiredGil();

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
    runPython([object] { Py_DECREF(object); });
  });
}

// A list or a tuple: what K functions take where they take several.
inline bool isSequence(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

// The items of a dict of the user's, for code that may run the user's own: that may change the
// dict, whose iterator of nanobind's only borrows what it shows.
std::vector<std::pair<nb::object, nb::object>> itemsOf(nb::handle dict);

// "'abc' (str)", for messages; shortened.
std::string described(nb::handle object);

// str(object).
std::string textOf(nb::handle object);

// numpy.asarray and the like, found once.
nb::handle numpy(const char *name);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_PYTHON_H

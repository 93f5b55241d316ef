#include "frontend/python/native/Interruption.h"

#include "frontend/python/native/Errors.h"

#include <chrono>

using namespace keratin;
using namespace keratin::python;

static void checkSignals() {
  if (runPython(PyErr_CheckSignals) != 0)
    nb::raise_python_error();
}

Progress keratin::python::progressOf(nb::handle function, const Argument &argument) {
  if (function.is_none())
    return nullptr;
  if (!PyCallable_Check(function.ptr()))
    argument.fail(function, "a function");
  return [function = shared(function)](const CompileProgress &progress) {
    AcquiredGil gil;
    checkSignals();
    runPython([&] {
      nb::handle(function.get())(progress.function.c_str(), progress.stage.c_str(), progress.done,
                                 progress.of, progress.next.c_str());
    });
  };
}

Progress keratin::python::watchForSignals() {
  using Clock = std::chrono::steady_clock;
  // The GIL may belong to somebody else for milliseconds.
  return [last = Clock::now()](const CompileProgress &) mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(100))
      return;
    last = now;
    AcquiredGil gil;
    checkSignals();
  };
}

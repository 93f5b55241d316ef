// keratin._native: the C++ API as keratin/*.py needs it.
#include "frontend/python/native/Arguments.h"
#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/DeviceArrays.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Models.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/Subjects.h"
#include "frontend/python/native/Tensors.h"
#include "keratin/arguments.h"
#include "keratin/device.h"

#include <nanobind/stl/string.h>

#include <dlfcn.h>

using namespace keratin;
using namespace keratin::python;

static void registerSizes(nb::module_ &m) {
  nb::class_<Dim>(m, "Dim", "A size by its name, with what is known of it.")
      .def(
          "__init__",
          [](Dim *self, nb::handle name, nb::handle min, nb::handle max, nb::handle multipleOf) {
            auto number = [place = userPlace()](nb::handle object, size_t index) {
              return fromPython<std::optional<int64_t>>(object, {"Dim", index, place});
            };
            new (self) Dim(fromPython<std::string>(name, {"Dim", 0, userPlace()}),
                           {number(min, 1), number(max, 2), number(multipleOf, 3)});
          },
          nb::arg("name"), nb::arg("min").none() = nb::none(), nb::arg("max").none() = nb::none(),
          nb::arg("multiple_of").none() = nb::none())
      .def_prop_ro("name", [](const Dim &self) { return self.name(); });
}

// To sys.stdout, which notebooks and tests have replaced.
static void printToPython(void *, const char *text, size_t length) {
  if (!Py_IsInitialized() || _Py_IsFinalizing())
    return;
  AcquiredGil gil;
  nb::error_scope error;
  nb::handle current = PySys_GetObject("stdout");
  if (!current.is_valid() || current.is_none())
    return;
  // What it writes with, and other threads meanwhile, may put another in its place.
  const std::shared_ptr<PyObject> file = shared(current);
  nb::object line = nb::steal(PyUnicode_DecodeUTF8(text, Py_ssize_t(length), "replace"));
  auto print = [&] {
    return PyFile_WriteObject(line.ptr(), file.get(), Py_PRINT_RAW) == 0 &&
           nb::steal(PyObject_CallMethod(file.get(), "flush", nullptr)).is_valid();
  };
  if (!line.is_valid() || !runPython(print))
    PyErr_Clear();
}

// Where the library is that all this is in: tools and runtimes are found from there.
static std::string libraryFolder() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<void *>(&keratin_cpu_device), &library) || !library.dli_fname)
    return "";
  const std::string path = library.dli_fname;
  return path.substr(0, path.rfind('/'));
}

NB_MODULE(_native, m) {
  m.doc() = "Keratin's C++ API. Use keratin and keratin.backend.";
  // Python objects may outlive the module at the end of the process.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr &error, void *) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      setError();
    }
  });
  const keratin_printer_t printer = {printToPython, nullptr};
  keratin_set_printer(&printer);
  registerErrors(m);
  registerArrays(m);
  registerDeviceArrays(m);
  registerSizes(m);
  registerTensors(m);
  nb::module_ functions = m.def_submodule("functions");
  registerConfiguration(functions);
  registerControl(functions);
  registerCreation(functions);
  registerDerivatives(functions);
  registerDistributed(functions);
  registerElementwise(functions);
  registerEvaluation(functions);
  registerFourier(functions);
  registerFunctions(functions);
  m.attr("Function") = functions.attr("Function");
  registerModels(m);
  m.def("library_folder", libraryFolder);
  registerGraph(functions);
  registerNeural(functions);
  registerDistributions(functions);
  registerReductions(functions);
  registerShapes(functions);
  registerWindows(functions);
}

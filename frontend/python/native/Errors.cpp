#include "frontend/python/native/Errors.h"

#include "keratin/error.h"

#include <nanobind/nanobind.h>

#include <new>

namespace nb = nanobind;

void keratin::python::setError() noexcept {
  PyObject *kind = PyExc_RuntimeError;
  try {
    throw;
  } catch (nb::python_error &error) {
    error.restore();
    return;
  } catch (const nb::builtin_exception &error) {
    kind = error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError;
    PyErr_SetString(kind, error.what());
    return;
  } catch (const AssertionError &error) {
    PyErr_SetString(PyExc_AssertionError, error.what());
  } catch (const ValueError &error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const TypeError &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const NotImplementedError &error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const FloatingPointError &error) {
    PyErr_SetString(PyExc_FloatingPointError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(kind, error.what());
  } catch (...) {
    PyErr_SetString(kind, "keratin: an unknown exception");
  }
}

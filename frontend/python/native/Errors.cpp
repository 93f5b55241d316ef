#include "frontend/python/native/Errors.h"

#include "frontend/python/native/Place.h"
#include "frontend/python/native/Python.h"
#include "frontend/python/native/Subjects.h"
#include "keratin/error.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <new>

namespace nb = nanobind;

// Messages quote what users have written, which may be cut, or no UTF-8 at all.
static void set(PyObject *kind, const char *message) {
  if (PyObject *text = PyUnicode_DecodeUTF8(message, Py_ssize_t(std::strlen(message)), "replace")) {
    PyErr_SetObject(kind, text);
    Py_DECREF(text);
  }
}

static PyObject *rankError, *lostRankError; // as long as the process

void keratin::python::registerErrors(nb::module_ &m) {
  const auto make = [&m](const char *name, const char *doc, PyObject *base) {
    const std::string full = std::string("keratin.distributed.") + name;
    PyObject *made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
    if (!made)
      nb::raise_python_error();
    m.attr(name) = nb::borrow(made);
    return made;
  };
  rankError = make("RankError",
                   "Another rank of the job has failed, or wants something else.\n\n"
                   "No rank has updated anything, and all may go on.",
                   PyExc_RuntimeError);
  lostRankError = make("LostRankError",
                       "A rank of the job is lost, or did not come in time.\n\n"
                       "None can go on together, but from a checkpoint.",
                       rankError);
}

void keratin::python::setError() noexcept {
  PyObject *kind = PyExc_RuntimeError;
  try {
    throw;
  } catch (abi::__forced_unwind &) {
    sleepUntilExit();
  } catch (nb::python_error &error) {
    error.restore();
    return;
  } catch (const nb::builtin_exception &error) {
    kind = error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError;
    set(kind, error.what());
    return;
  } catch (const AssertionError &error) {
    set(PyExc_AssertionError, error.what());
  } catch (const ValueError &error) {
    set(PyExc_ValueError, error.what());
  } catch (const TypeError &error) {
    set(PyExc_TypeError, error.what());
  } catch (const NotImplementedError &error) {
    set(PyExc_NotImplementedError, error.what());
  } catch (const FloatingPointError &error) {
    set(PyExc_FloatingPointError, error.what());
  } catch (const MemoryError &error) {
    set(PyExc_MemoryError, error.what());
  } catch (const LostRankError &error) {
    set(lostRankError, error.what());
  } catch (const RankError &error) {
    set(rankError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    set(kind, error.what());
  } catch (...) {
    set(kind, "keratin: an unknown exception");
  }
}

static std::string withPlace(std::string message) {
  const keratin::SourceLocation place = keratin::python::userPlace();
  if (place.line)
    message += "; at " + std::string(place.file) + ":" + std::to_string(place.line);
  return message;
}

void keratin::python::typeError(std::string message) {
  throw TypeError(withPlace(std::move(message)));
}

void keratin::python::valueError(std::string message) {
  throw ValueError(withPlace(std::move(message)));
}

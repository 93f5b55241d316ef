// K functions as functions of the module: arguments by place alone, since the Python functions that
// call them (keratin/_functions.py) have names and defaults.
#ifndef KERATIN_FRONTEND_PYTHON_REGISTER_H
#define KERATIN_FRONTEND_PYTHON_REGISTER_H

#include "frontend/python/native/Arguments.h"
#include "frontend/python/native/Configuration.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/Results.h"

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace keratin::python {

namespace detail {

template <typename... Parameters> struct LastIsPlace : std::false_type {};
template <typename First, typename... Rest>
struct LastIsPlace<First, Rest...>
    : std::conditional_t<sizeof...(Rest) == 0, std::is_same<First, SourceLocation>,
                         LastIsPlace<Rest...>> {};

template <auto function> struct Entry;

template <typename Result, typename... Parameters, Result (*function)(Parameters...)>
struct Entry<function> {
  using All = std::tuple<std::decay_t<Parameters>...>;
  static constexpr bool takesPlace = LastIsPlace<Parameters...>::value;
  // Functions of this module that look into Python's objects themselves.
  static constexpr bool takesHandles =
      (std::is_same_v<std::decay_t<Parameters>, nb::handle> || ...) ||
      std::is_base_of_v<nb::handle, Result>;
  static constexpr size_t count = sizeof...(Parameters) - (takesPlace ? 1 : 0);

  // Of self, the name of the function.
  static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
    try {
      const char *name = PyUnicode_AsUTF8(self);
      if (given != Py_ssize_t(count))
        throw TypeError(std::string(name) + ": found " + std::to_string(given) +
                        " arguments; needed " + std::to_string(count));
      followKeras();
      return callWith(name, arguments, userPlace(), std::make_index_sequence<count>());
    } catch (...) {
      setError();
      return nullptr;
    }
  }

private:
  template <size_t... I>
  static PyObject *callWith(const char *name, PyObject *const *arguments, SourceLocation place,
                            std::index_sequence<I...>) {
    // Arguments and results need the GIL, what lies between does without: some functions compile
    // and run code. What of the user's is called takes it again.
    std::tuple converted(
        fromPython<std::tuple_element_t<I, All>>(arguments[I], {name, I, place})...);
    auto run = [&]() -> Result {
      std::optional<ReleasedGil> release;
      if constexpr (!takesHandles)
        release.emplace();
      if constexpr (takesPlace)
        return function(std::get<I>(converted)..., place);
      else
        return function(std::get<I>(converted)...);
    };
    if constexpr (std::is_void_v<Result>) {
      run();
      return nb::none().release().ptr();
    } else {
      return toPython(run()).release().ptr();
    }
  }
};

} // namespace detail

// One of several functions of a name: exactly<Tensor(const Operand &, SourceLocation)>(&K::f).
template <typename Type> constexpr Type *exactly(Type *function) { return function; }

template <auto function> void add(nb::module_ &module, const char *name) {
  static PyMethodDef definition = {};
  definition.ml_name = name;
  definition.ml_meth =
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&detail::Entry<function>::call));
  definition.ml_flags = METH_FASTCALL;
  nb::object self = nb::str(name);
  module.attr(name) = nb::steal(PyCFunction_NewEx(&definition, self.ptr(), nullptr));
}

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_REGISTER_H

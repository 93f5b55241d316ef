#include "frontend/python/native/Arguments.h"

#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Parameters.h"
#include "frontend/python/native/Tensors.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::python;

std::string Argument::name() const { return option ? option : parameterName(function, index); }

std::string Argument::what() const { return std::string(function) + ": " + name(); }

void Argument::fail(nb::handle found, const char *needed) const {
  typeError(what() + " is " + described(found) + "; needed " + needed);
}

std::string keratin::python::pathOf(nb::handle path, const Argument &argument) {
  nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    argument.fail(path, "a path");
  }
  return textOf(text);
}

std::vector<MeshAxis> keratin::python::meshOf(nb::handle mesh, const Argument &argument) {
  if (!PyDict_Check(mesh.ptr()))
    argument.fail(mesh, "a dict: the axes, with the number of ranks along each");
  std::vector<MeshAxis> axes;
  for (const auto &[name, size] : itemsOf(mesh))
    axes.push_back({fromPython<std::string>(name, argument), fromPython<int>(size, argument)});
  return axes;
}

// A whole number that is no bool: of Python's, or whatever else says that it is one. None for
// anything else.
static std::optional<int64_t> integerOf(nb::handle object) {
  if (PyBool_Check(object.ptr()) || tensorOf(object) || !PyIndex_Check(object.ptr()))
    return std::nullopt;
  nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  int overflow = 0;
  long long value = index.is_valid() ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : 0;
  if (!index.is_valid() || overflow) {
    // An array of several elements.
    PyErr_Clear();
    return std::nullopt;
  }
  return value;
}

//===-- Operands ------------------------------------------------------------------------------===//

// A list may contain itself, and be as deep as there is memory.
constexpr int deepestList = 64;

static bool hasTensors(nb::handle object, const std::string &what, int depth = 0) {
  if (!isSequence(object))
    return tensorOf(object);
  if (depth == deepestList)
    valueError(what + " is lists in lists, more than " + std::to_string(deepestList) +
               " deep; needed an array or numbers in nested lists");
  for (nb::handle each : object)
    if (hasTensors(each, what, depth + 1))
      return true;
  return false;
}

// Lists of whole numbers are int32 where they fit, as single ones are.
static Array listOf(nb::handle object, const std::string &what) {
  const Array array = arrayOf(object, what);
  if (array.dtype() != DType::Int64)
    return array;
  const int64_t *values = array.data<int64_t>();
  for (int64_t i = 0; i < array.size(); ++i)
    if (values[i] < std::numeric_limits<int32_t>::min() ||
        values[i] > std::numeric_limits<int32_t>::max())
      return array;
  return array.astype(DType::Int32);
}

Operand keratin::python::operandOf(nb::handle object, const std::string &what,
                                   SourceLocation place) {
  if (const Tensor *tensor = tensorOf(object))
    return Operand(*tensor, place);
  PyObject *pointer = object.ptr();
  if (object.is_none())
    return Operand(None, place);
  if (PyBool_Check(pointer))
    return Operand(pointer == Py_True, place);
  // float64 of NumPy's is a float of Python's too.
  if (PyFloat_Check(pointer))
    return Operand(PyFloat_AS_DOUBLE(pointer), place);
  if (PyLong_Check(pointer)) {
    if (std::optional<int64_t> value = integerOf(object))
      return Operand(*value, place);
    valueError(what + " is " + described(object) + ", which no int64 holds");
  }
  if (!isSequence(object))
    return Operand(arrayOf(object, what), place);
  if (!hasTensors(object, what))
    return Operand(listOf(object, what), place);
  std::vector<Operand> list;
  for (nb::handle each : object)
    list.push_back(operandOf(each, what, place));
  return Operand(std::move(list), place);
}

namespace keratin::python {

template <> Operand fromPython(nb::handle object, const Argument &argument) {
  if (const Tensor *tensor = tensorOf(object))
    return Operand(*tensor, argument.place);
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) || PyDict_Check(object.ptr()))
    argument.fail(object, "a tensor, a number, an array or a list of these");
  return operandOf(object, argument.what(), argument.place);
}

template <> Tensor fromPython(nb::handle object, const Argument &argument) {
  if (const Tensor *tensor = tensorOf(object))
    return *tensor;
  argument.fail(object, "a tensor");
}

template <> Array fromPython(nb::handle object, const Argument &argument) {
  return arrayOf(object, argument.what());
}

//===-- Numbers and words ---------------------------------------------------------------------===//

template <> bool fromPython(nb::handle object, const Argument &argument) {
  int truth = PyUnicode_Check(object.ptr()) ? -1 : PyObject_IsTrue(object.ptr());
  if (truth < 0) {
    PyErr_Clear();
    argument.fail(object, "True or False");
  }
  return truth;
}

template <> int64_t fromPython(nb::handle object, const Argument &argument) {
  if (std::optional<int64_t> value = integerOf(object))
    return *value;
  argument.fail(object, "a whole number");
}

int nearestInt(int64_t number) {
  return int(std::clamp<int64_t>(number, std::numeric_limits<int>::min(),
                                 std::numeric_limits<int>::max()));
}

template <> int fromPython(nb::handle object, const Argument &argument) {
  if (PyBool_Check(object.ptr()))
    return object.ptr() == Py_True;
  return nearestInt(fromPython<int64_t>(object, argument));
}

template <> uint64_t fromPython(nb::handle object, const Argument &argument) {
  int64_t value = fromPython<int64_t>(object, argument);
  if (value < 0)
    argument.fail(object, "0 or more");
  return uint64_t(value);
}

template <> double fromPython(nb::handle object, const Argument &argument) {
  double value =
      tensorOf(object) || PyUnicode_Check(object.ptr()) ? -1 : PyFloat_AsDouble(object.ptr());
  if (tensorOf(object) || PyUnicode_Check(object.ptr()) || (value == -1 && PyErr_Occurred())) {
    PyErr_Clear();
    argument.fail(object, "a number");
  }
  return value;
}

template <> std::optional<int64_t> fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return std::nullopt;
  return fromPython<int64_t>(object, argument);
}

template <> std::optional<double> fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return std::nullopt;
  return fromPython<double>(object, argument);
}

template <> std::string fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none() && argument.name() == "name")
    return "";
  Py_ssize_t length = 0;
  const char *text =
      PyUnicode_Check(object.ptr()) ? PyUnicode_AsUTF8AndSize(object.ptr(), &length) : nullptr;
  if (!text) {
    PyErr_Clear();
    argument.fail(object, "a string");
  }
  return std::string(text, size_t(length));
}

template <> DTypeArgument fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return None;
  std::string text;
  if (PyUnicode_Check(object.ptr())) {
    text = fromPython<std::string>(object, argument);
  } else {
    // numpy.float32, numpy.dtype('float32'), float.
    nb::object name = nb::steal(PyObject_CallOneArg(numpy("dtype").ptr(), object.ptr()));
    if (!name.is_valid()) {
      PyErr_Clear();
      argument.fail(object, "the name of a dtype, or what numpy.dtype() takes");
    }
    text = textOf(name.attr("name"));
  }
  try {
    return DTypeArgument(text);
  } catch (const TypeError &) {
    argument.fail(object,
                  "float16, bfloat16, float32, float64, int8 to int64, uint8 to uint64, complex64, "
                  "complex128 or bool");
  }
}

template <> DataFormat fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return None;
  return DataFormat(fromPython<std::string>(object, argument));
}

//===-- Shapes and axes -----------------------------------------------------------------------===//

static std::optional<Size> sizeOf(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return Size(None);
  if (const Tensor *tensor = tensorOf(object))
    return Size(*tensor);
  if (PyUnicode_Check(object.ptr()))
    return Size(fromPython<std::string>(object, argument));
  if (nb::isinstance<Dim>(object))
    return Size(nb::cast<Dim>(object));
  if (std::optional<int64_t> value = integerOf(object))
    return Size(*value);
  return std::nullopt;
}

// To Python texts are sequences, and those of bytes even of numbers.
static bool isText(nb::handle object) {
  return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
         PyByteArray_Check(object.ptr());
}

// The entries of a list, a tuple or an array of one dimension.
static std::optional<std::vector<nb::object>> entriesOf(nb::handle object) {
  std::vector<nb::object> entries;
  nb::object list;
  if (!isSequence(object)) {
    if (tensorOf(object) || isText(object) || !PySequence_Check(object.ptr()))
      return std::nullopt;
    list = nb::steal(PySequence_List(object.ptr()));
    if (!list.is_valid()) {
      PyErr_Clear();
      return std::nullopt;
    }
    object = list;
  }
  for (nb::handle each : object)
    entries.push_back(nb::borrow(each));
  return entries;
}

template <> Size fromPython(nb::handle object, const Argument &argument) {
  if (std::optional<Size> size = sizeOf(object, argument))
    return *size;
  argument.fail(object, "a size: a whole number, None, a name or a scalar tensor");
}

template <> Shape fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return None;
  if (const Tensor *tensor = tensorOf(object))
    return Shape(*tensor);
  if (std::optional<int64_t> size = integerOf(object))
    return Shape(*size);
  std::optional<std::vector<nb::object>> entries = entriesOf(object);
  if (!entries)
    argument.fail(object, "a whole number or a tuple of sizes");
  std::vector<Size> sizes;
  for (const nb::object &entry : *entries)
    if (std::optional<Size> size = sizeOf(entry, argument))
      sizes.push_back(std::move(*size));
    else
      argument.fail(object, "sizes: whole numbers, None, names or scalar tensors");
  return Shape(std::move(sizes));
}

template <> Axis fromPython(nb::handle object, const Argument &argument) {
  if (std::optional<int64_t> axis = integerOf(object))
    return Axis(*axis);
  argument.fail(object, "a whole number");
}

template <> std::vector<int64_t> fromPython(nb::handle object, const Argument &argument) {
  std::optional<std::vector<nb::object>> entries = entriesOf(object);
  if (!entries)
    argument.fail(object, "a tuple of whole numbers");
  std::vector<int64_t> numbers;
  for (const nb::object &entry : *entries)
    if (std::optional<int64_t> number = integerOf(entry))
      numbers.push_back(*number);
    else
      argument.fail(object, "whole numbers");
  return numbers;
}

template <> Axes fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return None;
  if (std::optional<int64_t> axis = integerOf(object))
    return Axes(*axis);
  if (PyBool_Check(object.ptr()))
    argument.fail(object, "an axis, a tuple of axes or None");
  return Axes(fromPython<std::vector<int64_t>>(object, argument));
}

template <> Parts fromPython(nb::handle object, const Argument &argument) {
  if (std::optional<int64_t> count = integerOf(object))
    return Parts(*count);
  Shape sizes = fromPython<Shape>(object, argument);
  if (sizes.isTensor() || sizes.isNone())
    argument.fail(object, "a number of parts, or their sizes");
  return Parts(sizes.entries());
}

template <> NormOrder fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return None;
  if (PyUnicode_Check(object.ptr()))
    return NormOrder(fromPython<std::string>(object, argument));
  return NormOrder(fromPython<double>(object, argument));
}

template <> std::vector<bool> fromPython(nb::handle object, const Argument &argument) {
  std::optional<std::vector<nb::object>> entries = entriesOf(object);
  if (!entries)
    argument.fail(object, "a tuple of bools");
  std::vector<bool> bools;
  for (const nb::object &entry : *entries)
    bools.push_back(fromPython<bool>(entry, argument));
  return bools;
}

template <> backend::Paddings fromPython(nb::handle object, const Argument &argument) {
  std::optional<std::vector<nb::object>> entries = entriesOf(object);
  if (!entries)
    argument.fail(object, "a tuple of pairs");
  backend::Paddings paddings;
  for (const nb::object &entry : *entries)
    paddings.push_back(fromPython<std::vector<int64_t>>(entry, argument));
  return paddings;
}

template <> backend::PadWidths fromPython(nb::handle object, const Argument &argument) {
  std::optional<std::vector<nb::object>> entries = entriesOf(object);
  if (!entries)
    argument.fail(object, "a tuple of pairs");
  backend::PadWidths widths;
  for (const nb::object &entry : *entries)
    widths.push_back(fromPython<Shape>(entry, argument).entries());
  return widths;
}

//===-- Lists ---------------------------------------------------------------------------------===//

template <> std::vector<Tensor> fromPython(nb::handle object, const Argument &argument) {
  if (!isSequence(object))
    argument.fail(object, "a list of tensors");
  std::vector<Tensor> tensors;
  for (nb::handle each : object)
    if (const Tensor *tensor = tensorOf(each))
      tensors.push_back(*tensor);
    else
      argument.fail(object, "tensors alone");
  return tensors;
}

template <> TensorList fromPython(nb::handle object, const Argument &argument) {
  if (object.is_none())
    return {};
  if (const Tensor *tensor = tensorOf(object))
    return TensorList(*tensor);
  return TensorList(fromPython<std::vector<Tensor>>(object, argument));
}

template <> std::vector<Operand> fromPython(nb::handle object, const Argument &argument) {
  if (!isSequence(object))
    argument.fail(object, "a list of tensors");
  std::vector<Operand> operands;
  for (nb::handle each : object)
    operands.push_back(fromPython<Operand>(each, argument));
  return operands;
}

//===-- Functions -----------------------------------------------------------------------------===//

static Callable callableOf(nb::handle object, const Argument &argument) {
  if (!PyCallable_Check(object.ptr()))
    argument.fail(object, "a function");
  return Callable(object, argument.what());
}

template <> Branch fromPython(nb::handle object, const Argument &argument) {
  if (tensorOf(object) || !PyCallable_Check(object.ptr()))
    return Branch(fromPython<Operand>(object, argument));
  return Branch([callable = callableOf(object, argument)] { return callable({}); });
}

template <> Constraint fromPython(nb::handle object, const Argument &argument) {
  return constraintOf(object, argument.what());
}

template <> RnnStep fromPython(nb::handle object, const Argument &argument) {
  return RnnStep([callable = callableOf(object, argument)](const Tensor &input,
                                                           const std::vector<Tensor> &states) {
    return callable.step(input, states);
  });
}

template <> LoopBody fromPython(nb::handle object, const Argument &argument) {
  return LoopBody([callable = callableOf(object, argument)](const std::vector<Tensor> &vars) {
    return callable.list(vars);
  });
}

template <>
std::function<Tensor(const Tensor &, const Tensor &)> fromPython(nb::handle object,
                                                                 const Argument &argument) {
  return
      [callable = callableOf(object, argument)](const Tensor &accumulator, const Tensor &element) {
        return callable({accumulator, element});
      };
}

} // namespace keratin::python

// K functions: values.
#include "frontend/python/native/Feeds.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

namespace {

Array eval(nb::handle x, SourceLocation place) {
  Operand operand = fromPython<Operand>(x, {"eval", 0, place});
  ReleasedGil release;
  return K::eval(operand, place);
}

Array getValue(nb::handle x, SourceLocation place) {
  Operand operand = fromPython<Operand>(x, {"get_value", 0, place});
  ReleasedGil release;
  return K::get_value(operand, place);
}

nb::object batchGetValue(const std::vector<Tensor> &ops, SourceLocation place) {
  std::vector<Array> values;
  {
    ReleasedGil release;
    values = K::batch_get_value(ops, place);
  }
  return toPython(std::move(values));
}

// A number fills a variable; what has sizes must have the variable's.
Array valueFor(const Tensor &variable, nb::handle value, const char *function,
               SourceLocation place) {
  Array array = fromPython<Array>(value, {function, 1, place});
  if (array.isNone() || array.ndim() != 0 || PyObject_CheckBuffer(value.ptr()))
    return array;
  std::vector<int64_t> dims;
  for (const std::optional<int64_t> &size : variable.shape())
    dims.push_back(size.value_or(0));
  if (dims.empty())
    return array;
  std::vector<int64_t> strides(dims.size(), 0);
  const Array everywhere =
      Array::constView(array.origin(), array.dtype(), std::move(dims), std::move(strides));
  return Array(everywhere); // a copy, which owns its elements
}

void setValue(const Tensor &x, nb::handle value, SourceLocation place) {
  const Array array = valueFor(x, value, "set_value", place);
  ReleasedGil release;
  K::set_value(x, array, place);
}

void batchSetValue(nb::handle tuples, SourceLocation place) {
  const Argument argument{"batch_set_value", 0, place};
  std::vector<std::pair<Tensor, Array>> all;
  nb::object iterator = nb::steal(PyObject_GetIter(tuples.ptr()));
  if (!iterator.is_valid()) {
    PyErr_Clear();
    argument.fail(tuples, "a list of pairs (variable, value)");
  }
  while (nb::object pair = nb::steal(PyIter_Next(iterator.ptr()))) {
    if (!isSequence(pair) || nb::len(pair) != 2)
      argument.fail(pair, "pairs (variable, value)");
    Tensor variable = fromPython<Tensor>(nb::object(pair[0]), argument);
    Array value = valueFor(variable, nb::object(pair[1]), "batch_set_value", place);
    all.emplace_back(std::move(variable), std::move(value));
  }
  if (PyErr_Occurred())
    nb::raise_python_error();
  ReleasedGil release;
  K::batch_set_value(all, place);
}

// Feeds are pairs (placeholder, value).
nb::object run(const std::vector<Tensor> &fetches, nb::handle feeds, SourceLocation place) {
  Session::Feeds all;
  for (nb::handle pair : feeds)
    all.emplace_back(fromPython<Tensor>(pair[0], {"Session.run", 1, place}),
                     feedOf(nb::object(pair[1]), "Session.run: a feed"));
  std::vector<Array> values;
  {
    ReleasedGil release;
    values = K::get_session()->run(fetches, all, place);
  }
  return toPython(std::move(values));
}

} // namespace

void keratin::python::registerEvaluation(nb::module_ &m) {
  add<&batchGetValue>(m, "batch_get_value");
  add<&batchSetValue>(m, "batch_set_value");
  add<&eval>(m, "eval");
  add<&getValue>(m, "get_value");
  add<&K::print_tensor>(m, "print_tensor");
  add<&run>(m, "run");
  add<&setValue>(m, "set_value");
}

// Arguments of K functions, from what Python programs write.
//
// Each conversion throws a TypeError that names the function, the parameter, what was found and
// what is needed, or a ValueError where the kind is right and the value is not.
#ifndef KERATIN_FRONTEND_PYTHON_ARGUMENTS_H
#define KERATIN_FRONTEND_PYTHON_ARGUMENTS_H

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Callables.h"
#include "frontend/python/native/Python.h"
#include "keratin/backend.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::python {

// Which argument of a call: the message's beginning is made only when there is a message.
struct Argument {
  const char *function;
  size_t index;
  SourceLocation place;
  // Its name, where it is no parameter of the record's.
  const char *option = nullptr;

  // "dot: y".
  std::string what() const;
  // "dot: y is 'abc' (str); needed <needed>; at train.py:12".
  [[noreturn]] void fail(nb::handle found, const char *needed) const;
  // The parameter's name.
  std::string name() const;
};

Operand operandOf(nb::handle object, const std::string &what, SourceLocation place);

// What os.fspath() takes.
std::string pathOf(nb::handle path, const Argument &argument);

// Of a dict: the axes, with the number of ranks along each.
std::vector<MeshAxis> meshOf(nb::handle mesh, const Argument &argument);

// A specialisation for each type of parameter.
template <typename T> T fromPython(nb::handle object, const Argument &argument) = delete;

template <> inline nb::handle fromPython(nb::handle object, const Argument &) { return object; }
template <> Operand fromPython(nb::handle object, const Argument &argument);
template <> Tensor fromPython(nb::handle object, const Argument &argument);
template <> Array fromPython(nb::handle object, const Argument &argument);
template <> bool fromPython(nb::handle object, const Argument &argument);
template <> int fromPython(nb::handle object, const Argument &argument);
// The int that is nearest to a number: one that is out of place stays so.
int nearestInt(int64_t number);
template <> int64_t fromPython(nb::handle object, const Argument &argument);
template <> uint64_t fromPython(nb::handle object, const Argument &argument);
template <> double fromPython(nb::handle object, const Argument &argument);
template <> std::optional<int64_t> fromPython(nb::handle object, const Argument &argument);
template <> std::optional<double> fromPython(nb::handle object, const Argument &argument);
// None is "" for a name.
template <> std::string fromPython(nb::handle object, const Argument &argument);
template <> DTypeArgument fromPython(nb::handle object, const Argument &argument);
template <> DataFormat fromPython(nb::handle object, const Argument &argument);
template <> Size fromPython(nb::handle object, const Argument &argument);
template <> Shape fromPython(nb::handle object, const Argument &argument);
template <> Axis fromPython(nb::handle object, const Argument &argument);
template <> Axes fromPython(nb::handle object, const Argument &argument);
template <> Parts fromPython(nb::handle object, const Argument &argument);
template <> NormOrder fromPython(nb::handle object, const Argument &argument);
template <> Branch fromPython(nb::handle object, const Argument &argument);
template <> TensorList fromPython(nb::handle object, const Argument &argument);
template <> std::vector<Tensor> fromPython(nb::handle object, const Argument &argument);
template <> std::vector<Operand> fromPython(nb::handle object, const Argument &argument);
template <> std::vector<int64_t> fromPython(nb::handle object, const Argument &argument);
template <> std::vector<bool> fromPython(nb::handle object, const Argument &argument);
template <> backend::Paddings fromPython(nb::handle object, const Argument &argument);
template <> backend::PadWidths fromPython(nb::handle object, const Argument &argument);
template <> Constraint fromPython(nb::handle object, const Argument &argument);
template <> RnnStep fromPython(nb::handle object, const Argument &argument);
template <> LoopBody fromPython(nb::handle object, const Argument &argument);
template <>
std::function<Tensor(const Tensor &, const Tensor &)> fromPython(nb::handle object,
                                                                 const Argument &argument);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_ARGUMENTS_H

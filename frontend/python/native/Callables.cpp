#include "frontend/python/native/Callables.h"

#include "frontend/python/native/Arguments.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/Tensors.h"
#include "keratin/creation.h"

using namespace keratin;
using namespace keratin::python;

static nb::object callWith(nb::handle function, const std::vector<nb::object> &arguments) {
  std::vector<PyObject *> pointers;
  for (const nb::object &argument : arguments)
    pointers.push_back(argument.ptr());
  nb::object result = nb::steal(runPython([&] {
    return PyObject_Vectorcall(function.ptr(), pointers.data(), pointers.size(), nullptr);
  }));
  if (!result.is_valid())
    nb::raise_python_error();
  return result;
}

static std::vector<nb::object> objectsOf(const std::vector<Tensor> &tensors) {
  std::vector<nb::object> objects;
  for (const Tensor &tensor : tensors)
    objects.push_back(toPython(tensor));
  return objects;
}

static nb::object sequenceOf(const std::vector<Tensor> &tensors, bool isTuple) {
  nb::list list;
  for (const Tensor &tensor : tensors)
    list.append(toPython(tensor));
  return isTuple ? nb::object(nb::tuple(list)) : nb::object(list);
}

Tensor Callable::tensor(nb::handle result) const {
  if (const Tensor *tensor = tensorOf(result))
    return *tensor;
  if (result.is_none())
    typeError(what + " has returned None; needed a tensor");
  return backend::constant(operandOf(result, what + "'s result", userPlace()), None, None, "",
                           userPlace());
}

std::vector<Tensor> Callable::tensors(nb::handle result) const {
  if (!isSequence(result))
    return {tensor(result)};
  std::vector<Tensor> all;
  for (nb::handle each : result)
    all.push_back(tensor(each));
  return all;
}

Tensor Callable::operator()(const std::vector<Tensor> &arguments) const {
  AcquiredGil gil;
  return tensor(callWith(object(), objectsOf(arguments)));
}

Tensor Callable::ofTuple(const std::vector<Tensor> &arguments) const {
  AcquiredGil gil;
  return tensor(callWith(object(), {sequenceOf(arguments, /*isTuple=*/true)}));
}

std::vector<Tensor> Callable::list(const std::vector<Tensor> &arguments) const {
  AcquiredGil gil;
  return tensors(callWith(object(), objectsOf(arguments)));
}

std::pair<std::vector<Tensor>, bool> Callable::tensorOrList(const std::vector<Tensor> &arguments,
                                                            bool isTuple) const {
  AcquiredGil gil;
  nb::object result = isTuple ? callWith(object(), {sequenceOf(arguments, true)})
                              : callWith(object(), objectsOf(arguments));
  return {tensors(result), isSequence(result)};
}

std::vector<Tensor> Callable::tensorsOrNone(nb::handle result) const {
  auto derivative = [&](nb::handle each) { return each.is_none() ? Tensor() : tensor(each); };
  if (!isSequence(result))
    return {derivative(result)};
  std::vector<Tensor> all;
  for (nb::handle each : result)
    all.push_back(derivative(each));
  return all;
}

static nb::object tensorOrListOf(const std::vector<Tensor> &tensors, bool isList) {
  return isList ? sequenceOf(tensors, /*isTuple=*/false) : toPython(tensors.front());
}

std::vector<Tensor> Callable::gradients(const std::vector<Tensor> &inputs,
                                        const std::vector<Tensor> &outputs,
                                        const std::vector<Tensor> &cotangents,
                                        bool outputsAreList) const {
  AcquiredGil gil;
  return tensorsOrNone(callWith(object(), {tensorOrListOf(inputs, inputs.size() != 1),
                                           tensorOrListOf(outputs, outputsAreList),
                                           tensorOrListOf(cotangents, outputsAreList)}));
}

std::vector<Tensor> Callable::tangents(const std::vector<Tensor> &inputs,
                                       const std::vector<Tensor> &tangents) const {
  AcquiredGil gil;
  const bool isList = inputs.size() != 1;
  return tensorsOrNone(
      callWith(object(), {tensorOrListOf(inputs, isList), tensorOrListOf(tangents, isList)}));
}

RnnStepResult Callable::step(const Tensor &input, const std::vector<Tensor> &states) const {
  AcquiredGil gil;
  nb::object result = callWith(object(), {toPython(input), sequenceOf(states, /*isTuple=*/false)});
  if (!isSequence(result))
    typeError(what + " has returned " + described(result) + "; needed (output, states)");
  nb::tuple pair(result);
  if (pair.size() != 2)
    typeError(what + " has returned " + std::to_string(pair.size()) +
              " values; needed (output, states)");
  return RnnStepResult(tensor(pair[0]),
                       pair[1].is_none() ? std::vector<Tensor>() : tensors(pair[1]));
}

namespace {

struct PythonConstraint {
  Callable callable;
  Tensor operator()(const Tensor &variable) const { return callable({variable}); }
};

} // namespace

Constraint keratin::python::constraintOf(nb::handle object, const std::string &what) {
  if (object.is_none())
    return nullptr;
  if (!PyCallable_Check(object.ptr()))
    typeError(what + " is " + described(object) + "; needed a function of the variable");
  return PythonConstraint{Callable(object, what)};
}

nb::object keratin::python::toPython(const Constraint &constraint) {
  const auto *known = constraint.target<PythonConstraint>();
  return known ? nb::borrow(known->callable.object()) : nb::none();
}

// Functions of the user's that K functions call.
#ifndef KERATIN_FRONTEND_PYTHON_CALLABLES_H
#define KERATIN_FRONTEND_PYTHON_CALLABLES_H

#include "frontend/python/native/Python.h"
#include "keratin/control.h"

#include <string>
#include <vector>

namespace keratin::python {

// A function of tensors. What it raises comes out of the K function as it is.
class Callable {
public:
  // `what`: "rnn: step_function", for messages about what it returns.
  Callable(nb::handle function, std::string what)
      : function(shared(function)), what(std::move(what)) {}

  nb::handle object() const { return function.get(); }

  // With tensors as arguments. TypeError unless it returns a tensor, or a number or an array, which
  // becomes a constant.
  Tensor operator()(const std::vector<Tensor> &arguments) const;
  // Given one tuple of tensors.
  Tensor ofTuple(const std::vector<Tensor> &arguments) const;
  // TypeError unless it returns tensors in a list or a tuple, or one.
  std::vector<Tensor> list(const std::vector<Tensor> &arguments) const;
  // The same, given tensors or one tuple of them, and whether it has returned a list or a tuple.
  std::pair<std::vector<Tensor>, bool> tensorOrList(const std::vector<Tensor> &arguments,
                                                    bool isTuple) const;
  // vjp(inputs, outputs, cotangents): each a list, or a tensor where there is one input and where
  // the outputs are no list. An empty tensor for None.
  std::vector<Tensor> gradients(const std::vector<Tensor> &inputs,
                                const std::vector<Tensor> &outputs,
                                const std::vector<Tensor> &cotangents, bool outputsAreList) const;
  // jvp(inputs, tangents): each a list, or a tensor where there is one input. An empty tensor for
  // None.
  std::vector<Tensor> tangents(const std::vector<Tensor> &inputs,
                               const std::vector<Tensor> &tangents) const;
  // step(input, states), which returns (output, states).
  RnnStepResult step(const Tensor &input, const std::vector<Tensor> &states) const;

private:
  Tensor tensor(nb::handle result) const;
  std::vector<Tensor> tensors(nb::handle result) const;
  // An empty one for None.
  std::vector<Tensor> tensorsOrNone(nb::handle result) const;

  std::shared_ptr<PyObject> function;
  std::string what;
};

Constraint constraintOf(nb::handle object, const std::string &what);
// What constraintOf() was given; None for none.
nb::object toPython(const Constraint &constraint);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_CALLABLES_H

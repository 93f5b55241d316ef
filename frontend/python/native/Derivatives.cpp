// K functions: gradients of the user's own, and gradients that keep less, solutions of equations.
#include "keratin/derivatives.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"
#include "frontend/python/native/Tensors.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

namespace {

Callable callableOf(nb::handle function, const Argument &argument) {
  if (!PyCallable_Check(function.ptr()))
    argument.fail(function, "a function");
  return Callable(function, argument.what());
}

std::vector<Operand> operandsOf(nb::args arguments, const char *function, SourceLocation place) {
  std::vector<Operand> operands;
  for (nb::handle argument : arguments)
    operands.push_back(
        operandOf(argument, std::string(function) + ": an argument of the function", place));
  return operands;
}

nb::object resultOf(const std::vector<Tensor> &results, bool isList) {
  return isList ? toPython(results) : toPython(results.front());
}

// The user's function, for one call, which notes whether it has returned a list.
LoopBody noting(const Callable &function, bool &isList) {
  return [&function, &isList](const std::vector<Tensor> &inputs) {
    auto [tensors, hasReturnedList] = function.tensorOrList(inputs, /*isTuple=*/false);
    isList = hasReturnedList;
    return tensors;
  };
}

nb::object customGradient(nb::handle f, nb::handle vjp, SourceLocation place) {
  Callable function = callableOf(f, {"custom_gradient", 0, place}),
           gradient = callableOf(vjp, {"custom_gradient", 1, place});
  return nb::cpp_function([function, gradient](nb::args arguments) {
    SourceLocation place = userPlace();
    bool isList = false;
    auto gradients = [&](const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
                         const std::vector<Tensor> &cotangents) {
      return gradient.gradients(inputs, outputs, cotangents, isList);
    };
    std::vector<Tensor> results =
        keratin::detail::customGradient(noting(function, isList), gradients,
                                        operandsOf(arguments, "custom_gradient", place), place);
    return resultOf(results, isList);
  });
}

nb::object customJvp(nb::handle f, nb::handle jvp, SourceLocation place) {
  Callable function = callableOf(f, {"custom_jvp", 0, place}),
           tangent = callableOf(jvp, {"custom_jvp", 1, place});
  return nb::cpp_function([function, tangent](nb::args arguments) {
    SourceLocation place = userPlace();
    bool isList = false;
    auto tangents = [&](const std::vector<Tensor> &inputs, const std::vector<Tensor> &along) {
      return tangent.tangents(inputs, along);
    };
    std::vector<Tensor> results = keratin::detail::customJvp(
        noting(function, isList), tangents, operandsOf(arguments, "custom_jvp", place), place);
    return resultOf(results, isList);
  });
}

nb::object checkpoint(nb::handle f, SourceLocation place) {
  Callable function = callableOf(f, {"checkpoint", 0, place});
  return nb::cpp_function([function](nb::args arguments) {
    SourceLocation place = userPlace();
    bool isList = false;
    std::vector<Tensor> results = keratin::detail::checkpoint(
        noting(function, isList), operandsOf(arguments, "checkpoint", place), place);
    return resultOf(results, isList);
  });
}

// A list of numbers becomes one tensor.
bool isListOfTensors(nb::handle object) {
  if (!isSequence(object))
    return false;
  for (nb::handle each : object)
    return tensorOf(each) != nullptr;
  return true;
}

// Of x0 or y0: a tensor or what becomes one, or a list of tensors.
std::vector<Operand> startOf(nb::handle start, const Argument &argument) {
  if (!isListOfTensors(start))
    return {fromPython<Operand>(start, argument)};
  std::vector<Tensor> tensors = fromPython<std::vector<Tensor>>(start, argument);
  return std::vector<Operand>(tensors.begin(), tensors.end());
}

nb::object fixedPoint(nb::handle f, nb::handle x0, std::optional<double> tolerance,
                      const Size &maximumIterations, bool check, SourceLocation place) {
  Callable function = callableOf(f, {"fixed_point", 0, place});
  auto compute = [&](const std::vector<Tensor> &x) { return function.list(x); };
  return resultOf(keratin::detail::fixedPoint(compute, startOf(x0, {"fixed_point", 1, place}),
                                              {tolerance, maximumIterations, check}, place),
                  isListOfTensors(x0));
}

nb::object root(nb::handle f, const Operand &x0, std::optional<double> tolerance,
                const Size &maximumIterations, bool check, SourceLocation place) {
  Callable function = callableOf(f, {"root", 0, place});
  auto compute = [&](const std::vector<Tensor> &x) { return function.list(x); };
  return toPython(keratin::detail::root(compute, x0, {tolerance, maximumIterations, check}, place));
}

nb::object odeint(nb::handle f, nb::handle y0, const Operand &t, double rtol, double atol,
                  const Size &maximumSteps, SourceLocation place) {
  Callable function = callableOf(f, {"odeint", 0, place});
  auto compute = [&](const std::vector<Tensor> &all) { return function.list(all); };
  OdeOptions options;
  options.rtol = rtol;
  options.atol = atol;
  options.maximumSteps = maximumSteps;
  return resultOf(
      keratin::detail::odeint(compute, startOf(y0, {"odeint", 1, place}), t, options, place),
      isListOfTensors(y0));
}

} // namespace

void keratin::python::registerDerivatives(nb::module_ &m) {
  add<&checkpoint>(m, "checkpoint");
  add<&customGradient>(m, "custom_gradient");
  add<&customJvp>(m, "custom_jvp");
  add<&fixedPoint>(m, "fixed_point");
  add<&odeint>(m, "odeint");
  add<&root>(m, "root");
}

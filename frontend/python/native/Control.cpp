// K functions: loops, branches and the learning phase.
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

namespace {

// A tensor is one element, a list or a tuple of them makes tuples.
Tensor mapElements(nb::handle fn, nb::handle elems, const std::string &name, DTypeArgument dtype,
                   SourceLocation place) {
  const Argument function{"map_fn", 0, place}, elements{"map_fn", 1, place};
  if (!PyCallable_Check(fn.ptr()))
    function.fail(fn, "a function");
  Callable callable(fn, function.what());
  if (!isSequence(elems))
    return K::map_fn([callable](const Tensor &element) { return callable({element}); },
                     fromPython<Operand>(elems, elements), name, dtype, place);
  return K::map_fn([callable](const std::vector<Tensor> &all) { return callable.ofTuple(all); },
                   fromPython<std::vector<Tensor>>(elems, elements), name, dtype, place);
}

// The same; a list if the function returns one.
nb::object vectorizedMap(nb::handle fn, nb::handle elems, SourceLocation place) {
  const Argument function{"vectorized_map", 0, place}, elements{"vectorized_map", 1, place};
  if (!PyCallable_Check(fn.ptr()))
    function.fail(fn, "a function");
  Callable callable(fn, function.what());
  bool isTuple = isSequence(elems), isList = false;
  auto element = [&](const std::vector<Tensor> &all) {
    auto [tensors, hasReturnedList] = callable.tensorOrList(all, isTuple);
    isList = hasReturnedList;
    return tensors;
  };
  std::vector<Tensor> results =
      isTuple ? K::vectorized_map(element, fromPython<std::vector<Tensor>>(elems, elements), place)
              : K::vectorized_map(element, fromPython<Operand>(elems, elements), place);
  return isList ? toPython(results) : toPython(results.front());
}

// An entry for each argument.
std::vector<std::optional<int64_t>> axesOf(nb::handle inAxes, size_t arguments,
                                           const Argument &argument) {
  if (!isSequence(inAxes))
    return std::vector<std::optional<int64_t>>(
        arguments, fromPython<std::optional<int64_t>>(inAxes, argument));
  std::vector<std::optional<int64_t>> axes;
  for (nb::handle axis : inAxes)
    axes.push_back(fromPython<std::optional<int64_t>>(axis, argument));
  if (axes.empty())
    argument.fail(inAxes, "an axis for each argument");
  return axes;
}

nb::object vmap(nb::handle fn, nb::handle inAxes, int64_t outAxes, SourceLocation place) {
  const Argument function{"vmap", 0, place};
  if (!PyCallable_Check(fn.ptr()))
    function.fail(fn, "a function");
  Callable callable(fn, function.what());
  return nb::cpp_function([callable, inAxes = nb::borrow(inAxes), outAxes](nb::args arguments) {
    SourceLocation place = userPlace();
    std::vector<Operand> operands;
    for (nb::handle argument : arguments)
      operands.push_back(operandOf(argument, "vmap: an argument of the function", place));
    bool isList = false;
    auto ofElement = [&](const std::vector<Tensor> &given) {
      auto [tensors, hasReturnedList] = callable.tensorOrList(given, /*isTuple=*/false);
      isList = hasReturnedList;
      return tensors;
    };
    std::vector<Tensor> results = keratin::detail::mapAlong(
        ofElement, operands, axesOf(inAxes, operands.size(), {"vmap", 1, place}), outAxes, place);
    return isList ? toPython(results) : toPython(results.front());
  });
}

nb::object whileLoop(nb::handle cond, const LoopBody &body, const TensorList &loopVars,
                     const Size &maximumIterations, SourceLocation place) {
  const Argument condition{"while_loop", 0, place};
  if (!PyCallable_Check(cond.ptr()))
    condition.fail(cond, "a function");
  return toPython(K::while_loop([callable = Callable(cond, condition.what())](
                                    const std::vector<Tensor> &vars) { return callable(vars); },
                                body, loopVars, maximumIterations, place));
}

} // namespace

void keratin::python::registerControl(nb::module_ &m) {
  using Fold = Tensor(const std::function<Tensor(const Tensor &, const Tensor &)> &,
                      const Operand &, const Operand &, const std::string &, SourceLocation);
  add<exactly<Fold>(&K::foldl)>(m, "foldl");
  add<exactly<Fold>(&K::foldr)>(m, "foldr");
  add<&K::in_test_phase>(m, "in_test_phase");
  add<&K::in_train_phase>(m, "in_train_phase");
  add<&K::learning_phase>(m, "learning_phase");
  add<&mapElements>(m, "map_fn");
  add<exactly<std::tuple<Tensor, Tensor, std::vector<Tensor>>(
      const RnnStep &, const Operand &, const TensorList &, bool, const Operand &,
      const TensorList &, bool, const Operand &, bool, bool, SourceLocation)>(&K::rnn)>(m, "rnn");
  add<&K::set_learning_phase>(m, "set_learning_phase");
  add<&K::switch_>(m, "switch");
  add<&vectorizedMap>(m, "vectorized_map");
  add<&vmap>(m, "vmap");
  add<&whileLoop>(m, "while_loop");
}

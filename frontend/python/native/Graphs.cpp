// K functions: the graph, its scopes, variables and gradients.
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

#include <nanobind/stl/string.h>

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

namespace {

// What a `with` statement enters and leaves. Made when it is entered, since C++ has it for a
// block: scopes end in reverse.
template <typename Scope, typename Argument> class Context {
public:
  explicit Context(Argument argument) : argument(std::move(argument)) {}
  Context(const Context &) = delete;

  Scope &enter() {
    open.push_back(std::make_unique<Scope>(argument));
    return *open.back();
  }
  void leave() {
    if (!open.empty())
      open.pop_back();
  }

private:
  Argument argument;
  std::vector<std::unique_ptr<Scope>> open;
};

using NameScope = Context<K::name_scope, std::string>;
using ControlDependencies = Context<K::control_dependencies, std::vector<Tensor>>;

std::vector<Tensor> controlInputs(nb::handle inputs) {
  return fromPython<TensorList>(inputs, {"control_dependencies", 0, userPlace()}).list();
}

bool isTensor(nb::handle x) { return tensorOf(x); }
bool isVariable(nb::handle x) { return tensorOf(x) && K::is_variable(*tensorOf(x)); }
bool isPlaceholder(nb::handle x) { return tensorOf(x) && K::is_placeholder(*tensorOf(x)); }
bool isSparse(nb::handle x) { return tensorOf(x) && K::is_sparse(*tensorOf(x)); }

// An array has PyIndex_Check's slot, too, and is a number if it has no axes alone.
bool isNumber(nb::handle item) {
  if (!PyIndex_Check(item.ptr()))
    return false;
  const bool isNumber = nb::steal(PyNumber_Index(item.ptr())).is_valid();
  PyErr_Clear();
  return isNumber;
}

Tensor itemOf(const Tensor &tensor, nb::handle key, SourceLocation place) {
  std::vector<IndexList::Item> items;
  const Argument argument{"getitem", 1, place};
  auto bound = [&](nb::object limit) {
    // No name, as other sizes may be.
    if (PyUnicode_Check(limit.ptr()))
      argument.fail(limit, "a whole number, None or a scalar tensor as the bound of a slice");
    return fromPython<Size>(limit, argument);
  };
  auto add = [&](nb::handle item) {
    if (item.is_none())
      items.push_back(None);
    else if (item.is(nb::ellipsis()))
      items.push_back(Ellipsis);
    else if (const Tensor *index = tensorOf(item))
      items.push_back(*index);
    else if (PySlice_Check(item.ptr()))
      items.push_back(
          Slice(bound(item.attr("start")), bound(item.attr("stop")), bound(item.attr("step"))));
    else if (isNumber(item))
      items.push_back(fromPython<int64_t>(item, argument));
    else
      // An array or a list of indices.
      items.push_back(
          K::constant(fromPython<Operand>(item, argument), DType::Int64, None, "", place));
  };
  if (PyTuple_Check(key.ptr()))
    for (nb::handle item : key)
      add(item);
  else
    add(key);
  return tensor[IndexList(std::move(items), place)];
}

nb::object stopGradient(nb::handle x, SourceLocation place) {
  const Argument argument{"stop_gradient", 0, place};
  if (isSequence(x))
    return toPython(K::stop_gradient(fromPython<std::vector<Tensor>>(x, argument), place));
  return toPython(K::stop_gradient(fromPython<Operand>(x, argument), place));
}

} // namespace

void keratin::python::registerGraph(nb::module_ &m) {
  add<&K::clear_session>(m, "clear_session");
  add<&K::count_params>(m, "count_params");
  add<&K::dtype>(m, "dtype");
  add<&K::get_uid>(m, "get_uid");
  add<&itemOf>(m, "getitem");
  add<&K::gradients>(m, "gradients");
  add<&K::hessian>(m, "hessian");
  add<&K::hessian_vector_product>(m, "hessian_vector_product");
  add<&K::jacobian>(m, "jacobian");
  add<&K::int_shape>(m, "int_shape");
  add<&isPlaceholder>(m, "is_placeholder");
  add<&isSparse>(m, "is_sparse");
  add<&isTensor>(m, "is_tensor");
  add<&isVariable>(m, "is_variable");
  add<&K::jvp>(m, "jvp");
  add<&K::manual_variable_initialization>(m, "manual_variable_initialization");
  add<&K::moving_average_update>(m, "moving_average_update");
  add<&K::ndim>(m, "ndim");
  add<&K::reset_uids>(m, "reset_uids");
  add<&K::shape>(m, "shape");
  add<&K::size>(m, "size");
  add<&K::sparse_hessian>(m, "sparse_hessian");
  add<&K::sparse_jacobian>(m, "sparse_jacobian");
  add<&K::sparse_parts>(m, "sparse_parts");
  add<&stopGradient>(m, "stop_gradient");
  add<&K::to_dense>(m, "to_dense");
  add<&K::update>(m, "update");
  add<&K::update_add>(m, "update_add");
  add<&K::update_sub>(m, "update_sub");
  add<&K::vector_jacobian_product>(m, "vector_jacobian_product");

  nb::class_<NameScope>(m, "NameScope")
      .def(nb::init<std::string>())
      .def("enter", [](NameScope &self) { return self.enter().name(); })
      .def("leave", &NameScope::leave);
  nb::class_<ControlDependencies>(m, "ControlDependencies")
      .def(
          "__init__",
          [](ControlDependencies *self, nb::handle inputs) {
            new (self) ControlDependencies(controlInputs(inputs));
          },
          nb::arg("control_inputs").none())
      .def("enter", [](ControlDependencies &self) { self.enter(); })
      .def("leave", &ControlDependencies::leave);
}

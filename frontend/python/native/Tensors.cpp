#include "frontend/python/native/Tensors.h"

#include "frontend/python/native/Callables.h"
#include "frontend/python/native/Results.h"

#include <unordered_map>

using namespace keratin;
using namespace keratin::python;

namespace {

class TensorObject;

// All objects that there are, by the hash of their tensor. Under the GIL.
using Objects = std::unordered_multimap<size_t, std::pair<const TensorObject *, PyObject *>>;
Objects &objects() {
  static auto *all = new Objects;
  return *all;
}

class TensorObject {
public:
  explicit TensorObject(Tensor tensor) : tensor(std::move(tensor)) {}
  TensorObject(const TensorObject &) = delete;
  ~TensorObject() {
    auto [begin, end] = objects().equal_range(hash());
    for (auto it = begin; it != end; ++it)
      if (it->second.first == this) {
        objects().erase(it);
        return;
      }
  }

  size_t hash() const { return std::hash<Tensor>()(tensor); }

  const Tensor tensor;
};

bool isTrue(nb::handle object) {
  int truth = PyObject_IsTrue(object.ptr());
  if (truth < 0)
    nb::raise_python_error();
  return truth;
}

nb::object givenConstraint(const TensorObject &self) {
  return self.tensor.isEmpty() ? nb::none() : toPython(self.tensor.constraint());
}

} // namespace

nb::object keratin::python::toPython(const Tensor &tensor) {
  if (tensor.isEmpty())
    return nb::none();
  auto [begin, end] = objects().equal_range(std::hash<Tensor>()(tensor));
  for (auto it = begin; it != end; ++it) {
    auto [known, object] = it->second;
    // One that is about to go may still be here.
    if (std::equal_to<Tensor>()(known->tensor, tensor) && Py_REFCNT(object) > 0)
      return nb::borrow(object);
  }
  auto *made = new TensorObject(tensor);
  nb::object object = nb::cast(made, nb::rv_policy::take_ownership);
  objects().emplace(made->hash(), std::pair(made, object.ptr()));
  return object;
}

const Tensor *keratin::python::tensorOf(nb::handle object) {
  static PyTypeObject *type = reinterpret_cast<PyTypeObject *>(nb::type<TensorObject>().ptr());
  // Nobody derives from it.
  return Py_TYPE(object.ptr()) == type ? &nb::inst_ptr<TensorObject>(object)->tensor : nullptr;
}

void keratin::python::registerTensors(nb::module_ &module) {
  nb::class_<TensorObject>(module, "Tensor", nb::dynamic_attr(), nb::is_weak_referenceable(),
                           nb::is_final(), "A value of the graph.")
      .def_prop_ro("name", [](const TensorObject &self) { return toPython(self.tensor.name()); })
      .def_prop_ro("_dtype_name",
                   [](const TensorObject &self) { return nb::str(dtypeName(self.tensor.dtype())); })
      .def_prop_ro("shape", [](const TensorObject &self) { return toPython(self.tensor.shape()); })
      .def_prop_ro("ndim", [](const TensorObject &self) { return self.tensor.ndim(); })
      .def_prop_rw(
          "_uses_learning_phase",
          [](const TensorObject &self) { return self.tensor.usesLearningPhase(); },
          [](const TensorObject &self, nb::handle uses) {
            Tensor(self.tensor).setUsesLearningPhase(isTrue(uses));
          },
          nb::for_setter(nb::arg("uses").none()))
      .def_prop_rw(
          "_variable_trainable", [](const TensorObject &self) { return self.tensor.trainable(); },
          [](const TensorObject &self, nb::handle trainable) {
            Tensor(self.tensor).setTrainable(isTrue(trainable));
          },
          nb::for_setter(nb::arg("trainable").none()))
      .def_prop_ro("_variable_constraint", givenConstraint);
}

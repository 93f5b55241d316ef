#include "frontend/python/native/DeviceArrays.h"

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Results.h"
#include "keratin/dlpack.h"

#include <keratin/device.h>

#include <cstddef>

#include <nanobind/stl/string.h>

using namespace keratin;
using namespace keratin::python;

namespace {

struct DeviceArray {
  Array array;
};

std::string reprOf(const DeviceArray &self) {
  return "<keratin.DeviceArray " + std::string(dtypeName(self.array.dtype())) + " " +
         toString(self.array.shape()) + " on " + self.array.device() + ">";
}

// As DLPack's protocol for Python has it. Nothing is queued: a call returns when its work is done.
// Whoever takes the tensor may let go of it while work of its own on it is not done: the memory is
// nobody's before.
nb::object dlpack(nb::handle self) {
  auto view = std::make_shared<Array>(*viewOnDevice(self));
  void *data = const_cast<void *>(view->origin());
  std::shared_ptr<void> owner(data, [view](void *) { awaitOthers(*view); });
  DLManagedTensor *tensor = toDLPack(
      Array::deviceView(view->device(), data, view->dtype(), view->shape(), {}, std::move(owner)));
  return nb::steal(PyCapsule_New(tensor, "dltensor", [](PyObject *capsule) {
    // One that nobody has taken.
    if (PyCapsule_IsValid(capsule, "dltensor"))
      (void)fromDLPack(static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor")));
  }));
}

nb::object toHost(const DeviceArray &self) {
  Array copy;
  {
    ReleasedGil release;
    copy = self.array.toHost();
  }
  return toPython(std::move(copy));
}

} // namespace

nb::object keratin::python::deviceArrayOf(Array array) {
  return nb::cast(DeviceArray{std::move(array)});
}

std::optional<Array> keratin::python::viewOnDevice(nb::handle object) {
  static PyTypeObject *type = reinterpret_cast<PyTypeObject *>(nb::type<DeviceArray>().ptr());
  // Nobody derives from it.
  if (Py_TYPE(object.ptr()) != type)
    return std::nullopt;
  const Array &array = nb::inst_ptr<DeviceArray>(object)->array;
  return Array::deviceView(array.device(), const_cast<void *>(array.origin()), array.dtype(),
                           array.shape(), {}, shared(object));
}

// The stream without a number. A byte that comes back behind what it has is there when all of that
// is done.
std::string keratin::python::awaitOthers(const Array &array) {
  const keratin_device_t *device = array.place();
  if (!device || device->bytes <= offsetof(keratin_device_t, follow) || !device->follow ||
      array.size() == 0)
    return "";
  keratin_status_t status;
  char byte = 0;
  if (device->follow(device->user, nullptr, nullptr, &status) != KERATIN_OK ||
      device->copy_out(device->user, nullptr, 0, &byte, array.origin(), 1, &status) != KERATIN_OK)
    return status.message;
  return "";
}

void keratin::python::registerDeviceArrays(nb::module_ &module) {
  nb::class_<DeviceArray>(
      module, "DeviceArray", nb::is_weak_referenceable(), nb::is_final(),
      "An array in the memory of a device, which a function made with keep_on_device=True returns. "
      "Functions of the device take it as a value, without a copy; to_host() is an array of "
      "NumPy's.")
      .def_prop_ro("shape",
                   [](const DeviceArray &self) {
                     return toPython(
                         StaticShape(self.array.shape().begin(), self.array.shape().end()));
                   })
      .def_prop_ro("dtype",
                   [](const DeviceArray &self) { return nb::str(dtypeName(self.array.dtype())); })
      .def_prop_ro("ndim", [](const DeviceArray &self) { return self.array.ndim(); })
      .def_prop_ro("size", [](const DeviceArray &self) { return self.array.size(); })
      .def_prop_ro("device", [](const DeviceArray &self) { return self.array.device(); })
      .def("to_host", toHost, "A copy, as an array of NumPy's.")
      .def(
          "__array__",
          [](const DeviceArray &self, nb::handle dtype, nb::handle) {
            nb::object host = toHost(self);
            return dtype.is_none() ? host : nb::object(host.attr("astype")(dtype));
          },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none())
      .def("__dlpack__", [](nb::handle self, nb::args, nb::kwargs) { return dlpack(self); })
      .def("__dlpack_device__",
           [](const DeviceArray &self) {
             const std::string name = self.array.device();
             // kDLCUDA, and its number.
             return nb::make_tuple(2, name.size() > 5 ? std::stoi(name.substr(5)) : 0);
           })
      .def("__repr__", reprOf);
}

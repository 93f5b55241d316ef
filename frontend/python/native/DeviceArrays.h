// Arrays that a function has left on its device (keep_on_device).
#ifndef KERATIN_FRONTEND_PYTHON_DEVICEARRAYS_H
#define KERATIN_FRONTEND_PYTHON_DEVICEARRAYS_H

#include "frontend/python/native/Python.h"
#include "keratin/array.h"

#include <optional>

namespace keratin::python {

// A keratin.DeviceArray, which owns the elements.
nb::object deviceArrayOf(Array array);

// The elements of a DeviceArray where they lie; nothing of any other object. The array has a share
// in the object.
std::optional<Array> viewOnDevice(nb::handle object);

void registerDeviceArrays(nb::module_ &module);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_DEVICEARRAYS_H

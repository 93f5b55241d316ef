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

// Waits for what other libraries have put into their default stream on the array's device: their
// calls return before that is done, and Keratin's streams wait for no others. What went wrong, or
// "". By whoever has the GIL or not.
std::string awaitOthers(const Array &array);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_DEVICEARRAYS_H

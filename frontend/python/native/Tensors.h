// The Python object of a tensor.
#ifndef KERATIN_FRONTEND_PYTHON_TENSORS_H
#define KERATIN_FRONTEND_PYTHON_TENSORS_H

#include "frontend/python/native/Python.h"
#include "keratin/tensor.h"

namespace keratin::python {

// The one object of a value, which lives as long as Python refers to it.
nb::object toPython(const Tensor &tensor);

// Null for any other object.
const Tensor *tensorOf(nb::handle object);

// The class, without operators: keratin/_tensor.py adds them.
void registerTensors(nb::module_ &module);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_TENSORS_H

// keratin.Model.
#ifndef KERATIN_FRONTEND_PYTHON_MODELS_H
#define KERATIN_FRONTEND_PYTHON_MODELS_H

#include "frontend/python/native/Python.h"

namespace keratin::python {

// The class, as keratin/_model.py needs it.
void registerModels(nb::module_ &module);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_MODELS_H

// The K functions of each subject, as functions of the module.
#ifndef KERATIN_FRONTEND_PYTHON_SUBJECTS_H
#define KERATIN_FRONTEND_PYTHON_SUBJECTS_H

#include "frontend/python/native/Python.h"

namespace keratin::python {

void registerConfiguration(nb::module_ &module);
void registerControl(nb::module_ &module);
void registerCreation(nb::module_ &module);
void registerDerivatives(nb::module_ &module);
void registerDistributed(nb::module_ &module);
void registerDistributions(nb::module_ &module);
void registerElementwise(nb::module_ &module);
void registerErrors(nb::module_ &module);
void registerEvaluation(nb::module_ &module);
void registerFourier(nb::module_ &module);
void registerGraph(nb::module_ &module);
void registerNeural(nb::module_ &module);
void registerReductions(nb::module_ &module);
void registerShapes(nb::module_ &module);
void registerWindows(nb::module_ &module);
// The class Function and what makes and keeps functions.
void registerFunctions(nb::module_ &module);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_SUBJECTS_H

// Matrices of SciPy's.
#ifndef KERATIN_FRONTEND_PYTHON_SPARSEMATRICES_H
#define KERATIN_FRONTEND_PYTHON_SPARSEMATRICES_H

#include "frontend/python/native/Python.h"
#include "keratin/sparse.h"

#include <string>

namespace keratin::python {

// Whatever has a method tocoo.
bool isSparseMatrix(nb::handle object);
SparseMatrix sparseMatrixOf(nb::handle object, const std::string &what);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_SPARSEMATRICES_H

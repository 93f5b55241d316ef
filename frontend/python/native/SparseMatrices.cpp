#include "frontend/python/native/SparseMatrices.h"

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Tensors.h"

using namespace keratin;
using namespace keratin::python;

bool keratin::python::isSparseMatrix(nb::handle object) {
  PyObject *pointer = object.ptr();
  if (PyFloat_Check(pointer) || PyLong_Check(pointer) || PyList_Check(pointer) ||
      PyObject_CheckBuffer(pointer) || tensorOf(object))
    return false;
  return nb::hasattr(object, "tocoo");
}

SparseMatrix keratin::python::sparseMatrixOf(nb::handle object, const std::string &what) {
  nb::object coo = object.attr("tocoo")();
  nb::tuple shape(coo.attr("shape"));
  if (shape.size() != 2)
    valueError(what + " has " + std::to_string(shape.size()) + " dimensions; needed 2");
  auto indices = [&](const char *name) {
    return arrayOf(coo.attr(name), what).toVector<int64_t>();
  };
  return SparseMatrix::coo(nb::cast<int64_t>(shape[0]), nb::cast<int64_t>(shape[1]), indices("row"),
                           indices("col"), arrayOf(coo.attr("data"), what));
}

#include "frontend/python/native/Feeds.h"

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/SparseMatrices.h"
#include "frontend/python/native/Tensors.h"
#include "keratin/io.h"

using namespace keratin;
using namespace keratin::python;

Feed keratin::python::feedOf(nb::handle object, const std::string &what) {
  if (const Tensor *tensor = tensorOf(object))
    return backend::eval(*tensor, userPlace());
  if (isSparseMatrix(object))
    return sparseMatrixOf(object, what);
  return arrayOf(object, what);
}

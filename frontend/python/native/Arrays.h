// Arrays between Python and Keratin, where they lie.
#ifndef KERATIN_FRONTEND_PYTHON_ARRAYS_H
#define KERATIN_FRONTEND_PYTHON_ARRAYS_H

#include "frontend/python/native/Python.h"
#include "keratin/array.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::python {

// What a Python object is as an array: a number, an array of NumPy's or whatever else has a buffer
// or speaks DLPack, or nested lists of numbers. The elements are read where they lie wherever that
// is possible; the array then has a share in the object. None is no value. TypeError, which begins
// with `what`, for anything else. Needs the GIL.
Array arrayOf(nb::handle object, const std::string &what);

// The same of an object with a buffer, and None for others.
std::optional<Array> viewOf(nb::handle object);

// Views of objects with buffers, which it holds as long as it lives: quicker, for a call. Needs the
// GIL, to its end.
class Buffers {
public:
  Buffers(size_t capacity) { held.reserve(capacity); }
  Buffers(const Buffers &) = delete;
  ~Buffers();

  // At most as many as the capacity.
  std::optional<Array> viewOf(nb::handle object);

private:
  std::vector<Py_buffer> held;
};

// An array of NumPy's that owns the elements, which are not copied; bfloat16 as ml_dtypes has it. A
// DeviceArray of what lies on a device. None for no value.
nb::object toPython(Array array);
// A list of them.
nb::object toPython(std::vector<Array> arrays);

void registerArrays(nb::module_ &module);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_ARRAYS_H

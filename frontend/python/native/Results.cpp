#include "frontend/python/native/Results.h"

using namespace keratin;
using namespace keratin::python;

nb::object keratin::python::toPython(const StaticShape &shape) {
  nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(shape.size())));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    nb::object size = shape[axis] ? nb::object(nb::int_(*shape[axis])) : nb::none();
    PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(axis), size.release().ptr());
  }
  return tuple;
}

nb::object keratin::python::toPython(const Gradient &gradient) {
  return gradient ? toPython(gradient.value()) : nb::none();
}

nb::object keratin::python::toPython(const Operand &operand) {
  if (operand.isTensor())
    return toPython(operand.tensor());
  if (operand.isNumber())
    return nb::int_(int64_t(operand.number()));
  return nb::none();
}

nb::object keratin::python::toPython(const TopK &result) {
  return nb::make_tuple(toPython(result.values), toPython(result.indices));
}

nb::object keratin::python::toPython(const Lu &result) {
  return nb::make_tuple(toPython(result.factors), toPython(result.permutation));
}

nb::object keratin::python::toPython(const SlogDet &result) {
  return nb::make_tuple(toPython(result.sign), toPython(result.logabsdet));
}

nb::object keratin::python::toPython(const Qr &result) {
  return nb::make_tuple(toPython(result.q), toPython(result.r));
}

nb::object keratin::python::toPython(const Eigh &result) {
  return nb::make_tuple(toPython(result.values), toPython(result.vectors));
}

nb::object keratin::python::toPython(const Unique &result) {
  return nb::make_tuple(toPython(result.values), toPython(result.indices), toPython(result.inverse),
                        toPython(result.counts));
}

nb::object keratin::python::toPython(const Svd &result) {
  return nb::make_tuple(toPython(result.u), toPython(result.s), toPython(result.vt));
}

// K functions: configuration.
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

static nb::object castToFloatx(nb::handle x, SourceLocation place) {
  if (const Tensor *tensor = tensorOf(x))
    return toPython(K::cast_to_floatx(*tensor, place));
  return toPython(K::cast_to_floatx(fromPython<Array>(x, {"cast_to_floatx", 0, place})));
}

void keratin::python::registerConfiguration(nb::module_ &m) {
  add<&K::backend>(m, "backend");
  add<&castToFloatx>(m, "cast_to_floatx");
  add<&K::device>(m, "device");
  add<&K::epsilon>(m, "epsilon");
  add<&K::floatx>(m, "floatx");
  add<&K::image_data_format>(m, "image_data_format");
  add<&K::normalize_data_format>(m, "normalize_data_format");
  add<&K::set_device>(m, "set_device");
  add<&K::set_epsilon>(m, "set_epsilon");
  add<&K::set_floatx>(m, "set_floatx");
  add<&K::set_image_data_format>(m, "set_image_data_format");
}

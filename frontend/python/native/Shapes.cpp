#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerShapes(nb::module_ &m) {
  add<&K::batch_flatten>(m, "batch_flatten");
  add<&K::concatenate>(m, "concatenate");
  add<&K::expand_dims>(m, "expand_dims");
  add<&K::flatten>(m, "flatten");
  add<&K::one_hot>(m, "one_hot");
  add<exactly<Tensor(const Operand &, const K::PadWidths &, const std::string &, const Operand &,
                     SourceLocation)>(&K::pad)>(m, "pad");
  add<&K::pattern_broadcast>(m, "pattern_broadcast");
  add<&K::permute_dimensions>(m, "permute_dimensions");
  add<&K::repeat>(m, "repeat");
  add<&K::repeat_elements>(m, "repeat_elements");
  add<&K::reshape>(m, "reshape");
  add<&K::resize_images>(m, "resize_images");
  add<&K::resize_volumes>(m, "resize_volumes");
  add<&K::reverse>(m, "reverse");
  add<&K::roll>(m, "roll");
  add<&K::scatter>(m, "scatter");
  add<&K::slice>(m, "slice");
  add<&K::spatial_2d_padding>(m, "spatial_2d_padding");
  add<&K::spatial_3d_padding>(m, "spatial_3d_padding");
  add<&K::split>(m, "split");
  add<&K::squeeze>(m, "squeeze");
  add<&K::stack>(m, "stack");
  add<&K::take_along_axis>(m, "take_along_axis");
  add<&K::temporal_padding>(m, "temporal_padding");
  add<&K::tile>(m, "tile");
}

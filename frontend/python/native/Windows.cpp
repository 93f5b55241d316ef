#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerWindows(nb::module_ &m) {
  using Convolution = Tensor(const Operand &, const Operand &, const Shape &, const std::string &,
                             const DataFormat &, const Shape &, SourceLocation);
  using Separable = Tensor(const Operand &, const Operand &, const Operand &, const Shape &,
                           const std::string &, const DataFormat &, const Shape &, SourceLocation);
  using Pool = Tensor(const Operand &, const Shape &, const Shape &, const std::string &,
                      const DataFormat &, const std::string &, SourceLocation);
  add<exactly<Convolution>(&K::conv1d)>(m, "conv1d");
  add<exactly<Convolution>(&K::conv2d)>(m, "conv2d");
  add<exactly<Convolution>(&K::conv3d)>(m, "conv3d");
  add<exactly<Tensor(const Operand &, const Operand &, const Shape &, const Shape &,
                     const std::string &, const DataFormat &, const Shape &, SourceLocation)>(
      &K::conv2d_transpose)>(m, "conv2d_transpose");
  add<exactly<Tensor(const Operand &, const Operand &, const Shape &, const Shape &,
                     const std::string &, const DataFormat &, SourceLocation)>(
      &K::conv3d_transpose)>(m, "conv3d_transpose");
  add<exactly<Convolution>(&K::depthwise_conv2d)>(m, "depthwise_conv2d");
  add<&K::local_conv1d>(m, "local_conv1d");
  add<&K::local_conv2d>(m, "local_conv2d");
  add<exactly<Pool>(&K::pool2d)>(m, "pool2d");
  add<exactly<Pool>(&K::pool3d)>(m, "pool3d");
  add<exactly<Separable>(&K::separable_conv1d)>(m, "separable_conv1d");
  add<exactly<Separable>(&K::separable_conv2d)>(m, "separable_conv2d");
}

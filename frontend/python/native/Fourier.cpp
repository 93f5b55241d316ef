#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerFourier(nb::module_ &m) {
  using AlongAxis =
      Tensor(const Operand &, const Size &, Axis, const std::string &, SourceLocation);
  using AlongAxes =
      Tensor(const Operand &, const Shape &, const Axes &, const std::string &, SourceLocation);
  add<exactly<AlongAxis>(&K::fft)>(m, "fft");
  add<exactly<AlongAxis>(&K::ifft)>(m, "ifft");
  add<exactly<AlongAxis>(&K::irfft)>(m, "irfft");
  add<exactly<AlongAxis>(&K::rfft)>(m, "rfft");
  add<exactly<AlongAxes>(&K::fft2)>(m, "fft2");
  add<exactly<AlongAxes>(&K::fftn)>(m, "fftn");
  add<exactly<AlongAxes>(&K::ifft2)>(m, "ifft2");
  add<exactly<AlongAxes>(&K::ifftn)>(m, "ifftn");
  add<exactly<AlongAxes>(&K::irfft2)>(m, "irfft2");
  add<exactly<AlongAxes>(&K::irfftn)>(m, "irfftn");
  add<exactly<AlongAxes>(&K::rfft2)>(m, "rfft2");
  add<exactly<AlongAxes>(&K::rfftn)>(m, "rfftn");
  add<&K::fftfreq>(m, "fftfreq");
  add<&K::fftshift>(m, "fftshift");
  add<&K::ifftshift>(m, "ifftshift");
  add<&K::rfftfreq>(m, "rfftfreq");
}

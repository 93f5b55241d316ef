#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerElementwise(nb::module_ &m) {
  add<&K::abs>(m, "abs");
  add<&K::angle>(m, "angle");
  add<&K::atan2>(m, "atan2");
  add<&K::atan>(m, "atan");
  add<&K::bessel_i0e>(m, "bessel_i0e");
  add<&K::bessel_i1e>(m, "bessel_i1e");
  add<&K::betainc>(m, "betainc");
  add<&K::cast>(m, "cast");
  add<&K::ceil>(m, "ceil");
  add<&K::complex>(m, "complex");
  add<&K::conj>(m, "conj");
  add<&K::clip>(m, "clip");
  add<&K::cos>(m, "cos");
  add<&K::digamma>(m, "digamma");
  add<&K::equal>(m, "equal");
  add<&K::erf>(m, "erf");
  add<&K::erfc>(m, "erfc");
  add<&K::erfinv>(m, "erfinv");
  add<&K::exp>(m, "exp");
  add<&K::expm1>(m, "expm1");
  add<&K::floor>(m, "floor");
  add<&K::floor_divide>(m, "floor_divide");
  add<&K::greater>(m, "greater");
  add<&K::greater_equal>(m, "greater_equal");
  add<&K::hypot>(m, "hypot");
  add<&K::igamma>(m, "igamma");
  add<&K::igammac>(m, "igammac");
  add<&K::imag>(m, "imag");
  add<&K::less>(m, "less");
  add<&K::less_equal>(m, "less_equal");
  add<&K::lgamma>(m, "lgamma");
  add<&K::log1p>(m, "log1p");
  add<&K::log>(m, "log");
  add<&K::log_ndtr>(m, "log_ndtr");
  add<&K::maximum>(m, "maximum");
  add<&K::minimum>(m, "minimum");
  add<&K::ndtr>(m, "ndtr");
  add<&K::ndtri>(m, "ndtri");
  add<&K::not_equal>(m, "not_equal");
  add<&K::polygamma>(m, "polygamma");
  add<&K::pow>(m, "pow");
  add<&K::real>(m, "real");
  add<&K::round>(m, "round");
  add<&K::sigmoid>(m, "sigmoid");
  add<&K::sign>(m, "sign");
  add<&K::sin>(m, "sin");
  add<&K::sinc>(m, "sinc");
  add<&K::softplus>(m, "softplus");
  add<&K::sqrt>(m, "sqrt");
  add<&K::square>(m, "square");
  add<&K::tan>(m, "tan");
  add<&K::tanh>(m, "tanh");
  add<&K::where>(m, "where");
  add<&K::xlogy>(m, "xlogy");
  add<&K::zeta>(m, "zeta");
  // Operators that are no K functions.
  add<+[](const Operand &x, const Operand &y) { return x + y; }>(m, "add");
  add<+[](const Operand &x, const Operand &y) { return x - y; }>(m, "subtract");
  add<+[](const Operand &x, const Operand &y) { return x * y; }>(m, "multiply");
  add<+[](const Operand &x, const Operand &y) { return x / y; }>(m, "divide");
  add<+[](const Operand &x, const Operand &y) { return x % y; }>(m, "remainder");
  add<+[](const Operand &x, const Operand &y) { return x & y; }>(m, "logical_and");
  add<+[](const Operand &x, const Operand &y) { return x | y; }>(m, "logical_or");
  add<+[](const Operand &x) { return ~x; }>(m, "logical_not");
  add<+[](const Operand &x) { return -x; }>(m, "negative");
}

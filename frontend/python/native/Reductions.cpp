#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerReductions(nb::module_ &m) {
  using Reduction = Tensor(const Operand &, const Axes &, bool, SourceLocation);
  add<exactly<Reduction>(&K::all)>(m, "all");
  add<exactly<Reduction>(&K::any)>(m, "any");
  add<exactly<Reduction>(&K::logsumexp)>(m, "logsumexp");
  add<exactly<Reduction>(&K::max)>(m, "max");
  add<exactly<Reduction>(&K::mean)>(m, "mean");
  add<exactly<Reduction>(&K::min)>(m, "min");
  add<exactly<Reduction>(&K::nanmax)>(m, "nanmax");
  add<exactly<Reduction>(&K::nanmean)>(m, "nanmean");
  add<exactly<Reduction>(&K::nanmin)>(m, "nanmin");
  add<exactly<Reduction>(&K::nanprod)>(m, "nanprod");
  add<exactly<Reduction>(&K::nanstd)>(m, "nanstd");
  add<exactly<Reduction>(&K::nansum)>(m, "nansum");
  add<exactly<Reduction>(&K::nanvar)>(m, "nanvar");
  add<exactly<Reduction>(&K::prod)>(m, "prod");
  add<exactly<Reduction>(&K::std)>(m, "std");
  add<exactly<Reduction>(&K::sum)>(m, "sum");
  add<exactly<Reduction>(&K::var)>(m, "var");
  add<&K::argmax>(m, "argmax");
  add<&K::argmin>(m, "argmin");
  add<&K::argsort>(m, "argsort");
  add<&K::bincount>(m, "bincount");
  add<&K::cumlogsumexp>(m, "cumlogsumexp");
  add<&K::cummax>(m, "cummax");
  add<&K::cummin>(m, "cummin");
  add<&K::cumprod>(m, "cumprod");
  add<&K::cumsum>(m, "cumsum");
  add<&K::histogram>(m, "histogram");
  add<&K::searchsorted>(m, "searchsorted");
  add<&K::segment_max>(m, "segment_max");
  add<&K::segment_mean>(m, "segment_mean");
  add<&K::segment_min>(m, "segment_min");
  add<&K::segment_sum>(m, "segment_sum");
  add<&K::sort>(m, "sort");
  add<&K::top_k>(m, "top_k");
  add<&K::unique>(m, "unique");
  // Linear algebra.
  add<&K::band_part>(m, "band_part");
  add<&K::batch_dot>(m, "batch_dot");
  add<&K::cholesky>(m, "cholesky");
  add<&K::cholesky_solve>(m, "cholesky_solve");
  add<&K::cross>(m, "cross");
  add<&K::det>(m, "det");
  add<&K::diag>(m, "diag");
  add<&K::dot>(m, "dot");
  add<&K::eigh>(m, "eigh");
  add<&K::eigvalsh>(m, "eigvalsh");
  add<&K::einsum>(m, "einsum");
  add<&K::expm>(m, "expm");
  add<&K::gather>(m, "gather");
  add<&K::inv>(m, "inv");
  add<&K::kron>(m, "kron");
  add<&K::lstsq>(m, "lstsq");
  add<&K::lu>(m, "lu");
  add<&K::matmul>(m, "matmul");
  add<&K::matrix_power>(m, "matrix_power");
  add<&K::matrix_rank>(m, "matrix_rank");
  add<exactly<Tensor(const Operand &, const NormOrder &, const Axes &, bool, SourceLocation)>(
      &K::norm)>(m, "norm");
  add<&K::pinv>(m, "pinv");
  add<&K::qr>(m, "qr");
  add<&K::slogdet>(m, "slogdet");
  add<&K::solve>(m, "solve");
  add<&K::svd>(m, "svd");
  add<exactly<Tensor(const Operand &, int64_t, Axis, Axis, SourceLocation)>(&K::trace)>(m, "trace");
  add<&K::transpose>(m, "transpose");
  add<exactly<Tensor(const Operand &, const Operand &, bool, bool, bool, bool, SourceLocation)>(
      &K::triangular_solve)>(m, "triangular_solve");
  add<&K::tril>(m, "tril");
  add<&K::triu>(m, "triu");
}

#include "frontend/python/native/Register.h"
#include "frontend/python/native/SparseMatrices.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

static Tensor variable(nb::handle value, DTypeArgument dtype, const std::string &name,
                       Constraint constraint, SourceLocation place) {
  if (isSparseMatrix(value)) {
    const SparseMatrix matrix = sparseMatrixOf(value, "variable: value");
    ReleasedGil release;
    return K::variable(matrix, dtype, name, place);
  }
  const Operand initial = fromPython<Operand>(value, {"variable", 0, place});
  ReleasedGil release;
  return K::variable(initial, dtype, name, std::move(constraint), place);
}

void keratin::python::registerCreation(nb::module_ &m) {
  using Filled = Tensor(const Shape &, DTypeArgument, const std::string &, SourceLocation);
  using Like = Tensor(const Operand &, DTypeArgument, const std::string &, SourceLocation);
  using Draw = Tensor(const Shape &, const Operand &, const Operand &, DTypeArgument,
                      std::optional<int64_t>, SourceLocation);
  using DrawOfOne =
      Tensor(const Shape &, const Operand &, DTypeArgument, std::optional<int64_t>, SourceLocation);
  using DrawnVariable = Tensor(const Shape &, double, double, DTypeArgument, const std::string &,
                               std::optional<int64_t>, SourceLocation);
  add<exactly<Tensor(const Operand &, DTypeArgument, const Shape &, const std::string &,
                     SourceLocation)>(&K::constant)>(m, "constant");
  add<exactly<Tensor(const Shape &, std::optional<int64_t>, DTypeArgument, bool,
                     const std::string &, SourceLocation)>(&K::placeholder)>(m, "placeholder");
  add<&variable>(m, "variable");
  add<exactly<Filled>(&K::zeros)>(m, "zeros");
  add<exactly<Filled>(&K::ones)>(m, "ones");
  add<exactly<Filled>(&K::eye)>(m, "eye");
  add<exactly<Like>(&K::zeros_like)>(m, "zeros_like");
  add<exactly<Like>(&K::ones_like)>(m, "ones_like");
  add<&K::identity>(m, "identity");
  add<exactly<Tensor(const Operand &, const Operand &, const Operand &, DTypeArgument,
                     SourceLocation)>(&K::arange)>(m, "arange");
  add<exactly<Tensor(const Operand &, const Operand &, const Size &, bool, DTypeArgument,
                     SourceLocation)>(&K::linspace)>(m, "linspace");
  add<&K::meshgrid>(m, "meshgrid");
  add<exactly<Draw>(&K::random_normal)>(m, "random_normal");
  add<exactly<Draw>(&K::random_uniform)>(m, "random_uniform");
  add<exactly<Draw>(&K::truncated_normal)>(m, "truncated_normal");
  add<exactly<DrawOfOne>(&K::random_binomial)>(m, "random_binomial");
  add<exactly<Draw>(&K::random_gamma)>(m, "random_gamma");
  add<exactly<Draw>(&K::random_beta)>(m, "random_beta");
  add<exactly<DrawOfOne>(&K::random_exponential)>(m, "random_exponential");
  add<exactly<DrawOfOne>(&K::random_poisson)>(m, "random_poisson");
  add<&K::random_categorical>(m, "random_categorical");
  add<&K::random_permutation>(m, "random_permutation");
  add<exactly<Tensor(const Operand &, const Shape &, bool, const Operand &, std::optional<int64_t>,
                     SourceLocation)>(&K::random_choice)>(m, "random_choice");
  add<exactly<DrawnVariable>(&K::random_uniform_variable)>(m, "random_uniform_variable");
  add<exactly<DrawnVariable>(&K::random_normal_variable)>(m, "random_normal_variable");
  add<&K::set_random_seed>(m, "set_random_seed");
}

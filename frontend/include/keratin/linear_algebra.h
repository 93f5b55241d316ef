// K functions: products of tensors.
#ifndef KERATIN_LINEAR_ALGEBRA_H
#define KERATIN_LINEAR_ALGEBRA_H

#include "keratin/arguments.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace keratin {

// Which norm: None, a number, or "fro" and the like.
class NormOrder {
public:
  NormOrder(std::nullopt_t) {}
  template <typename T,
            std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, int> = 0>
  NormOrder(T order) : value(double(order)) {}
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
  NormOrder(T isNoOrder) = delete; // a bool; keepdims comes behind the axis
  NormOrder(const char *name) : value(std::string(name ? name : "")) {}
  NormOrder(std::string name) : value(std::move(name)) {}

  bool isNone() const { return value.index() == 0; }
  bool isNumber() const { return value.index() == 1; }
  bool isName() const { return value.index() == 2; }
  // Precondition: isNumber(), and isName().
  double number() const { return std::get<double>(value); }
  const std::string &name() const { return std::get<std::string>(value); }

private:
  std::variant<std::monostate, double, std::string> value;
};

// auto [factors, permutation] = K::lu(x);
struct Lu {
  Tensor factors, permutation;
};

// auto [sign, logabsdet] = K::slogdet(x);
struct SlogDet {
  Tensor sign, logabsdet;
};

// auto [q, r] = K::qr(x);
struct Qr {
  Tensor q, r;
};

// auto [values, vectors] = K::eigh(x);
struct Eigh {
  Tensor values, vectors;
};

// auto [u, s, vt] = K::svd(x);
struct Svd {
  Tensor u, s, vt;
};

} // namespace keratin

namespace keratin::backend {

// Sums over the last axis of x and the second-to-last of y (its only one for rank 1).
Tensor dot(const Operand &x, const Operand &y, SourceLocation location = SourceLocation::current());
// For each sample, sums over one axis of x and one of y. axes: one for both, a pair, or None for
// the last of x and the second-to-last of y (the last for rank 2).
Tensor batch_dot(const Operand &x, const Operand &y, const Axes &axes = None,
                 SourceLocation location = SourceLocation::current());
// numpy.matmul: products of the matrices in the last two axes, whose other axes are broadcast; a
// vector is a row on the left, a column on the right, whose axis of 1 leaves again.
Tensor matmul(const Operand &x, const Operand &y,
              SourceLocation location = SourceLocation::current());
// numpy.einsum: K::einsum("bhqd,bhkd->bhqk", {q, k}). Letters name axes, "..." stands for further
// ones, which are broadcast; what is not in the result is summed over, a letter twice in a term is
// a diagonal. Of three operands and more those are multiplied first that leave the least work.
Tensor einsum(const std::string &equation, const std::vector<Operand> &operands,
              SourceLocation location = SourceLocation::current());
// numpy.diag: of matrices in the last two axes the k-th diagonal, above the main one for k > 0;
// of a vector the matrix of zeros with it there.
Tensor diag(const Operand &x, int64_t k = 0, SourceLocation location = SourceLocation::current());
// The sum of a diagonal of the matrices in two axes, which leave.
Tensor trace(const Operand &x, int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1,
             SourceLocation location = SourceLocation::current());
// x on and below the k-th diagonal, on and above it, 0 elsewhere; of matrices in the last two axes.
Tensor tril(const Operand &x, int64_t k = 0, SourceLocation location = SourceLocation::current());
Tensor triu(const Operand &x, int64_t k = 0, SourceLocation location = SourceLocation::current());
// x on so many diagonals below the main one and above it, and on that, 0 elsewhere; a negative
// number is all of them.
Tensor band_part(const Operand &x, int64_t num_lower, int64_t num_upper,
                 SourceLocation location = SourceLocation::current());
// numpy.kron: the tensor in which each element of x is multiplied by the whole y.
Tensor kron(const Operand &x, const Operand &y,
            SourceLocation location = SourceLocation::current());
// The cross product of vectors of three along the axis; other axes are broadcast.
Tensor cross(const Operand &x, const Operand &y, Axis axis = -1,
             SourceLocation location = SourceLocation::current());
// numpy.linalg.norm. Of vectors along one axis: ord 2 or None, any other number p for
// sum(|x|^p)^(1/p), infinity for the largest of |x|, -infinity for the smallest, 0 for how many are
// not 0. Of matrices in two axes, rows first: "fro" or None, the square root of the sum of squares;
// 1 and -1, the largest and smallest sum of |x| of columns; infinity and -infinity, of rows; 2, -2
// and "nuc", the largest and smallest singular value and the sum of them. axis None: of all elements
// if ord is None, else of the vector or matrix x. Where a norm is 0, so is the gradient of a root.
Tensor norm(const Operand &x, const NormOrder &ord = None, const Axes &axis = None,
            bool keepdims = false, SourceLocation location = SourceLocation::current());
// The product of n equal square matrices in the last two axes; n = 0: the unit matrix; n < 0: of
// their inverses, as of inv(), in floats.
Tensor matrix_power(const Operand &x, int64_t n,
                    SourceLocation location = SourceLocation::current());

// Factorizations of matrices in the last two axes, and what is solved by them
// (docs/linear-algebra.md). Integers and bools become floatx; 16-bit floats are computed in
// float32. check: a matrix that has no result fails the call; without it is NaN there.

// numpy.linalg.cholesky: the lower triangle l with x = l l^T. Of x the lower triangle is read; it
// must be positive definite. The gradient is symmetric.
Tensor cholesky(const Operand &x, bool check = true,
                SourceLocation location = SourceLocation::current());
// y with l l^T y = b, where l is what cholesky() makes. b as of solve().
Tensor cholesky_solve(const Operand &l, const Operand &b,
                      SourceLocation location = SourceLocation::current());
// y with a y = b, or a^T y = b if transposed, where of a the lower or the upper triangle is read,
// and ones in the place of its diagonal with unit_diagonal. A zero on the diagonal has no result.
// b as of solve().
Tensor triangular_solve(const Operand &a, const Operand &b, bool lower = true,
                        bool transposed = false, bool unit_diagonal = false, bool check = true,
                        SourceLocation location = SourceLocation::current());
// scipy.linalg.lu_factor: factors of x[permutation] = L U with partial pivoting, of any matrix: U
// in the upper triangle and, below, L, whose diagonal is ones. The permutation is the order of the
// rows, int64. Gradient of square matrices.
Lu lu(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.solve: y with a y = b for square matrices; axes before the last two are broadcast. A
// vector b is one column, and so is the result. A singular matrix has no result.
Tensor solve(const Operand &a, const Operand &b, bool check = true,
             SourceLocation location = SourceLocation::current());
// The inverses of square matrices. A singular matrix has none.
Tensor inv(const Operand &x, bool check = true,
           SourceLocation location = SourceLocation::current());
// The determinants of square matrices, by lu(). Where one is 0 no second gradient is finite.
Tensor det(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.slogdet: their signs, -1, 0 or 1, and the logarithms of their absolute values.
SlogDet slogdet(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.qr: x = q r with orthonormal columns of q and upper triangles r, of as many columns
// and rows as the smaller size of x. Gradient of matrices with as many rows as columns, or more.
Qr qr(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.eigh: the eigenvalues of symmetric matrices, ascending, and their eigenvectors as
// columns, of which the first of the largest elements is positive. Of x the lower triangle is read.
// The gradient is symmetric; that of vectors is not finite where eigenvalues are equal.
Eigh eigh(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor eigvalsh(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.svd with full_matrices=False: x = u diag(s) vt with orthonormal columns of u and
// rows of vt, singular values s descending. The first of the largest elements in a row of vt is
// positive. The gradient of u and vt is not finite where singular values are equal.
Svd svd(const Operand &x, SourceLocation location = SourceLocation::current());
// numpy.linalg.pinv: pseudoinverses by svd(). Singular values count if they are above rcond times
// the largest; None: the larger size of x times the dtype's epsilon.
Tensor pinv(const Operand &x, std::optional<double> rcond = None,
            SourceLocation location = SourceLocation::current());
// numpy.linalg.lstsq: the shortest of the y for which a y - b is shortest, for matrices of any
// shape and rank; axes before the last two are broadcast. A vector b is one column. rcond as of
// pinv().
Tensor lstsq(const Operand &a, const Operand &b, std::optional<double> rcond = None,
             SourceLocation location = SourceLocation::current());
// numpy.linalg.matrix_rank: how many singular values are above tol, int64; None: above what pinv()
// has.
Tensor matrix_rank(const Operand &x, std::optional<double> tol = None,
                   SourceLocation location = SourceLocation::current());
// scipy.linalg.expm: exponentials of square matrices.
Tensor expm(const Operand &x, SourceLocation location = SourceLocation::current());
// Reverses the axes.
Tensor transpose(const Operand &x, SourceLocation location = SourceLocation::current());
// Picks along axis 0; an index outside it is an error of the call.
Tensor gather(const Operand &reference, const Operand &indices,
              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_LINEAR_ALGEBRA_H

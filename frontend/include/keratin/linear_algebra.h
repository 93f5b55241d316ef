// K functions: products of tensors.
#ifndef KERATIN_LINEAR_ALGEBRA_H
#define KERATIN_LINEAR_ALGEBRA_H

#include "keratin/arguments.h"

#include <string>
#include <vector>

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
// numpy.diag: of a matrix its k-th diagonal, above the main one for positive k; of a vector the
// matrix of zeros with it there.
Tensor diag(const Operand &x, int64_t k = 0, SourceLocation location = SourceLocation::current());
// The sum of a diagonal of the matrices in two axes, which leave.
Tensor trace(const Operand &x, int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1,
             SourceLocation location = SourceLocation::current());
// Reverses the axes.
Tensor transpose(const Operand &x, SourceLocation location = SourceLocation::current());
// Picks along axis 0; an index outside it is an error of the call.
Tensor gather(const Operand &reference, const Operand &indices,
              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_LINEAR_ALGEBRA_H

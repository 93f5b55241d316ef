// K functions: products of tensors.
#ifndef KERATIN_LINEAR_ALGEBRA_H
#define KERATIN_LINEAR_ALGEBRA_H

#include "keratin/arguments.h"

#include <vector>

namespace keratin::backend {

// Sums over the last axis of x and the second-to-last of y (its only one for rank 1).
Tensor dot(const Operand &x, const Operand &y, SourceLocation location = SourceLocation::current());
// For each sample, sums over one axis of x and one of y. axes: one for both, a pair, or None for
// the last of x and the second-to-last of y (the last for rank 2).
Tensor batch_dot(const Operand &x, const Operand &y, const Axes &axes = None,
                 SourceLocation location = SourceLocation::current());
// Reverses the axes.
Tensor transpose(const Operand &x, SourceLocation location = SourceLocation::current());
// Picks along axis 0; an index outside it is an error of the call.
Tensor gather(const Operand &reference, const Operand &indices,
              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_LINEAR_ALGEBRA_H

// Gradients of elementwise functions in forward mode.
#ifndef KERATIN_PASSES_AUTODIFF_HIGHERORDERS_H
#define KERATIN_PASSES_AUTODIFF_HIGHERORDERS_H

#include "ir/dialect/Keratin.h"

namespace keratin::passes {

// Builds the gradient of a loss, at the op, where the loss is the sum of a value that depends on
// the one variable by elementwise ops alone: then each element's derivative is its own, and may be
// computed in the order of the function. Reverse mode gives the same; but applied again and again
// it makes several ops of each op every time, while here the derivatives of order n of a value are
// made from those of its operands up to order n, which common subexpressions share.
//
// Null, with nothing built, where the loss is something else, or where zeros that were chosen could
// meet an infinite derivative (see ir::ChosenZeros).
mlir::FailureOr<mlir::Value> differentiateForwards(ir::GradientsOp op);

} // namespace keratin::passes

#endif // KERATIN_PASSES_AUTODIFF_HIGHERORDERS_H

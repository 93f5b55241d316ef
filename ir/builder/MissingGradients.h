// Gradients that nobody has a formula for.
#ifndef KERATIN_IR_BUILDER_MISSINGGRADIENTS_H
#define KERATIN_IR_BUILDER_MISSINGGRADIENTS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::ir {

// An error if the gradient, or the tangent, of an operand is wanted that has none for now: it is
// not zero.
llvm::LogicalResult refuseMissingGradients(mlir::Operation *op,
                                           llvm::function_ref<bool(unsigned)> isWanted);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_MISSINGGRADIENTS_H

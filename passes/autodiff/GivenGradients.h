// The end of the ops that say how something is to be differentiated.
#ifndef KERATIN_PASSES_AUTODIFF_GIVENGRADIENTS_H
#define KERATIN_PASSES_AUTODIFF_GIVENGRADIENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::passes {

// Puts the outputs of keratin.custom_gradient in the place of its results, and the bodies of
// checkpoints in theirs. For a function without derivatives, or whose derivatives are expanded.
void replaceGivenGradients(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_AUTODIFF_GIVENGRADIENTS_H

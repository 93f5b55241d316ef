// What keratin-differentiate does, for passes that want to know what it will do.
#ifndef KERATIN_PASSES_AUTODIFF_EXPANDGRADIENTS_H
#define KERATIN_PASSES_AUTODIFF_EXPANDGRADIENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::passes {

// Replaces the derivatives of the function, or those inside an op of it. Fails with a diagnostic, and
// leaves some of them, if one cannot be computed or the function grows beyond so many ops.
mlir::LogicalResult expandGradients(mlir::func::FuncOp function, int64_t maxOps,
                                    mlir::Operation *within = nullptr);

} // namespace keratin::passes

#endif // KERATIN_PASSES_AUTODIFF_EXPANDGRADIENTS_H

// What the verifiers of ops with bodies have in common.
#ifndef KERATIN_IR_OPS_BODYVERIFICATION_H
#define KERATIN_IR_OPS_BODYVERIFICATION_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Whether types are those that the op asks for; `what` names them in the error.
mlir::LogicalResult verifyTypes(mlir::Operation *op, mlir::TypeRange found, mlir::TypeRange needed,
                                const llvm::Twine &what);

// A body's arguments and what it yields have these types, and no size that it computes is one of
// the op's. Precondition: one block, which the region's own constraint sees to.
mlir::LogicalResult verifyRegion(mlir::Operation *op, mlir::Region &region,
                                 mlir::TypeRange arguments, mlir::TypeRange yielded,
                                 llvm::StringRef what);

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_BODYVERIFICATION_H

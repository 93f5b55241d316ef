// A body's ops in the place of the op around them.
#ifndef KERATIN_IR_OPS_INLINEDBODY_H
#define KERATIN_IR_OPS_INLINEDBODY_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Emits copies of a block's ops at the builder's insertion point, which is inside a function, for
// these arguments, and returns what the block yields. Sizes that the ops compute get symbols of
// their own, so that a block may be copied there more than once.
llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Block &body,
                                          mlir::ValueRange arguments);

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_INLINEDBODY_H

// The ops that a rule has built at a builder's insertion point.
#ifndef KERATIN_IR_BUILDER_BUILTOPS_H
#define KERATIN_IR_BUILDER_BUILTOPS_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// The op in front of the insertion point; null: there is none in the block.
mlir::Operation *lastBuilt(mlir::OpBuilder &builder);
// Those behind `last`, in their order.
llvm::SmallVector<mlir::Operation *> builtSince(mlir::OpBuilder &builder, mlir::Operation *last);
// Erases those behind `last` that make none of these values, and nothing for one. Rules build more
// than is asked for, the derivatives by all operands of an op: a long chain would carry it to the
// next pass.
void eraseUnused(mlir::OpBuilder &builder, mlir::Operation *last, llvm::ArrayRef<mlir::Value> used);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_BUILTOPS_H

// Axes of the mesh that the ranks of a job are arranged in, as functions name them.
#ifndef KERATIN_IR_DIALECT_MESHAXES_H
#define KERATIN_IR_DIALECT_MESHAXES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::ir {

// Names are shown in messages and headers: no control characters.
bool isMeshAxis(llvm::StringRef name);
// An attribute with the name; null, as for all ranks, if it is empty.
mlir::StringAttr meshAxisAttr(mlir::MLIRContext *context, llvm::StringRef name);
// That a collective is along, or a place (keratin.rank); null: it is among all ranks.
mlir::StringAttr meshAxisOf(mlir::Operation *op);
// Of all of these within the op, in the order in which they come first.
llvm::SetVector<mlir::StringAttr> meshAxesIn(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_MESHAXES_H

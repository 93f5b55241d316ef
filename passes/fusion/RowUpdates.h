// Updates of variables that change a few rows of tables: by the gradients of gathers.
#ifndef KERATIN_PASSES_FUSION_ROWUPDATES_H
#define KERATIN_PASSES_FUSION_ROWUPDATES_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace keratin::passes {

// scatter_add and all that reads it, element by element, up to new values of variables, with what
// only these ops read: in the order of the block. Where no row is added, each new value is the old
// one: because a selection says so, or because the rest is zeros then (unless a number that only
// the call knows is not finite).
using RowUpdate = llvm::SmallVector<mlir::Operation *>;

// Of a function's own block. Such ops are better one kernel: it walks the rows that the indices
// name, and the rest of the tables only where a new value is not in the variable's place.
std::optional<RowUpdate> rowUpdateOf(ir::ScatterAddOp scatter);

// Has the indices of all such updates checked by ops of their own: kernels that write over a
// variable cannot fail.
void checkUpdatedRows(mlir::func::FuncOp function);

// Of a kernel of these ops: the memory in which it finds equal indices, an integer for each unit
// and index; nullopt if they are no row update. Units are indices, and follow from their number.
std::optional<mlir::RankedTensorType> indexChainsOf(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_ROWUPDATES_H

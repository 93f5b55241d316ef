// Updates of variables that change a few rows of a table: gradients of gathers.
#ifndef KERATIN_PASSES_FUSION_ROWUPDATES_H
#define KERATIN_PASSES_FUSION_ROWUPDATES_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace keratin::passes {

// scatter_add, what scales it, and the sum or difference with the variable: in this order, each the
// only one to read the one before. Where the scattered rows are zeros the new value is the old one.
using RowUpdate = llvm::SmallVector<mlir::Operation *, 4>;

// Of a function's own block. Such ops are better one kernel: it walks the rows that the indices
// name, and the rest of the table only where the new value is not in the variable's place. Sizes
// are known, so that what it takes to find equal indices is small beside the table.
std::optional<RowUpdate> rowUpdateOf(ir::ScatterAddOp scatter);

// Has the indices of all such updates checked by ops of their own: kernels that write over a
// variable cannot fail.
void checkUpdatedRows(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_ROWUPDATES_H

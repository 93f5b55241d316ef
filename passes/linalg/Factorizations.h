// Factorizations as ops that every target knows: one file an op.
#ifndef KERATIN_PASSES_LINALG_FACTORIZATIONS_H
#define KERATIN_PASSES_LINALG_FACTORIZATIONS_H

#include "ir/builder/GraphMath.h"

#include <optional>

namespace keratin::passes {

// Each emits, where the builder is and with the op's location, what computes the results of the op,
// and returns them in their order; the op itself is left alone. Of one matrix, so many rows are
// worked on at once.
llvm::SmallVector<mlir::Value> expandCholesky(mlir::OpBuilder &builder, ir::CholeskyOp op,
                                              int64_t rowsAtOnce);
llvm::SmallVector<mlir::Value> expandTriangularSolve(mlir::OpBuilder &builder,
                                                     ir::TriangularSolveOp op, int64_t rowsAtOnce);
llvm::SmallVector<mlir::Value> expandLu(mlir::OpBuilder &builder, ir::LuOp op);
llvm::SmallVector<mlir::Value> expandQr(mlir::OpBuilder &builder, ir::QrOp op);
llvm::SmallVector<mlir::Value> expandEigh(mlir::OpBuilder &builder, ir::EighOp op);
llvm::SmallVector<mlir::Value> expandSvd(mlir::OpBuilder &builder, ir::SvdOp op);

// The same op in a loop over parts of its batch, whose operands and results have about so many
// bytes; nullopt, and nothing emitted, where the batch is small, or its size is not known. The
// results are returned in their order; the op itself is left alone.
std::optional<llvm::SmallVector<mlir::Value>> divideBatch(mlir::OpBuilder &builder,
                                                          mlir::Operation *op, int64_t bytesAtOnce);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_FACTORIZATIONS_H

// Tangents of an op's results, for those of its operands, as its record says how they are made.
#ifndef KERATIN_IR_BUILDER_TANGENTRULES_H
#define KERATIN_IR_BUILDER_TANGENTRULES_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Each has the contract of DifferentiableOpInterface::buildJvp, and what it builds may include ops
// that nobody uses.

// Of an op that is linear in all its floating operands together, and hands on one result.
mlir::LogicalResult tangentOfLinear(DifferentiableOpInterface op, mlir::OpBuilder &builder,
                                    llvm::ArrayRef<mlir::Value> tangents,
                                    llvm::SmallVectorImpl<mlir::Value> &results);
// Of an op that is linear in each of its floating operands by itself.
mlir::LogicalResult tangentOfProduct(DifferentiableOpInterface op, mlir::OpBuilder &builder,
                                     llvm::ArrayRef<mlir::Value> tangents,
                                     llvm::SmallVectorImpl<mlir::Value> &results);
// From buildVjp. What multiplies a cotangent of an elementwise op multiplies a tangent just so. Of
// any other op the cotangents of the operands are linear in those of the results, and the tangents
// are the gradient of <cotangents, tangents> with respect to these.
mlir::LogicalResult tangentsByVjp(DifferentiableOpInterface op, mlir::OpBuilder &builder,
                                  llvm::ArrayRef<mlir::Value> tangents,
                                  llvm::SmallVectorImpl<mlir::Value> &results);

// What the ops built since `last` (lastBuilt) make of the independent values, transposed: their
// cotangents for those of `made`, null where there is no path; null values stand for none. It is
// the derivative at the independent values where these ops are not linear in them. Erases ops that
// nobody needs then.
mlir::LogicalResult transposeBuilt(mlir::OpBuilder &builder, mlir::Location location,
                                   mlir::Operation *last, llvm::ArrayRef<mlir::Value> independent,
                                   llvm::ArrayRef<mlir::Value> made,
                                   llvm::ArrayRef<mlir::Value> cotangents,
                                   llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_TANGENTRULES_H

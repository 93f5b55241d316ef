// Dimension expressions in the text of attributes.
#ifndef KERATIN_IR_DIALECT_DIMSASSEMBLY_H
#define KERATIN_IR_DIALECT_DIMSASSEMBLY_H

#include "ir/shapes/DimExpr.h"

#include "mlir/IR/OpImplementation.h"

namespace keratin::ir {

// Reads up to the comma or bracket that ends the expression.
mlir::FailureOr<DimExpr> parseDimExpr(mlir::AsmParser &parser);
void printDimExpr(mlir::AsmPrinter &printer, const DimExpr &dim);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_DIMSASSEMBLY_H

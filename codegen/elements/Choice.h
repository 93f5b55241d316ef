// Which of two elements is chosen: the order of arg_max, arg_min and choices over windows.
#ifndef KERATIN_CODEGEN_ELEMENTS_CHOICE_H
#define KERATIN_CODEGEN_ELEMENTS_CHOICE_H

#include "ir/interfaces/ScalarBuilder.h"

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Whether an element takes the place of the best before it, in each lane: a NaN beats every number,
// and nothing beats a NaN.
mlir::Value beats(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value element,
                  mlir::Value best, bool largest);

// What no element of the type is less than.
mlir::Value least(ir::ScalarBuilder &builder, mlir::Type type);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CHOICE_H

// What an op's location says beside its line: the user's name scope, and of which op it is the
// gradient.
#ifndef KERATIN_IR_DIALECT_NAMESCOPE_H
#define KERATIN_IR_DIALECT_NAMESCOPE_H

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// What names the location of an op of a gradient (ir/builder/GradientLocation.h), before the name
// of the op that is differentiated.
inline constexpr llvm::StringLiteral kGradientOf = "gradient of ";

// "stage0/block1", "" if there is none.
llvm::StringRef scopeOf(mlir::Location location);

// "convolution" of an op of the gradient of one, "" if it is of no gradient. Of a gradient of a
// gradient, what was differentiated last.
llvm::StringRef differentiatedOp(mlir::Location location);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_NAMESCOPE_H

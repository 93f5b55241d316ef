// Attributes of keratin.custom_gradient and keratin.checkpoint.
#ifndef KERATIN_IR_DIALECT_GIVENGRADIENTS_H
#define KERATIN_IR_DIALECT_GIVENGRADIENTS_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// On keratin.custom_gradient (a list of numbers): the first captures are outputs, and stand for the
// results of these numbers. So a gradient of the gradient goes through the results once more, and
// not around the op through what the outputs are made of.
inline constexpr llvm::StringLiteral kCapturedResultsAttr = "keratin.captured_results";
// On keratin.custom_gradient (a unit) whose body says the gradient: in forward mode the results'
// tangents are those of the outputs, which are made of the inputs by ops that have good ones.
inline constexpr llvm::StringLiteral kForwardAttr = "keratin.forward";
// On keratin.checkpoint (a list of numbers): the operands that its gradient reads once more only
// when it begins. All, if it is not there; others are in memory whatever happens, as variables are.
inline constexpr llvm::StringLiteral kDelayedAttr = "keratin.delayed";

llvm::ArrayRef<int64_t> capturedResults(CustomGradientOp op);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_GIVENGRADIENTS_H

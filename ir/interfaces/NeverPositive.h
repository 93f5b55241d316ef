// Values that ops nearby keep from being positive.
#ifndef KERATIN_IR_INTERFACES_NEVERPOSITIVE_H
#define KERATIN_IR_INTERFACES_NEVERPOSITIVE_H

#include "mlir/IR/Value.h"

namespace keratin::ir {

// Whether each element of the value, of floats, is known to be 0 at most, or NaN, by the ops that
// make it: what x is above the largest along some axes of it, as a softmax has it, and what has a
// minus before it, as the exponent of a bell curve.
bool isNeverPositive(mlir::Value value);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_NEVERPOSITIVE_H

// What it costs to compute a value in a loop or a branch, and what to bring it in from outside.
#ifndef KERATIN_PASSES_LOOPS_CHEAPVALUES_H
#define KERATIN_PASSES_LOOPS_CHEAPVALUES_H

#include "mlir/IR/Operation.h"

namespace keratin::passes {

// Small and splat constants, iotas, and broadcasts that become part of the kernels that read them.
// Such a value is made inside: folding and algebra see it there, and nothing large is stored.
bool isCheapInside(mlir::Value value);

// Whether every user takes the value element by element, so that it need never lie in memory.
bool usersFuse(mlir::Value value);

// Arithmetic on elements that costs less than reading them.
bool isCheapArithmetic(mlir::Operation *op);

// Whether the op, or one inside of it, may end the call with an error: an index out of range,
// a number that is not finite.
bool canFailInside(mlir::Operation *op);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_CHEAPVALUES_H

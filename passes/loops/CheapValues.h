// Values that cost less to make again in a loop or a branch than to bring in from outside.
#ifndef KERATIN_PASSES_LOOPS_CHEAPVALUES_H
#define KERATIN_PASSES_LOOPS_CHEAPVALUES_H

#include "mlir/IR/Value.h"

namespace keratin::passes {

// Small and splat constants, iotas, and broadcasts that become part of the kernels that read them.
// Such a value is made inside: folding and algebra see it there, and nothing large is stored.
bool isCheapInside(mlir::Value value);

// Whether every user takes the value element by element, so that it need never lie in memory.
bool usersFuse(mlir::Value value);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_CHEAPVALUES_H

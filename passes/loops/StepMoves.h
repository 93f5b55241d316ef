// Where the steps stand among the dimensions of a value.
#ifndef KERATIN_PASSES_LOOPS_STEPMOVES_H
#define KERATIN_PASSES_LOOPS_STEPMOVES_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// The dimension at `place` before all others.
mlir::Value moveToFront(ir::GraphMath &g, mlir::Value x, int64_t place);
// The other way round: the first dimension behind so many others.
mlir::Value moveFirst(ir::GraphMath &g, mlir::Value x, int64_t place);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_STEPMOVES_H

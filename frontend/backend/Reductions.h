// Reductions for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_REDUCTIONS_H
#define KERATIN_FRONTEND_BACKEND_REDUCTIONS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

using AxisList = llvm::ArrayRef<int64_t>;

// x's shape with size 1 on the axes, where keepdims; else the reduced value as it is.
Value restoreDims(Call &call, Value reduced, Value x, AxisList axes, bool keepdims);
// A reduced value, its axes removed, repeated to the shape x has.
Value spread(Call &call, Value reduced, Value x, AxisList axes);

// Axes removed; x is floating.
Value mean(Call &call, Value x, AxisList axes);
Value variance(Call &call, Value x, AxisList axes);
// The maximum along the axes where it is finite, else 0; a constant for gradients.
Value shift(Call &call, Value x, AxisList axes);
Value logSumExp(Call &call, Value x, AxisList axes);

// A K function of floats along axes, as mean is; integers and bools become floatx.
using FloatReduction = Value (*)(Call &, Value, AxisList);
Tensor reduceFloat(const char *function, FloatReduction reduction, const Operand &x,
                   const Axes &axis, bool keepdims, SourceLocation location);

// float16 and bfloat16 are computed in float32: their sums leave the range of the result.
Value widened(Call &call, Value x);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_REDUCTIONS_H

// What K functions for matrices of derivatives have in common.
#ifndef KERATIN_FRONTEND_BACKEND_DERIVATIVES_H
#define KERATIN_FRONTEND_BACKEND_DERIVATIVES_H

#include "frontend/graph/Call.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::frontend {

// A dense value of floats; `name` is the parameter's.
Value floatOf(Call &call, const char *name, const Tensor &tensor);
// The loss, summed up, for a gradient of it.
Value totalOf(Call &call, const Tensor &loss);
Value gradientOf(Call &call, Value total, Value x);
// The derivative of each element of y, in a row of its own, by each of x: by reverse mode for all
// rows at once.
Value jacobianMatrix(Call &call, Value y, Value x);
// ValueError for anything but auto, forward and reverse.
void checkMode(Call &call, const std::string &mode);
// What the function makes of each element along the first axis, by ops on all of them.
std::vector<Value> forEachAtOnce(Call &call, Value stacked,
                                 llvm::function_ref<std::vector<Value>(Value)> function);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_DERIVATIVES_H

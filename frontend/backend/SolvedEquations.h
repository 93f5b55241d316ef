// What functions that solve equations share.
#ifndef KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H
#define KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H

#include "frontend/graph/TracedFunction.h"
#include "keratin/control.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace keratin::frontend {

// Calls the user's function of parameters like the unknowns, which `name` names in errors, and like
// the time if there is one; it returns a value like each of the unknowns.
void traceLike(Call &call, TracedFunction &function, const LoopBody &f,
               llvm::ArrayRef<Value> unknowns, const std::string &name, Value time = {});

// The largest absolute value among the elements of all, a scalar; NaN if one of them is.
Value largest(Call &call, llvm::ArrayRef<Value> values);
// The differences of two lists.
std::vector<Value> differences(Call &call, llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b);
// x times a scalar of its dtype.
Value times(Call &call, Value x, Value scalar);

// What a step makes of these values, again and again until it has changed them by no more than
// `tolerance` times their largest, or times 1 where that is less and `isAbsolute`; or until one of
// them is NaN; but no more than `most` times. `name` is for messages.
std::vector<Value> repeat(Call &call, const std::string &name, llvm::ArrayRef<Value> first,
                          double tolerance, bool isAbsolute, const DimExpr &most,
                          llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value>)> step);

// What the user asks for, or what fits the dtype of the values.
double toleranceOf(Call &call, const std::optional<double> &given, Value value);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H

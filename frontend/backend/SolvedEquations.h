// What functions that solve equations share.
#ifndef KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H
#define KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H

#include "frontend/graph/TracedFunction.h"
#include "keratin/control.h"
#include "keratin/derivatives.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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

// When an iteration ends: once a step has changed values by no more than `tolerance` times their
// largest, or when one of them is NaN, but after no more than `most` steps. With `check` the call
// fails where these have not sufficed.
struct Stop {
  double tolerance;
  DimExpr most;
  bool check;
};

// What the user asks for; a tolerance, if none is given, that fits the dtype of the values, and
// `usual` steps.
Stop stopOf(Call &call, const SolverOptions &options, int64_t usual, Value value);

// What a step makes of these values, again and again. Their largest counts as 1 where it is less
// and `isAbsolute`. `name` is for messages.
std::vector<Value> repeat(Call &call, const std::string &name, llvm::ArrayRef<Value> first,
                          const Stop &stop, bool isAbsolute,
                          llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value>)> step);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_SOLVEDEQUATIONS_H

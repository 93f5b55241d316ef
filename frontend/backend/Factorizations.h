// Square matrices and what is made of their factors, for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_FACTORIZATIONS_H
#define KERATIN_FRONTEND_BACKEND_FACTORIZATIONS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// The value, whose last two axes must be there; ValueError otherwise. `argument` is for messages.
Value asMatrices(Call &call, Value x, const std::string &argument = "x");
// The same with as many rows as columns.
Value asSquareMatrices(Call &call, Value x, const std::string &argument = "x");
// The inverses of square matrices of floats. A singular one fails the call, or is NaN.
Value inverseOf(Call &call, Value x, bool check);
// The x of a x = b, of square matrices a and columns b of one dtype; NaN where a is singular.
Value solutionOf(Call &call, Value a, Value b);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_FACTORIZATIONS_H

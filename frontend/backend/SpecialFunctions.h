// Functions of floats for the other files of the backend, whose values and derivatives hold where a
// formula alone would divide by zero or overflow.
#ifndef KERATIN_FRONTEND_BACKEND_SPECIALFUNCTIONS_H
#define KERATIN_FRONTEND_BACKEND_SPECIALFUNCTIONS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// Of two floats of one dtype and shape: sqrt(x * x + y * y), and atan2(y, x).
Value hypotOf(Call &call, Value x, Value y);
Value angleOf(Call &call, Value y, Value x);
// Whether the sign bit is set, of zeros too.
Value isNegative(Call &call, Value x);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_SPECIALFUNCTIONS_H

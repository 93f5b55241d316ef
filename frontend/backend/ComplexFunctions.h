// Functions of complex numbers, composed of real ones: their values hold where parts are zeros,
// infinite or so large that their squares are not numbers.
#ifndef KERATIN_FRONTEND_BACKEND_COMPLEXFUNCTIONS_H
#define KERATIN_FRONTEND_BACKEND_COMPLEXFUNCTIONS_H

#include "frontend/backend/Complex.h"

namespace keratin::frontend {

// Operands of one dtype and shape, one of them complex at least.
Value complexProduct(Call &call, Value a, Value b);
// Of all elements along axes, which the result does not have.
Value complexProductAlong(Call &call, Value z, llvm::ArrayRef<int64_t> axes);
// Smith's way (Algorithm 116: Complex division, 1962): no square of a part.
Value complexQuotient(Call &call, Value a, Value b);
// exp(exponent * log(base)); 1 where the exponent is 0.
Value complexPower(Call &call, Value base, Value exponent);
// By products alone.
Value complexPower(Call &call, Value base, int64_t exponent);

// The square root whose real part is not negative, with the sign of the imaginary part (Kahan:
// Branch cuts for complex elementary functions, 1987).
Value complexSquareRoot(Call &call, Value z);
// The angle in radians, of real numbers too: from -pi to pi.
Value complexAngle(Call &call, Value z);
// What the K function of this name, one of abs, exp, log, sin, cos, tan and tanh, is of complex z.
Value complexFunction(Call &call, llvm::StringRef name, Value z);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_COMPLEXFUNCTIONS_H

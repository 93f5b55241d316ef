// Complex numbers for the other files of the frontend: what is computed of them is composed of real
// numbers here, and becomes nothing but such in the compiler (passes/complex).
#ifndef KERATIN_FRONTEND_BACKEND_COMPLEX_H
#define KERATIN_FRONTEND_BACKEND_COMPLEX_H

#include "frontend/graph/Call.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::frontend {

struct ComplexParts {
  Value re, im;
};

bool isComplex(Call &call, Value x);
// Of a real value the imaginary part is zeros.
ComplexParts partsOf(Call &call, Value x);
// Precondition: both parts are of one shape, and both of float32 or of float64.
Value complexOf(Call &call, const ComplexParts &parts);

// What Call::cast has made the complex value of, in the dtype of its parts; null for any other.
Value realOfCast(Value complex);

// The dtype of constants and variables for which none is given: floatx, or for complex values that
// with parts of floatx.
DType defaultDtype(const Operand &value);

// Whether the K function, or the operator, takes complex numbers.
bool takesComplex(llvm::StringRef function);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_COMPLEX_H

// K functions of complex numbers: complex64 has parts of float32, complex128 of float64.
#ifndef KERATIN_COMPLEX_H
#define KERATIN_COMPLEX_H

#include "keratin/arguments.h"

namespace keratin::backend {

// re + i im, which are broadcast: complex128 if one of them is float64.
Tensor complex(const Operand &re, const Operand &im,
               SourceLocation location = SourceLocation::current());
// The parts, and the number with the other sign of the imaginary part. Of real x the imaginary part
// is zeros, the other two are x.
Tensor real(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor imag(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor conj(const Operand &x, SourceLocation location = SourceLocation::current());
// The angle in radians, from -pi to pi; of real x 0 or pi. At 0 the gradient is 0.
Tensor angle(const Operand &x, SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_COMPLEX_H

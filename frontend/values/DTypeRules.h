// The dtype of a result.
#ifndef KERATIN_FRONTEND_VALUES_DTYPERULES_H
#define KERATIN_FRONTEND_VALUES_DTYPERULES_H

#include "keratin/dtype.h"

namespace keratin::frontend {

// Two tensors of different dtypes: the wider of two floats or two integers (a signed and an
// unsigned of the same width give the next wider signed; 64 bits stay signed 64), a float wins over
// an integer, anything over bool.
//
// Complex numbers win over all others; float64 makes them complex128.
DType promote(DType a, DType b);
// What the parts of complex numbers are, and the complex numbers of such parts: complex64 of all
// floats but float64. Precondition: a complex, or a floating dtype.
DType partOf(DType complex);
DType complexOf(DType part);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_DTYPERULES_H

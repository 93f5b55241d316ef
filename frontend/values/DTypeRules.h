// The dtype of a result.
#ifndef KERATIN_FRONTEND_VALUES_DTYPERULES_H
#define KERATIN_FRONTEND_VALUES_DTYPERULES_H

#include "keratin/dtype.h"

namespace keratin::frontend {

// Two tensors of different dtypes: the wider of two floats or two integers (a signed and an
// unsigned of the same width give the next wider signed; 64 bits stay signed 64), a float wins over
// an integer, anything over bool.
DType promote(DType a, DType b);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_DTYPERULES_H

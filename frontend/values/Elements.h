// Reading, writing and converting elements of any dtype on the host.
#ifndef KERATIN_FRONTEND_VALUES_ELEMENTS_H
#define KERATIN_FRONTEND_VALUES_ELEMENTS_H

#include "keratin/dtype.h"

namespace keratin::frontend {

double elementAsDouble(DType dtype, const void *data, int64_t index);
// Saturates; the 64 bits of a uint64 that does not fit.
int64_t elementAsInteger(DType dtype, const void *data, int64_t index);

// Converts count elements as keratin.cast does.
void convertElements(DType from, const void *source, DType to, void *target, int64_t count);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_ELEMENTS_H

// Tensors as text, as str() of NumPy 2.0 to 2.2 writes arrays and scalars with default print
// options. (NumPy 2.3 turns to exponents at 1e6 for float32 and 1e3 for float16; before, and here,
// it is 1e8 for arrays and 1e16 for scalars.)
#ifndef KERATIN_RUNTIME_CORE_NUMPYFORMAT_H
#define KERATIN_RUNTIME_CORE_NUMPYFORMAT_H

#include "runtime/core/Text.h"

namespace keratin::runtime {

// The tensor's dtype, rank and dims are valid, and its data is there unless it is empty.
void formatTensor(const keratin_tensor_t &tensor, Text &text);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_NUMPYFORMAT_H

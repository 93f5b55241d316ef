// Tensor views with strides: are they row-major, and copies that make them so.
#ifndef KERATIN_RUNTIME_CORE_STRIDEDCOPY_H
#define KERATIN_RUNTIME_CORE_STRIDEDCOPY_H

#include "runtime/include/keratin/runtime.h"

namespace keratin::runtime {

// Strides of axes of size 1 do not matter, nor any stride of an empty tensor.
bool isRowMajor(const keratin_tensor_t &tensor);

// Where the element lies whose row-major index is `index`, which must be an element of the tensor.
const void *elementAddress(const keratin_tensor_t &tensor, int64_t index);

// Copies the elements, row-major, to target. The source need not be aligned.
void packRowMajor(const keratin_tensor_t &tensor, void *target);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_STRIDEDCOPY_H

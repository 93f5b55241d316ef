// Tensor views with strides: are they row-major, and copies that make them so.
#ifndef KERATIN_RUNTIME_CORE_STRIDEDCOPY_H
#define KERATIN_RUNTIME_CORE_STRIDEDCOPY_H

#include "runtime/include/keratin/runtime.h"

namespace keratin::runtime {

// Precondition: the tensor has strides.
bool lieInRows(const keratin_tensor_t &tensor);
// Strides of axes of size 1 do not matter, nor any stride of an empty tensor.
inline bool isRowMajor(const keratin_tensor_t &tensor) {
  return !tensor.strides || lieInRows(tensor);
}

// Where the element lies whose row-major index is `index`, which must be an element of the tensor.
const void *elementAddress(const keratin_tensor_t &tensor, int64_t index);

// The bytes between the lowest and the highest that an element of the tensor takes: whether one of
// them lies in `bytes` bytes at `memory`. A tensor that is no sensible one touches nothing.
bool touches(const keratin_tensor_t &tensor, const void *memory, size_t bytes);

// Copies the elements, row-major, to target. The source need not be aligned.
void packRowMajor(const keratin_tensor_t &tensor, void *target);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_STRIDEDCOPY_H

#include "runtime/core/StridedCopy.h"
#include "runtime/core/DType.h"
#include "runtime/strides/StridedElements.h"

#include <string.h>

namespace keratin::runtime {

bool lieInRows(const keratin_tensor_t &tensor) {
  int64_t expected = 1;
  bool dense = true;
  for (int32_t axis = tensor.rank; axis-- > 0;) {
    if (tensor.dims[axis] == 0)
      return true;
    // A product that overflows cannot equal a stride of memory that exists.
    dense = dense && (tensor.dims[axis] == 1 || tensor.strides[axis] == expected);
    if (__builtin_mul_overflow(expected, tensor.dims[axis], &expected))
      dense = false;
  }
  return dense;
}

static StridedElements elementsOf(const keratin_tensor_t &tensor) {
  return {tensor.data, int64_t(dtypeSize(tensor.dtype)), tensor.rank, tensor.dims, tensor.strides};
}

const void *elementAddress(const keratin_tensor_t &tensor, int64_t index) {
  return keratin::elementAddress(elementsOf(tensor), index);
}

bool touches(const keratin_tensor_t &tensor, const void *memory, size_t bytes) {
  int64_t total = 0, low = 0, high = 0;
  if (!tensor.data || !isDType(tensor.dtype) || tensor.rank < 0 || tensor.rank > KERATIN_MAX_RANK ||
      (tensor.rank && !tensor.dims) ||
      !tensorBytes(tensor.dtype, tensor.rank, tensor.dims, total) || total == 0)
    return false;
  int64_t size = dtypeSize(tensor.dtype);
  if (isRowMajor(tensor))
    high = total - size;
  else
    for (int32_t axis = 0; axis < tensor.rank; ++axis) {
      int64_t step = 0;
      if (__builtin_mul_overflow(tensor.strides[axis], (tensor.dims[axis] - 1) * size, &step) ||
          __builtin_add_overflow(step < 0 ? low : high, step, step < 0 ? &low : &high))
        return false;
    }
  uintptr_t begin = uintptr_t(tensor.data) + uintptr_t(low), other = uintptr_t(memory);
  // Differences, since an end may lie beyond all addresses.
  return bytes &&
         (begin <= other ? other - begin < uintptr_t(high) - uintptr_t(low) + uintptr_t(size)
                         : begin - other < bytes);
}

void packRowMajor(const keratin_tensor_t &tensor, void *target) {
  int64_t bytes = 0;
  if (!tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes) || bytes == 0)
    return;
  if (isRowMajor(tensor)) {
    memcpy(target, tensor.data, size_t(bytes));
    return;
  }
  int64_t place[KERATIN_MAX_RANK] = {};
  keratin::packRowMajor(elementsOf(tensor), target, place);
}

} // namespace keratin::runtime

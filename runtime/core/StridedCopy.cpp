#include "runtime/core/StridedCopy.h"
#include "runtime/core/DType.h"

#include <string.h>

namespace keratin::runtime {

bool isRowMajor(const keratin_tensor_t &tensor) {
  if (!tensor.strides)
    return true;
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

const void *elementAddress(const keratin_tensor_t &tensor, int64_t index) {
  int64_t offset = 0;
  int64_t rowMajorStride = 1;
  for (int32_t axis = tensor.rank; axis-- > 0;) {
    int64_t coordinate = index % tensor.dims[axis];
    index /= tensor.dims[axis];
    offset += coordinate * (tensor.strides ? tensor.strides[axis] : rowMajorStride);
    rowMajorStride *= tensor.dims[axis];
  }
  return static_cast<const char *>(tensor.data) + offset * dtypeSize(tensor.dtype);
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

template <size_t Size>
static void copyRow(char *target, const char *source, int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(target + i * int64_t(Size), source + i * stride, Size);
}

void packRowMajor(const keratin_tensor_t &tensor, void *target) {
  int64_t size = dtypeSize(tensor.dtype);
  int64_t bytes = 0;
  if (!tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes) || bytes == 0)
    return;
  if (isRowMajor(tensor)) {
    memcpy(target, tensor.data, size_t(bytes));
    return;
  }
  int32_t last = tensor.rank - 1;
  int64_t rowLength = tensor.dims[last];
  int64_t rowStride = tensor.strides[last] * size;
  auto *copy = size == 1   ? copyRow<1>
               : size == 2 ? copyRow<2>
               : size == 4 ? copyRow<4>
                           : copyRow<8>;
  int64_t coordinates[KERATIN_MAX_RANK] = {};
  const char *row = static_cast<const char *>(tensor.data);
  for (char *out = static_cast<char *>(target);; out += rowLength * size) {
    copy(out, row, rowStride, rowLength);
    // Step to the next row as an odometer does.
    int32_t axis = last - 1;
    for (; axis >= 0; --axis) {
      row += tensor.strides[axis] * size;
      if (++coordinates[axis] < tensor.dims[axis])
        break;
      row -= tensor.strides[axis] * size * tensor.dims[axis];
      coordinates[axis] = 0;
    }
    if (axis < 0)
      return;
  }
}

} // namespace keratin::runtime

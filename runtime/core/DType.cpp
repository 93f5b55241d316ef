#include "runtime/core/DType.h"

#include "runtime/core/Half.h"
#include "runtime/include/keratin/runtime.h"

#include <string.h>

namespace keratin::runtime {

const char *dtypeName(int32_t dtype) {
  static const char *const names[] = {
      "invalid", "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",
      "uint32",  "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[isDType(dtype) ? dtype : 0];
}

template <typename T> static bool readAs(const void *data, int64_t &value) {
  T raw;
  memcpy(&raw, data, sizeof(T));
  value = int64_t(raw);
  return sizeof(T) < 8 || T(-1) < T(0) || value >= 0;
}

double readFloat(int64_t dtype, const void *data, int64_t index) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return doubleFromFloat16(static_cast<const uint16_t *>(data)[index]);
  case KERATIN_DTYPE_BFLOAT16:
    return doubleFromBfloat16(static_cast<const uint16_t *>(data)[index]);
  case KERATIN_DTYPE_FLOAT32:
    return static_cast<const float *>(data)[index];
  default:
    return static_cast<const double *>(data)[index];
  }
}

bool readInteger(int32_t dtype, const void *data, int64_t &value) {
  switch (dtype) {
  case KERATIN_DTYPE_INT8:
    return readAs<int8_t>(data, value);
  case KERATIN_DTYPE_INT16:
    return readAs<int16_t>(data, value);
  case KERATIN_DTYPE_INT32:
    return readAs<int32_t>(data, value);
  case KERATIN_DTYPE_INT64:
    return readAs<int64_t>(data, value);
  case KERATIN_DTYPE_UINT8:
    return readAs<uint8_t>(data, value);
  case KERATIN_DTYPE_UINT16:
    return readAs<uint16_t>(data, value);
  case KERATIN_DTYPE_UINT32:
    return readAs<uint32_t>(data, value);
  case KERATIN_DTYPE_UINT64:
    return readAs<uint64_t>(data, value);
  default:
    return false;
  }
}

bool tensorBytes(int32_t dtype, int32_t rank, const int64_t *dims, int64_t &bytes) {
  // A zero anywhere makes the tensor empty, however large the other dims are; their product is not
  // formed.
  bool empty = false;
  for (int32_t axis = 0; axis < rank; ++axis) {
    if (dims[axis] < 0)
      return false;
    empty |= dims[axis] == 0;
  }
  bytes = empty ? 0 : dtypeSize(dtype);
  for (int32_t axis = 0; axis < rank && !empty; ++axis)
    if (__builtin_mul_overflow(bytes, dims[axis], &bytes))
      return false;
  return true;
}

} // namespace keratin::runtime

extern "C" size_t keratin_dtype_size(int32_t dtype) {
  return size_t(keratin::runtime::dtypeSize(dtype));
}

extern "C" const char *keratin_dtype_name(int32_t dtype) {
  return keratin::runtime::dtypeName(dtype);
}

// What the runtime knows of dtypes.
#ifndef KERATIN_RUNTIME_CORE_DTYPE_H
#define KERATIN_RUNTIME_CORE_DTYPE_H

#include "runtime/abi/keratin_abi.h"

namespace keratin::runtime {

// Bytes of an element; 0 for a number that is no dtype.
inline int64_t dtypeSize(int32_t dtype) {
  constexpr int8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return dtype >= KERATIN_DTYPE_BOOL && dtype <= KERATIN_DTYPE_COMPLEX128 ? sizes[dtype] : 0;
}

inline bool isDType(int32_t dtype) { return dtypeSize(dtype) != 0; }

inline bool isInteger(int32_t dtype) {
  return dtype >= KERATIN_DTYPE_INT8 && dtype <= KERATIN_DTYPE_UINT64;
}

const char *dtypeName(int32_t dtype);

// Element `index` of floats of this dtype.
double readFloat(int64_t dtype, const void *data, int64_t index);

// The integer of this dtype at data, which need not be aligned. False if it does not fit.
bool readInteger(int32_t dtype, const void *data, int64_t &value);

// Bytes of a row-major tensor; false where a dim is negative or the bytes do not fit.
bool tensorBytes(int32_t dtype, int32_t rank, const int64_t *dims, int64_t &bytes);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DTYPE_H

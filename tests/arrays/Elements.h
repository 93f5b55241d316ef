// What those who get an array from a file may do with it.
#ifndef KERATIN_TESTS_ARRAYS_ELEMENTS_H
#define KERATIN_TESTS_ARRAYS_ELEMENTS_H

#include "compiler/arrays/Array.h"

#include "runtime/core/DType.h"

#include <cstdlib>

namespace keratin::tests {

// Reads every element that dtype and shape promise, so that a sanitizer sees one that is not there;
// ends the process where they promise more or less than there is. The product of the sizes is
// formed as users of arrays form it, in 64 bits.
inline void readAll(const compiler::Array &array) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : array.dims) {
    if (dim < 0)
      std::abort();
    isEmpty |= dim == 0;
  }
  for (int64_t dim : array.dims)
    if (!isEmpty && __builtin_mul_overflow(count, dim, &count))
      std::abort();
  if (isEmpty)
    count = 0;
  const int64_t size = runtime::dtypeSize(array.dtype);
  unsigned sum = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t byte = 0; byte < size; ++byte)
      sum += static_cast<unsigned char>(array.data.data()[i * size + byte]);
  volatile unsigned isUsed = sum;
  (void)isUsed;
  if (int64_t(array.data.size()) != count * size)
    std::abort();
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_ARRAYS_ELEMENTS_H

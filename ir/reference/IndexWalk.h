// Multi-dimensional indices in row-major order.
#ifndef KERATIN_IR_REFERENCE_INDEXWALK_H
#define KERATIN_IR_REFERENCE_INDEXWALK_H

#include "ir/reference/HostTensor.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace keratin::ir::reference {

using HostIndex = std::vector<int64_t>;

inline bool isEmpty(const std::vector<int64_t> &dims) {
  return std::find(dims.begin(), dims.end(), 0) != dims.end();
}

// Elements between neighbours along each dimension; zeros if there are no elements (their sizes
// may overflow).
inline std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 0);
  if (isEmpty(dims))
    return strides;
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i])
    strides[i] = stride;
  return strides;
}

// Sum of index[i] * strides[i].
inline int64_t offsetOf(const HostIndex &index, const std::vector<int64_t> &strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return offset;
}

// Calls function(index, number of the element) for each element of a tensor with these dimensions,
// in row-major order.
template <class Function>
void forEachIndex(const std::vector<int64_t> &dims, const Function &function) {
  if (isEmpty(dims))
    return;
  HostIndex index(dims.size(), 0);
  for (int64_t number = 0;; ++number) {
    function(static_cast<const HostIndex &>(index), number);
    size_t i = dims.size();
    while (i > 0 && ++index[i - 1] == dims[i - 1])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

// to[i] = from[j]; both have the same dtype.
inline void copyElement(HostTensor &to, int64_t i, const HostTensor &from, int64_t j) {
  if (to.isFloat())
    to.floats[i] = from.floats[j];
  else
    to.ints[i] = from.ints[j];
}

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_INDEXWALK_H

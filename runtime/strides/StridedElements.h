// Elements that lie in memory with strides: where one lies, and copies that are row-major. For
// every layer, without dependencies.
#ifndef KERATIN_RUNTIME_STRIDES_STRIDEDELEMENTS_H
#define KERATIN_RUNTIME_STRIDES_STRIDEDELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace keratin {

// Element (i, j, …) lies at data + (i * strides[0] + j * strides[1] + …) * size. Strides may be 0
// or negative; without them the elements are row-major.
struct StridedElements {
  const void *data;
  int64_t size; // bytes of an element: 1, 2, 4 or 8
  int64_t rank;
  const int64_t *dims;
  const int64_t *strides;
};

// Where the element lies whose row-major index is `index`. Precondition: there is one.
inline const void *elementAddress(const StridedElements &elements, int64_t index) {
  int64_t offset = 0;
  int64_t rowMajorStride = 1;
  for (int64_t axis = elements.rank; axis-- > 0;) {
    int64_t coordinate = index % elements.dims[axis];
    index /= elements.dims[axis];
    offset += coordinate * (elements.strides ? elements.strides[axis] : rowMajorStride);
    rowMajorStride *= elements.dims[axis];
  }
  return static_cast<const char *>(elements.data) + offset * elements.size;
}

template <size_t Size>
inline void copyStrided(char *target, const char *source, int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(target + i * int64_t(Size), source + i * stride, Size);
}

// Copies the elements, row-major, to target; none need be aligned. Preconditions: there are
// elements, and strides; `place` has an entry for each axis, all of them 0.
inline void packRowMajor(const StridedElements &elements, void *target, int64_t *place) {
  const int64_t size = elements.size, last = elements.rank - 1;
  const int64_t rowLength = elements.dims[last], rowStride = elements.strides[last] * size;
  auto *copy = size == 1   ? copyStrided<1>
               : size == 2 ? copyStrided<2>
               : size == 4 ? copyStrided<4>
                           : copyStrided<8>;
  const char *row = static_cast<const char *>(elements.data);
  for (char *out = static_cast<char *>(target);; out += rowLength * size) {
    copy(out, row, rowStride, rowLength);
    // Step to the next row as an odometer does.
    int64_t axis = last - 1;
    for (; axis >= 0; --axis) {
      row += elements.strides[axis] * size;
      if (++place[axis] < elements.dims[axis])
        break;
      row -= elements.strides[axis] * size * elements.dims[axis];
      place[axis] = 0;
    }
    if (axis < 0)
      return;
  }
}

} // namespace keratin

#endif // KERATIN_RUNTIME_STRIDES_STRIDEDELEMENTS_H

// What one rank of a job has of a variable of which each has a part (keratin_object_part_t).
#ifndef KERATIN_RUNTIME_OBJECT_VARIABLEPART_H
#define KERATIN_RUNTIME_OBJECT_VARIABLEPART_H

#include "runtime/abi/keratin_object_abi.h"

#include <stddef.h>

namespace keratin::runtime {

// Where the part of rank `place` of `places` begins among `size` elements: that of place * size /
// places, which might not fit into 64 bits.
inline int64_t partBegin(int64_t size, int64_t place, int64_t places) {
  return size / places * place + size % places * place / places;
}

// What a rank number is for rank `place` of `places`.
int64_t rankNumber(const keratin_rank_number_t &number, int64_t place, int64_t places);

class VariablePart {
public:
  // Of a variable without parts, and of one rank, that is the whole, in the shape that functions
  // see.
  VariablePart(const keratin_object_variable_t &variable, int64_t place, int64_t places);

  int32_t rank() const { return isLine ? 1 : whole.rank; }
  const int64_t *dims() const { return own; }
  bool isWhole() const { return places == 1; }
  // Where it begins along dimension `dimension()`, or, of elements in a line, among all of them.
  int64_t begin() const { return beginOf(place); }
  int32_t dimension() const { return along; }
  bool isOfElements() const { return isLine; }
  int64_t elements() const { return elementsOf(place); }
  size_t bytes() const { return size_t(elements() * width); }
  size_t wholeBytes() const { return size_t(count * width); }
  size_t bytesOfAll() const { return size_t(elementsOfAll() * width); }
  // What the parts of all ranks have together: elements in a line have padding behind them.
  int64_t elementsOfAll() const { return isLine ? length() * places : count; }
  // Whether what lies behind one another, rank by rank, is the whole already.
  bool liesInOrder() const { return isLine ? elementsOfAll() == count : runs == 1; }

  // Elements lie row-major on the host. The part of the whole:
  void cut(const void *from, void *to) const;
  // The whole of the parts of all ranks, one behind the other.
  void join(const void *from, void *to) const;

private:
  int64_t length() const { return count / places + (count % places != 0); } // of a line
  int64_t beginOf(int64_t of) const;
  int64_t elementsOf(int64_t of) const;

  const keratin_tensor_desc_t &whole;
  const bool isLine;
  const int32_t along;
  const int64_t place, places, width; // bytes of an element
  int64_t count = 1;                  // of all elements
  // Of parts along a dimension: the whole as runs of `size` rows.
  int64_t runs = 1, size = 1, rowElements = 1;
  int64_t own[KERATIN_MAX_RANK];
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_VARIABLEPART_H

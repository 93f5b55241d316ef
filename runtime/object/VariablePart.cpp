#include "runtime/object/VariablePart.h"

#include "runtime/core/DType.h"

#include <string.h>

using namespace keratin::runtime;

int64_t keratin::runtime::rankNumber(const keratin_rank_number_t &number, int64_t place,
                                     int64_t places) {
  switch (number.kind) {
  case KERATIN_RANK_PLACE:
    return place;
  case KERATIN_RANK_COUNT:
    return places;
  case KERATIN_RANK_BEGIN:
    return partBegin(number.size, place, places);
  default:
    return partBegin(number.size, place + 1, places) - partBegin(number.size, place, places);
  }
}

VariablePart::VariablePart(const keratin_object_variable_t &variable, int64_t place, int64_t places)
    : whole(variable.tensor), isLine(variable.part && variable.part->kind == KERATIN_PART_ELEMENTS),
      along(variable.part ? variable.part->dimension : 0), place(variable.part ? place : 0),
      places(variable.part ? places : 1), width(dtypeSize(variable.tensor.dtype)) {
  int64_t bytes = 0;
  (void)tensorBytes(whole.dtype, whole.rank, whole.dims, bytes); // it fits, as has been checked
  count = rowElements = bytes / width;
  for (int32_t i = 0; i < whole.rank; ++i)
    own[i] = whole.dims[i];
  if (!variable.part)
    return;
  if (isLine) {
    own[0] = length();
    return;
  }
  // What is in parts has elements.
  for (int32_t i = 0; i < along; ++i)
    runs *= whole.dims[i];
  size = whole.dims[along];
  rowElements = count / runs / size;
  own[along] = beginOf(place + 1) - beginOf(place);
}

int64_t VariablePart::beginOf(int64_t of) const {
  return isLine ? of * length() : partBegin(size, of, places);
}

int64_t VariablePart::elementsOf(int64_t of) const {
  return isLine ? length() : runs * (beginOf(of + 1) - beginOf(of)) * rowElements;
}

void VariablePart::cut(const void *from, void *to) const {
  const char *source = static_cast<const char *>(from);
  char *target = static_cast<char *>(to);
  if (isLine) {
    int64_t rest = count > begin() ? count - begin() : 0;
    if (rest > length())
      rest = length();
    memcpy(target, source + (rest ? begin() * width : 0), size_t(rest * width));
    memset(target + rest * width, 0, size_t((length() - rest) * width));
    return;
  }
  const int64_t row = rowElements * width, rows = beginOf(place + 1) - begin();
  for (int64_t run = 0; run < runs; ++run)
    memcpy(target + run * rows * row, source + (run * size + begin()) * row, size_t(rows * row));
}

void VariablePart::join(const void *from, void *to) const {
  const char *source = static_cast<const char *>(from);
  char *target = static_cast<char *>(to);
  if (isLine) {
    memcpy(target, source, wholeBytes());
    return;
  }
  const int64_t row = rowElements * width;
  for (int64_t of = 0; of < places; ++of) {
    const int64_t first = beginOf(of), bytes = (beginOf(of + 1) - first) * row;
    for (int64_t run = 0; run < runs; ++run, source += bytes)
      memcpy(target + (run * size + first) * row, source, size_t(bytes));
  }
}

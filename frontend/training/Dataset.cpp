// Rows that are fed together.
#include "keratin/training.h"

#include <cstring>

using namespace keratin;
using namespace keratin::training;

// Rows are copied as bytes: of memory on the host that has each in one piece.
void Dataset::add(Array array) {
  if (!array.isNone() && array.place())
    array = array.toHost();
  else if (!array.isNone() && !array.isRowMajor())
    array = Array(std::as_const(array));
  arrays.push_back(std::move(array));
}

int64_t Dataset::size() const {
  if (maker || arrays.empty())
    return count;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const bool hasRows = !arrays[i].isNone() && arrays[i].ndim() > 0;
    if (!hasRows || arrays[i].shape()[0] != arrays[0].shape()[0])
      throw ValueError(
          "Dataset: array " + std::to_string(i) + " has shape " +
          (arrays[i].isNone() ? "None" : toString(arrays[i].shape())) + "; needed " +
          (i == 0 ? "rows" : std::to_string(arrays[0].shape()[0]) + " rows, as array 0 has"));
  }
  return arrays[0].shape()[0];
}

// The rows of an array, one behind the other.
static void gather(const Array &from, const std::vector<int64_t> &rows, Array &to) {
  std::vector<int64_t> shape = from.shape();
  const int64_t elements = shape[0] == 0 ? 0 : from.size() / shape[0];
  const size_t rowBytes = size_t(elements) * dtypeSize(from.dtype());
  shape[0] = int64_t(rows.size());
  to.reset(from.dtype(), shape);
  auto *place = static_cast<char *>(to.rawData());
  for (size_t i = 0; i < rows.size() && rowBytes > 0; ++i, place += rowBytes)
    std::memcpy(place, from.addressOf(rows[i] * elements), rowBytes);
}

void Dataset::take(const std::vector<int64_t> &rows, std::vector<Array> &batch) const {
  if (maker) {
    batch = maker(rows);
    return;
  }
  batch.resize(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i)
    gather(arrays[i], rows, batch[i]);
}

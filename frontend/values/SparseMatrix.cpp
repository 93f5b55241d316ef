#include "keratin/sparse.h"

#include "frontend/values/Elements.h"
#include "keratin/error.h"

#include <algorithm>
#include <numeric>

using namespace keratin;

static ValueError error(const std::string &what) { return ValueError("SparseMatrix: " + what); }

// Of a value that may be None.
static std::string shapeText(const Array &array) {
  return array.isNone() ? "None" : "an array of shape " + toString(array.shape());
}

const SparseMatrix &SparseMatrix::checked(const char *call) const {
  if (isEmpty())
    throw ValueError("SparseMatrix::" + std::string(call) + ": the SparseMatrix is empty");
  return *this;
}

SparseMatrix SparseMatrix::coo(int64_t rowCount, int64_t columnCount,
                               const std::vector<int64_t> &rows,
                               const std::vector<int64_t> &columns, const Array &values) {
  if (rowCount < 0 || columnCount < 0)
    throw error("the shape is (" + std::to_string(rowCount) + ", " + std::to_string(columnCount) +
                "); needed sizes of 0 or more");
  if (values.isNone() || values.ndim() != 1 || rows.size() != columns.size() ||
      int64_t(rows.size()) != values.size())
    throw error(std::to_string(rows.size()) + " rows and " + std::to_string(columns.size()) +
                " columns for " + shapeText(values) + " as values; needed vectors of one length");
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= rowCount || columns[i] < 0 || columns[i] >= columnCount)
      throw error("element " + std::to_string(i) + " is at (" + std::to_string(rows[i]) + ", " +
                  std::to_string(columns[i]) + "); needed a place inside (" +
                  std::to_string(rowCount) + ", " + std::to_string(columnCount) + ")");

  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto place = [&](size_t i) { return std::pair(rows[i], columns[i]); };
  // Equal places in their order, in which they are added up.
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(place(a), a) < std::pair(place(b), b); });
  std::vector<int64_t> keptRows, keptColumns;
  std::vector<double> sums;    // of floats
  std::vector<int64_t> counts; // of integers, which wrap
  for (size_t n = 0; n < order.size(); ++n) {
    size_t i = order[n];
    if (n == 0 || place(order[n - 1]) != place(i)) {
      keptRows.push_back(rows[i]);
      keptColumns.push_back(columns[i]);
      sums.push_back(0);
      counts.push_back(0);
    }
    if (isFloating(values.dtype()))
      sums.back() += values.item<double>(int64_t(i));
    else
      counts.back() = int64_t(
          uint64_t(counts.back()) +
          uint64_t(frontend::elementAsInteger(values.dtype(), values.addressOf(int64_t(i)), 0)));
  }
  SparseMatrix result;
  result.dims = {rowCount, columnCount};
  result.rowNumbers = Array(keptRows);
  result.columnNumbers = Array(keptColumns);
  result.elements =
      (isFloating(values.dtype()) ? Array(sums) : Array(counts)).astype(values.dtype());
  return result;
}

SparseMatrix SparseMatrix::csr(int64_t rowCount, int64_t columnCount,
                               const std::vector<int64_t> &starts,
                               const std::vector<int64_t> &columns, const Array &values) {
  if (rowCount < 0 || int64_t(starts.size()) != rowCount + 1 || starts.front() != 0 ||
      starts.back() != int64_t(columns.size()) || !std::is_sorted(starts.begin(), starts.end()))
    throw error("needed for each row where it starts, ascending from 0 to the " +
                std::to_string(columns.size()) + " elements");
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < rowCount; ++row)
    rows.insert(rows.end(), size_t(starts[size_t(row) + 1] - starts[size_t(row)]), row);
  return coo(rowCount, columnCount, rows, columns, values);
}

SparseMatrix SparseMatrix::fromDense(const Array &dense) {
  if (dense.isNone() || dense.ndim() != 2)
    throw error(shapeText(dense) + "; needed rank 2");
  const size_t width = dtypeSize(dense.dtype());
  std::vector<int64_t> rows, columns, kept;
  for (int64_t i = 0; i < dense.size(); ++i)
    if (dense.item<double>(i) != 0) { // NaN is an element too
      rows.push_back(i / dense.shape()[1]);
      columns.push_back(i % dense.shape()[1]);
      kept.push_back(i);
    }
  Array values = Array::empty(dense.dtype(), {int64_t(kept.size())});
  for (size_t i = 0; i < kept.size(); ++i)
    std::memcpy(static_cast<char *>(values.rawData()) + i * width, dense.addressOf(kept[i]), width);
  return coo(dense.shape()[0], dense.shape()[1], rows, columns, values);
}

SparseMatrix SparseMatrix::astype(DType dtype) const {
  SparseMatrix result = checked("astype");
  result.elements = elements.astype(dtype);
  return result;
}

Array SparseMatrix::toDense() const {
  (void)checked("toDense");
  Array dense = Array::zeros(dtype(), dims);
  const size_t width = dtypeSize(dtype());
  for (int64_t i = 0; i < size(); ++i) {
    int64_t to = rowNumbers.data<int64_t>()[i] * dims[1] + columnNumbers.data<int64_t>()[i];
    std::memcpy(static_cast<char *>(dense.rawData()) + size_t(to) * width,
                static_cast<const char *>(elements.rawData()) + size_t(i) * width, width);
  }
  return dense;
}

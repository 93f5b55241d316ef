// Factorizations of matrices, one element after the other.
#include "ir/reference/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// Calls function(first element of the matrix) for each matrix in the last two dimensions.
template <class Function> static void forEachMatrix(const HostTensor &x, const Function &function) {
  const int64_t size = x.dims[x.dims.size() - 2] * x.dims.back();
  for (int64_t first = 0; size > 0 && first < x.size(); first += size)
    function(first);
}

// False where a pivot is no positive number.
static bool factorSymmetric(double *y, const double *x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    double pivot = x[j * n + j];
    for (int64_t k = 0; k < j; ++k)
      pivot -= y[j * n + k] * y[j * n + k];
    if (!(pivot > 0) || std::isinf(pivot))
      return false;
    y[j * n + j] = std::sqrt(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      double sum = x[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= y[i * n + k] * y[j * n + k];
      y[i * n + j] = sum / y[j * n + j];
    }
  }
  return true;
}

LogicalResult CholeskyOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const int64_t n = operands[0]->dims.back();
  forEachMatrix(*operands[0], [&](int64_t first) {
    double *y = &results[0].floats[size_t(first)];
    if (!factorSymmetric(y, &operands[0]->floats[size_t(first)], n))
      std::fill_n(y, n * n, std::numeric_limits<double>::quiet_NaN());
  });
  return success();
}

LogicalResult TriangularSolveOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const HostTensor &a = *operands[0], &b = *operands[1];
  const int64_t n = a.dims.back(), columns = b.dims.back();
  const bool fromFirst = getLower() != getTransposed();
  results[0].floats = b.floats;
  forEachMatrix(b, [&](int64_t first) {
    const double *matrix = &a.floats[size_t(first / (n * columns) * n * n)];
    double *y = &results[0].floats[size_t(first)];
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = fromFirst ? step : n - 1 - step;
      for (int64_t column = 0; column < columns; ++column) {
        double sum = y[i * columns + column];
        for (int64_t before = 0; before < step; ++before) {
          const int64_t k = fromFirst ? before : n - 1 - before;
          sum -= matrix[getTransposed() ? k * n + i : i * n + k] * y[k * columns + column];
        }
        y[i * columns + column] = getUnitDiagonal() ? sum : sum / matrix[i * n + i];
      }
    }
  });
  return success();
}

// The row of the first NaN in the column, else of the first of its largest, from row `first` on.
static int64_t pivotOf(const double *x, int64_t column, int64_t first, int64_t rows,
                       int64_t columns) {
  int64_t pivot = first;
  for (int64_t i = first; i < rows; ++i) {
    const double element = std::abs(x[i * columns + column]);
    if (std::isnan(element))
      return i;
    if (element > std::abs(x[pivot * columns + column]))
      pivot = i;
  }
  return pivot;
}

LogicalResult LuOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  const int64_t rows = x.dims[x.dims.size() - 2], columns = x.dims.back();
  results[0].floats = x.floats;
  for (int64_t i = 0; i < results[1].size(); ++i)
    results[1].ints[size_t(i)] = i % rows;
  forEachMatrix(x, [&](int64_t first) {
    double *y = &results[0].floats[size_t(first)];
    int64_t *order = &results[1].ints[size_t(first / columns)];
    for (int64_t j = 0; j < std::min(rows, columns); ++j) {
      const int64_t pivot = pivotOf(y, j, j, rows, columns);
      if (pivot != j) {
        std::swap_ranges(y + j * columns, y + (j + 1) * columns, y + pivot * columns);
        std::swap(order[j], order[pivot]);
      }
      for (int64_t i = j + 1; i < rows; ++i) {
        if (y[j * columns + j] != 0)
          y[i * columns + j] /= y[j * columns + j];
        for (int64_t k = j + 1; k < columns; ++k)
          y[i * columns + k] -= y[i * columns + j] * y[j * columns + k];
      }
    }
  });
  return success();
}
